"""Last stage: record how the run ended, take open requests back, and tell the requester."""

from temporalio import activity

from activities.evidence_mail import Ended, Write, evidence_mail
from activities.guard import on_own_run
from activities.notice import queue_notices
from activities.ports import Parts
from ledger.errors import RunClosed
from ledger.hidden import secrets_of_run
from ledger.records import EffectRow, RunRow
from policies.rulebook import person_of
from wire.activity_signatures import CloseInput
from wire.approval import MailContent, MessageType, RequestStatus
from wire.task import RunResult, RunState

OPEN_REQUEST = frozenset({RequestStatus.COMPOSED, RequestStatus.SENT, RequestStatus.EXPIRED})


class CloseStage:
    """Holds the parts for ``close_run``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def close_run(self, close: CloseInput) -> RunResult:
        """Record the state a run ended in, and tell the requester."""
        return await on_own_run(self._parts, close.run_id, lambda row: self._close(row, close))

    def _close(self, row: RunRow, close: CloseInput) -> RunResult:
        ledger, run_id = self._parts.ledger, close.run_id
        for request in ledger.requests(run_id):
            if request.status in OPEN_REQUEST and request.is_live:
                self._take_back(run_id, request.step, request.review, f"the run ended: {close.state.value}")
        state = close.state
        try:
            ledger.close(run_id, state, close.summary, self._parts.now())
        except RunClosed:
            state = ledger.run(run_id).state
        with ledger.together():
            executed = [e for e in ledger.effects(run_id) if e.outcome == "executed"]
            steps = len(ledger.steps(run_id))
        content = self._notification(row, state, close.summary, executed)
        if content is not None:
            ledger.add_mail(f"{run_id}/closed", content, self._parts.now())
        return RunResult(
            run_id=run_id,
            state=state,
            summary=close.summary,
            steps=steps,
            writes=len(executed),
        )

    def _take_back(self, run_id: str, step: int, review: int, reason: str) -> None:
        """Withdraw an open request and tell whoever was asked."""
        ledger, at = self._parts.ledger, self._parts.now()
        request = ledger.request(run_id, step, review)
        if request is None or not ledger.withdraw(run_id, step, review, reason, at):
            return
        queue_notices(self._parts, request, MessageType.WITHDRAWAL_NOTICE, reason)

    def _notification(
        self, row: RunRow, state: RunState, summary: str, executed: list[EffectRow]
    ) -> MailContent | None:
        """The evidence notification to the requester: what came of the task and where the record is."""
        policy = self._parts.policy()
        person = person_of(policy, row.task.requester)
        if person is None or row.task.dry_run:
            return None
        writes = [
            Write(e.step, e.review, self._title(row.run_id, e), e.call_digest, e.settled_by or "") for e in executed
        ]
        ended = Ended(
            row, state, summary, writes, self._parts.now(), secrets_of_run(self._parts.ledger, policy, row.run_id)
        )
        return evidence_mail(self._parts.identity, self._parts.ledger.epoch, person, ended)

    def _title(self, run_id: str, effect: EffectRow) -> str:
        """What the approvers of the write read of it."""
        request = self._parts.ledger.request(run_id, effect.step, effect.review)
        if request is None:
            return f"call {effect.call_digest[:16]}"
        return MailContent.model_validate_json(self._parts.ledger.get(request.mails[0].content_digest)).title
