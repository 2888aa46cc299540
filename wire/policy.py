"""The policy file as data: who people are, which calls need whose approval, and how long they have."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from wire.base import Wire


class Person(Wire):
    """A human. Compared by ``id``, never by address; the first address is where mail goes, the rest are aliases."""

    id: str
    name: str
    addresses: tuple[str, ...] = Field(min_length=1)
    timezone: str = "UTC"
    language: str = "en"
    os_users: tuple[str, ...] = ()


class Delegation(Wire):
    """``to_person`` may answer for ``from_person`` when the reply was received in [since, until]."""

    from_person: str
    to_person: str
    since: datetime
    until: datetime


class ApprovalRule(Wire):
    """Which writes (shell patterns on service and endpoint, methods) need whose approval. First match wins."""

    id: str
    services: tuple[str, ...] = ("*",)
    endpoints: tuple[str, ...] = ("*",)
    methods: tuple[str, ...] = ("POST", "PATCH", "PUT", "DELETE", "ACTION")
    approvers: tuple[str, ...] = Field(min_length=1)
    quorum: int = Field(default=1, ge=1)
    window_seconds: int = Field(default=86_400, gt=0)
    reminder_share: float = Field(default=0.75, gt=0, lt=1)
    grace_seconds: int = Field(default=300, ge=0)
    tail_seconds: int = Field(default=604_800, ge=0)
    max_reviews: int = Field(default=3, ge=1)
    on_deadline: Literal["reissue", "escalate", "expire"] = "reissue"
    escalate_to: tuple[str, ...] = ()


class TrustProfile(Wire):
    """How the mailbox's own server vouches for a sender (design.md section 4, check 2).

    ``authentication-results``: exactly one header of ``authserv_id``, with a pass of one of ``methods`` aligned with From.
    ``microsoft365``: the same of a header without authserv-id, as Exchange Online writes it; with ``tenant_id`` also mail that
    never left that tenant. ``dkim``: signatures are verified here, by the author's domain or one of ``dkim_domains``.
    ``closed``: a mailbox that only an intranet can reach; From is believed.
    """

    mode: Literal["authentication-results", "microsoft365", "dkim", "closed"] = "authentication-results"
    authserv_id: str = ""
    tenant_id: str = ""
    dkim_domains: tuple[str, ...] = ()
    methods: tuple[Literal["dmarc", "dkim", "auth"], ...] = ("dmarc",)


class Policy(Wire):
    """A whole policy file. ``version`` names it for people; ``policies.rulebook.policy_version`` adds the content hash."""

    version: str
    persons: tuple[Person, ...]
    rules: tuple[ApprovalRule, ...]
    requesters: tuple[str, ...]
    operators: tuple[str, ...] = ()
    delegations: tuple[Delegation, ...] = ()
    trust: TrustProfile = TrustProfile()
    languages: tuple[str, ...] = ("en",)
    clock_skew_seconds: float = 0.0
    late_acceptance_share: float = Field(default=0.1, gt=0, le=1)
    continue_after_reject: bool = True
    step_cap: int = Field(default=25, ge=1, le=100)
