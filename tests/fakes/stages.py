"""Every stage of a run, scripted: stands in for the activities in workflow tests, and notes what was asked of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio import activity

from wire.activity_signatures import (
    CloseInput,
    DecisionAnswer,
    DecisionQuery,
    DispatchResult,
    NoticeInput,
    Proposed,
    ProposeInput,
    ReadDone,
    Retrieved,
    ReviewInput,
    StepInput,
    Validated,
)
from wire.approval import DecisionRecord, Outcome, RequestStatus, SentRequest
from wire.task import RunResult, TaskInput

DIGEST = "d" * 64
WINDOW = timedelta(hours=8)


@dataclass
class ScriptedStages:
    """``turns``: what the brain proposes, then it finishes. ``answer``: what the ledger says to a query.

    ``dispatches`` and ``statuses``: what the next writes come to and what becomes of the next requests; then all go well.
    """

    now: Callable[[], Any]
    turns: list[str] = field(default_factory=lambda: ["write"])
    answer: Callable[[DecisionQuery], DecisionAnswer] = lambda query: DecisionAnswer()
    dispatches: list[DispatchResult] = field(default_factory=list)
    statuses: list[RequestStatus] = field(default_factory=list)
    max_reviews: int = 3
    tail_seconds: int = 0
    asked: list[ReviewInput] = field(default_factory=list)
    sent: list[SentRequest] = field(default_factory=list)
    notices: list[NoticeInput] = field(default_factory=list)
    written: list[ReviewInput] = field(default_factory=list)
    reads: int = 0
    queries: list[DecisionQuery] = field(default_factory=list)

    def activities(self) -> list[Callable[..., Any]]:
        """All stages, registered under the names of their signatures."""
        return [
            getattr(self, name)
            for name in dir(type(self))
            if hasattr(getattr(type(self), name), "__temporal_activity_definition")
        ]

    @activity.defn
    async def retrieve_context(self, task: TaskInput) -> Retrieved:
        return Retrieved(context_digest=DIGEST, endpoints=("S/Orders",))

    @activity.defn
    async def propose_call(self, request: ProposeInput) -> Proposed:
        if request.turn > len(self.turns):
            return Proposed(step=0, action="finish", proposal_digest=DIGEST, summary="done")
        return Proposed(step=request.turn, action="call", proposal_digest=DIGEST, summary=self.turns[request.turn - 1])

    @activity.defn
    async def validate_call(self, step: StepInput) -> Validated:
        kind = self.turns[step.step - 1]
        denied = "no rule" if kind == "denied" else ""
        return Validated(
            step=step.step,
            valid=kind != "invalid",
            write=kind == "write",
            call_digest=DIGEST,
            label=f"POST Orders ({step.step})",
            denied=denied,
        )

    @activity.defn
    async def execute_read(self, step: StepInput) -> ReadDone:
        self.reads += 1
        return ReadDone(step=step.step, ok=True)

    @activity.defn
    async def send_request(self, review: ReviewInput) -> SentRequest:
        self.asked.append(review)
        now = await self.now()
        status = RequestStatus.COMPOSED if review.dry_run else RequestStatus.SENT
        sent = SentRequest(
            run_id=review.run_id,
            step=review.step,
            review=review.review,
            status=self.statuses.pop(0) if self.statuses else status,
            call_digest=DIGEST,
            policy_version="1",
            rule_id="r",
            approver_tokens=("p-ann",),
            quorum=1,
            accepted_at=now,
            deadline=now + WINDOW,
            reminder_at=now + WINDOW * 0.75,
            grace_seconds=300,
            tail_seconds=self.tail_seconds,
            max_reviews=self.max_reviews,
            on_deadline="reissue",
            detail=review.cause,
        )
        self.sent.append(sent)
        return sent

    @activity.defn
    async def read_decision(self, query: DecisionQuery) -> DecisionAnswer:
        self.queries.append(query)
        return self.answer(query)

    @activity.defn
    async def dispatch_write(self, review: ReviewInput) -> DispatchResult:
        self.written.append(review)
        return self.dispatches.pop(0) if self.dispatches else DispatchResult(kind="executed", summary="created 1")

    @activity.defn
    async def send_notice(self, notice: NoticeInput) -> RequestStatus:
        self.notices.append(notice)
        return RequestStatus.SENT

    @activity.defn
    async def close_run(self, close: CloseInput) -> RunResult:
        return RunResult(run_id=close.run_id, state=close.state, summary=close.summary, writes=len(self.written))

    def decision(self, outcome: Outcome, received_at: datetime, review: int = 0, step: int = 1) -> DecisionRecord:
        """A record of the ledger for the last request."""
        return DecisionRecord(
            run_id=self.sent[-1].run_id,
            step=step,
            review=review,
            evidence_id="e",
            outcome=outcome,
            received_at=received_at.astimezone(UTC),
            call_digest=DIGEST,
            approvals=1,
        )
