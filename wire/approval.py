"""Requests for approval, the decisions that answer them, and what the gates make of those."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from wire.base import Recorded, Wire


class MessageType(StrEnum):
    """Kinds of mail we send (design.md section 4)."""

    APPROVAL_REQUEST = "approval_request"
    APPROVAL_REMINDER = "approval_reminder"
    FRESH_REVIEW_REQUEST = "fresh_review_request"
    CLARIFICATION_REQUEST = "clarification_request"
    WITHDRAWAL_NOTICE = "withdrawal_notice"
    REFUSAL_NOTICE = "refusal_notice"
    ESCALATION_NOTICE = "escalation_notice"
    EVIDENCE_NOTIFICATION = "evidence_notification"
    OPERATOR_ALERT = "operator_alert"


class Outcome(StrEnum):
    """What the gates made of a mail."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNCLEAR = "unclear"
    LATE = "late"
    IGNORED = "ignored"
    REFUSED = "refused"
    COLLISION = "collision"
    UNTOUCHED = "untouched"
    UNDELIVERABLE = "undeliverable"


class Addressee(Recorded):
    """One designated approver as the plan resolved them. ``token`` stands in search attributes instead of the address."""

    person: str
    name: str
    address: str
    timezone: str = "UTC"
    language: str = "en"
    token: str = ""


class ApprovalPlan(Recorded):
    """What policy, calendar and time zone came to for one request: UTC instants, persons, quorum.

    ``first_line`` to ``last_line`` of the rule's chain are asked (0: its approvers); None in plans of before there were any.
    """

    rule_id: str
    policy_version: str
    approvers: tuple[Addressee, ...]
    quorum: int
    window_seconds: int
    max_reviews: int
    on_deadline: Literal["reissue", "escalate", "expire"]
    reminder_share: float
    grace_seconds: int
    tail_seconds: int
    clock_skew_seconds: float = 0.0
    calendar: str = ""
    first_line: int | None = None
    last_line: int | None = None


class Line(Recorded):
    """One line of business content; ``old`` is what stood there before a change."""

    label: str
    value: str
    old: str | None = None


class Table(Recorded):
    """Items of a deep insert as a table. ``totals``: one cell a column, empty where adding up says nothing; () for none."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: tuple[str, ...] = ()


class MailContent(Recorded):
    """All that a mail of ours says: its bytes are a pure function of this (and of nothing else).

    ``masked``: ids of the policy's masks that hid something of it. ``own_word``: the answers of ``language`` count too.
    """

    message_type: MessageType
    message_id: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    from_address: str
    from_name: str
    reply_to: str
    to_address: str
    to_name: str
    language: str = "en"
    timezone: str = "UTC"
    composed_at: datetime
    run_id: str
    step: int = 0
    review: int = 0
    ref: str = ""
    policy_version: str = ""
    deadline: datetime | None = None
    call_digest: str = ""
    title: str
    summary: str = ""
    lines: tuple[Line, ...] = ()
    tables: tuple[Table, ...] = ()
    reason: str = ""
    brain: str = ""
    requester: str = ""
    undecided: tuple[str, ...] = ()
    differences: tuple[Line, ...] = ()
    technical: tuple[Line, ...] = ()
    note: str = ""
    masked: tuple[str, ...] = ()
    own_word: bool = True


class RequestStatus(StrEnum):
    """Life of one approval request."""

    COMPOSED = "composed"
    SENT = "sent"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    UNDELIVERABLE = "undeliverable"
    DECIDED = "decided"
    EXPIRED = "expired"


class SentRequest(Recorded):
    """What the workflow knows of a request after it was sent: instants in UTC, people as tokens.

    ``opens_at`` is when a reply can first exist; it differs from ``accepted_at`` after a crash in between.
    ``parked``: policy has nobody to ask now, so that nothing was asked.
    """

    run_id: str
    step: int
    review: int
    status: RequestStatus
    call_digest: str
    policy_version: str
    rule_id: str
    approver_tokens: tuple[str, ...]
    quorum: int
    accepted_at: datetime | None
    deadline: datetime | None
    reminder_at: datetime | None
    grace_seconds: int
    tail_seconds: int
    max_reviews: int
    on_deadline: Literal["reissue", "escalate", "expire"]
    title: str = ""
    detail: str = ""
    opens_at: datetime | None = None
    clock_skew_seconds: float = 0.0
    parked: bool = False


class DecisionRecord(Recorded):
    """What the ledger holds of one decision. ``approvals`` counts distinct persons who said yes to this review and digest.

    ``clock_skew_seconds``: how far the mail server's clock was ahead of ours at least (negative: how far it may have been
    behind), as measured when the mail was judged; None without a measurement.
    """

    run_id: str
    step: int
    review: int
    evidence_id: str
    outcome: Outcome
    reason: str = ""
    person: str = ""
    received_at: datetime | None = None
    call_digest: str = ""
    policy_version: str = ""
    approvals: int = 0
    comment_digest: str | None = None
    clock_skew_seconds: float | None = None


class Judgement(Wire):
    """What the evidence and decision gates made of one mail. ``check`` is the number of the question that decided (1-8).

    ``repeats`` is the outcome of the same bytes when they were first judged."""

    outcome: Outcome
    reason: str
    check: int
    run_id: str | None = None
    step: int | None = None
    review: int | None = None
    evidence_id: str | None = None
    person: str | None = None
    halted_runs: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    repeats: Outcome | None = None


class OutboxItem(Wire):
    """One thing that a committed transaction still owes the world: a signal to a run, or a mail."""

    id: int
    kind: Literal["signal", "mail"]
    key: str
    run_id: str | None
    payload: dict[str, Any]
    attempts: int = 0
