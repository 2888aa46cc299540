"""Typed stubs: all that a workflow may ask of the outside world, in the order of a run.

The real activities register under these names (``activities``). Payloads carry digests and small facts; bodies live in the
ledger's content store, so that history stays short and holds no clear business data.
"""

from datetime import datetime
from typing import Literal

from temporalio import activity

from wire.approval import DecisionRecord, RequestStatus, SentRequest
from wire.base import Recorded
from wire.task import RunResult, RunState, TaskInput


class Retrieved(Recorded):
    """The typed context of a run, by digest, with what a reader of the history wants to know."""

    context_digest: str
    endpoints: tuple[str, ...]
    processes: tuple[str, ...] = ()
    out_of_scope: bool = False


class ProposeInput(Recorded):
    """Ask the brain for turn ``turn`` (from 1)."""

    run_id: str
    turn: int
    context_digest: str
    goal: str


class Proposed(Recorded):
    """What the brain decided. For a call, ``step`` is the number that the ledger handed out.

    ``after_reject``/``failed``: the last write was rejected or failed, so that finishing is no completion.
    """

    step: int
    action: Literal["call", "finish", "ask"]
    proposal_digest: str = ""
    summary: str = ""
    brain: str = ""
    after_reject: bool = False
    failed: bool = False


class StepInput(Recorded):
    """Names a step of a run."""

    run_id: str
    step: int


class Validated(Recorded):
    """The verdict on a step's call. ``needs_approval`` is policy's word; ``denied`` says why nobody may approve it."""

    step: int
    valid: bool
    write: bool = False
    call_digest: str = ""
    label: str = ""
    findings: int = 0
    denied: str = ""


class ReadDone(Recorded):
    """A read's result by digest."""

    step: int
    ok: bool
    result_digest: str = ""
    summary: str = ""


class ReviewInput(Recorded):
    """Names a review of a step; ``cause`` says why this review is made."""

    run_id: str
    step: int
    review: int
    call_digest: str
    cause: Literal["first", "late", "overdue", "drifted", "undeliverable", "released", "operator"] = "first"
    dry_run: bool = False


class DecisionQuery(Recorded):
    """What of ``evidence_id`` (or, when None, of anything received) counts for this review? ``deadline`` asks to settle it."""

    run_id: str
    step: int
    review: int
    evidence_id: str | None = None
    settle_deadline: bool = False


class DecisionAnswer(Recorded):
    """The ledger's answer. ``read_past`` is true once the mailroom has read the mailbox past the deadline.

    ``asked_again``: an operator ended this review, so that its call is asked afresh.
    """

    decision: DecisionRecord | None = None
    run_state: RunState | None = None
    detail: str = ""
    read_past: bool = False
    asked_again: bool = False


class DispatchResult(Recorded):
    """What the dispatch gate and the write came to."""

    kind: Literal["executed", "drifted", "refused", "failed", "unknown", "differs"]
    summary: str = ""
    result_digest: str = ""


class NoticeInput(Recorded):
    """A mail about a review that asks nothing new: reminder, withdrawal, escalation."""

    run_id: str
    step: int
    review: int
    message_type: str
    reason: str = ""


class CloseInput(Recorded):
    """How the run ended, or where it parked (``state`` may be an open state: halted, overdue …)."""

    run_id: str
    state: RunState
    summary: str = ""
    at: datetime | None = None


@activity.defn
async def retrieve_context(task: TaskInput) -> Retrieved:
    """Claim the run for this execution and retrieve its typed context."""
    raise NotImplementedError


@activity.defn
async def propose_call(request: ProposeInput) -> Proposed:
    """One ReAct turn of the brain; the answer and the exchange are in the ledger before this returns."""
    raise NotImplementedError


@activity.defn
async def validate_call(step: StepInput) -> Validated:
    """Judge the step's call against metadata and policy; findings become an observation for the brain."""
    raise NotImplementedError


@activity.defn
async def execute_read(step: StepInput) -> ReadDone:
    """Send a read; its result becomes an observation."""
    raise NotImplementedError


@activity.defn
async def send_request(review: ReviewInput) -> SentRequest:
    """Resolve the approval plan, record the request, send one mail per addressee."""
    raise NotImplementedError


@activity.defn
async def read_decision(query: DecisionQuery) -> DecisionAnswer:
    """What the ledger holds of a decision; no field of a signal is believed."""
    raise NotImplementedError


@activity.defn
async def dispatch_write(review: ReviewInput) -> DispatchResult:
    """The dispatch gate, then exactly the approved bytes, once, then read back."""
    raise NotImplementedError


@activity.defn
async def send_notice(notice: NoticeInput) -> RequestStatus:
    """Send a reminder, withdrawal or escalation; answers the request's status."""
    raise NotImplementedError


@activity.defn
async def close_run(close: CloseInput) -> RunResult:
    """Record the state a run ended or parked in, and tell the requester or the operator."""
    raise NotImplementedError
