"""Rows of the ledger as values, for callers above it."""

from datetime import datetime
from typing import Literal

from wire.approval import ApprovalPlan, Outcome, RequestStatus
from wire.base import Wire
from wire.call import ExecutedCall
from wire.task import RunState, TaskInput, TaskRequest


class RunRow(Wire):
    """A run as registered and where it stands."""

    run_id: str
    task: TaskInput
    request: TaskRequest
    request_digest: str
    state: RunState
    detail: str
    summary: str
    temporal_run_id: str | None
    registered_at: datetime
    state_at: datetime
    closed_at: datetime | None
    events: int
    head: str
    erased_at: datetime | None = None


class StepRow(Wire):
    """A step: the turn that made it and, once validated, its call. ``is_open`` is false while anything blocks a write."""

    run_id: str
    step: int
    turn: int
    is_open: bool
    verdict_digest: str | None
    validated_digest: str | None
    call_digest: str | None


class RequestMailRow(Wire):
    """One addressee's copy. ``attempts`` counts sends begun, ``copies`` those that the server is known to have accepted."""

    addressee: int
    person: str
    address: str
    message_id: str
    content_digest: str
    attempts: int
    copies: int
    sending_at: datetime | None
    accepted_at: datetime | None
    response: str
    failure: str | None


class RequestRow(Wire):
    """One review.

    ``opens_at`` is when a reply can first exist: acceptance, or the first attempt if that one's fate is unknown.
    """

    run_id: str
    step: int
    review: int
    call_digest: str
    policy_version: str
    plan: ApprovalPlan
    cause: str
    opaque_id: str
    reply_address: str
    status: RequestStatus
    is_live: bool
    detail: str
    composed_at: datetime
    deadline: datetime
    opens_at: datetime | None
    accepted_at: datetime | None
    mails: tuple[RequestMailRow, ...] = ()


class MailRow(Wire):
    """One judged mail."""

    raw_digest: str
    run_id: str
    step: int | None
    review: int | None
    outcome: Outcome
    check: int
    reason: str
    message_id: str | None
    person: str | None
    received_at: datetime
    at: datetime


class Block(Wire):
    """Something that speaks against a write of a step, or of the whole run when ``step`` is None."""

    id: int
    run_id: str
    step: int | None
    kind: str
    reason: str
    evidence_id: str | None
    actor: str | None
    waits: bool
    at: datetime
    lifted_at: datetime | None
    lifted_by: str | None


class Intent(Wire):
    """What the dispatch gate answered. Only ``new`` may act; ``open`` must look up what came of it; ``recorded`` is over."""

    kind: Literal["new", "open", "recorded"]
    effect_key: str
    repeatability_id: str
    opened_at: datetime
    outcome: Literal["executed", "failed", "unknown"] | None = None
    result: ExecutedCall | None = None


class EffectRow(Wire):
    """One write: intent and outcome. ``settled_by``: the operator on whose word alone the outcome stands."""

    effect_key: str
    run_id: str
    step: int
    review: int
    call_digest: str
    repeatability_id: str
    outcome: Literal["executed", "failed", "unknown"] | None
    result_digest: str | None
    opened_at: datetime
    recorded_at: datetime | None
    settled_by: str | None = None
