"""Last stage: record how the run ended, take open requests back, and tell the requester."""

from temporalio import activity

from activities.guard import on_own_run
from activities.notice import queue_notices
from activities.ports import Parts
from ledger.errors import RunClosed
from ledger.records import EffectRow, RunRow
from policies.rulebook import person_of
from policies.run_identity import message_id
from wire.activity_signatures import CloseInput
from wire.approval import Line, MailContent, MessageType, RequestStatus
from wire.task import RunResult, RunState

OPEN_REQUEST = frozenset({RequestStatus.COMPOSED, RequestStatus.SENT})


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
        person = person_of(self._parts.policy(), row.task.requester)
        if person is None or row.task.dry_run:
            return None
        ledger, identity = self._parts.ledger, self._parts.identity
        lines = [
            Line(label="Outcome", value=state.value),
            Line(label="Writes that took effect", value=str(len(executed))),
        ]
        lines += [Line(label=f"Step {e.step}", value=f"call {e.call_digest[:16]}, review {e.review}") for e in executed]
        return MailContent(
            message_type=MessageType.EVIDENCE_NOTIFICATION,
            message_id=message_id(ledger.epoch, f"{row.run_id}/closed", 0, identity.domain),
            from_address=identity.approvals,
            from_name=identity.name,
            reply_to=identity.approvals,
            to_address=person.addresses[0].lower(),
            to_name=person.name,
            language=person.language,
            timezone=person.timezone,
            composed_at=self._parts.now().replace(microsecond=0),
            run_id=row.run_id,
            policy_version=row.task.policy_version,
            title=f"{state.value}: {row.task.goal}"[:180],
            summary=row.task.goal,
            lines=tuple(lines),
            reason=summary,
            brain=row.task.brain,
            note=f"The whole record: starter.py audit {row.run_id}",
        )
