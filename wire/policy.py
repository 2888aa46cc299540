"""The policy file as data: who people are, which calls need whose approval, and how long they have."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

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


class Role(Wire):
    """A name for several persons; rules name it as ``role:ID``."""

    id: str
    members: tuple[str, ...] = Field(min_length=1)


class Hours(Wire):
    """Working hours of weekdays, ``days`` 1 (Monday) to 7 (Sunday), ``HH:MM`` in the calendar's time zone."""

    days: tuple[int, ...] = Field(min_length=1)
    opens: str = Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")
    closes: str = Field(pattern=r"^(([01]\d|2[0-3]):[0-5]\d|24:00)$")


class Calendar(Wire):
    """When people work: a window of a rule that names it counts only these hours."""

    id: str
    timezone: str
    hours: tuple[Hours, ...] = Field(min_length=1)
    holidays: tuple[date, ...] = ()


class Condition(Wire):
    """What must hold of a call's content for a rule to match.

    ``property`` is a path into the payload (``Items.NetAmount`` looks into every item) or ``@key.Name`` for a key value.
    ``of`` says which of several values counts: any, all, or their sum. A comparison with ``currency`` reads the call's currency
    from ``currency_property`` beside the amount and converts by the policy's rates. What cannot be decided (a missing
    property, no rate) denies the write unless ``undecided`` says otherwise.
    """

    property: str
    op: Literal["<", "<=", ">", ">=", "==", "!=", "in", "not in", "present", "missing"]
    value: Decimal | bool | str | None = None
    values: tuple[Decimal | bool | str, ...] = ()
    of: Literal["any", "all", "sum"] = "any"
    currency: str = ""
    currency_property: str = ""
    undecided: Literal["deny", "match", "skip"] = "deny"


class ApprovalRule(Wire):
    """Which writes (shell patterns on service and endpoint, methods, ``when`` on content) need whose approval; first match.

    ``approvers`` and ``escalate_to`` name persons or ``role:ID``; ``escalate_further`` those asked when these do not answer
    either; ``deputies`` those whom an operator may put in an approver's place. ``quorum`` is a number, ``one``, ``two-person``
    or ``all``. With ``calendar`` the window counts working hours. ``on_undeliverable``: when mail does not reach enough of
    those asked, ``escalate`` asks at their other addresses, then the next of the chain, then deputies; ``operator`` parks it.
    """

    id: str
    services: tuple[str, ...] = ("*",)
    endpoints: tuple[str, ...] = ("*",)
    methods: tuple[str, ...] = ("POST", "PATCH", "PUT", "DELETE", "ACTION")
    approvers: tuple[str, ...] = Field(min_length=1)
    quorum: Literal["one", "two-person", "all"] | Annotated[int, Field(ge=1)] = 1
    window_seconds: int = Field(default=86_400, gt=0)
    reminder_share: float = Field(default=0.75, gt=0, lt=1)
    grace_seconds: int = Field(default=300, ge=0)
    tail_seconds: int = Field(default=604_800, ge=0)
    max_reviews: int = Field(default=3, ge=1)
    on_deadline: Literal["reissue", "escalate", "expire"] = "reissue"
    escalate_to: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    calendar: str = ""
    escalate_further: tuple[tuple[str, ...], ...] = ()
    deputies: tuple[str, ...] = ()
    on_undeliverable: Literal["escalate", "operator"] = "escalate"


class TrustProfile(Wire):
    """How the mailbox's own server vouches for a sender (design.md section 4, check 2).

    ``authentication-results``: exactly one header of ``authserv_id``, with a pass of one of ``methods`` aligned with From.
    ``microsoft365``: the same of a header without authserv-id, as Exchange Online writes it; with ``tenant_id`` also mail that
    never left that tenant. ``dkim``: signatures are verified here, by the author's domain or one of ``dkim_domains``.
    ``closed``: a mailbox that only an intranet can reach; with ``networks`` (CIDR) and ``receiver`` From is believed of mail
    that the host ``receiver`` took from an address in them (topmost Received); without, of any mail.
    """

    mode: Literal["authentication-results", "microsoft365", "dkim", "closed"] = "authentication-results"
    authserv_id: str = ""
    tenant_id: str = ""
    dkim_domains: tuple[str, ...] = ()
    methods: tuple[Literal["dmarc", "dkim", "auth"], ...] = ("dmarc",)
    networks: tuple[str, ...] = ()
    receiver: str = ""


class Mask(Wire):
    """Values that mails do not show in full: shell patterns on service, endpoint and property path (``to_Accounts.IBAN``; a
    pattern without a dot also matches the last name of any path). ``show``: what is left of them.
    """

    id: str
    properties: tuple[str, ...] = Field(min_length=1)
    services: tuple[str, ...] = ("*",)
    endpoints: tuple[str, ...] = ("*",)
    show: Literal["last4", "none"] = "last4"


class Policy(Wire):
    """A whole policy file. ``version`` names it for people; ``policies.rulebook.policy_version`` adds the content hash.

    ``rates``: what one unit of a currency is worth in ``base_currency``. ``mailboxes``: trust profiles of single mailboxes, by
    the name that logs in there. ``clock_skew_seconds`` is the least skew between mail server and engine that the gates
    reckon with; what probe mails measure comes on top of it. Every ``clock_probe_seconds`` one is sent (0: none); a measurement
    counts for ``clock_probe_valid_seconds``, and beyond ``clock_skew_bound_seconds`` no YES is accepted.
    """

    version: str
    persons: tuple[Person, ...]
    rules: tuple[ApprovalRule, ...]
    requesters: tuple[str, ...]
    operators: tuple[str, ...] = ()
    delegations: tuple[Delegation, ...] = ()
    trust: TrustProfile = TrustProfile()
    mailboxes: dict[str, TrustProfile] = Field(default_factory=dict)
    languages: tuple[str, ...] = ("en",)
    clock_skew_seconds: float = 0.0
    clock_skew_bound_seconds: float = Field(default=30.0, gt=0)
    clock_probe_seconds: int = Field(default=3600, ge=0)
    clock_probe_valid_seconds: int = Field(default=21_600, gt=0)
    late_acceptance_share: float = Field(default=0.1, gt=0, le=1)
    continue_after_reject: bool = True
    step_cap: int = Field(default=25, ge=1, le=100)
    roles: tuple[Role, ...] = ()
    calendars: tuple[Calendar, ...] = ()
    base_currency: str = ""
    rates: dict[str, Decimal] = Field(default_factory=dict)
    retention_days: int | None = Field(default=None, ge=1)
    masks: tuple[Mask, ...] = ()
