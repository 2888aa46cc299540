"""Stage 6: what the ledger holds of a decision. No field of a signal is believed; an id only says where to look."""

from temporalio import activity

from activities.guard import on_own_run
from activities.ports import Parts
from ledger.errors import EvidenceMissing
from ledger.run_changes import asked_again
from wire.activity_signatures import DecisionAnswer, DecisionQuery
from wire.agent import Observation
from wire.approval import DecisionRecord, Outcome
from wire.task import RunState

ENDS = frozenset({"cancel"})


class DecisionStage:
    """Holds the parts for ``read_decision``. ``mailbox`` is the one that the mailroom reads."""

    def __init__(self, parts: Parts, mailbox: str) -> None:
        self._parts = parts
        self._mailbox = mailbox

    @activity.defn
    async def read_decision(self, query: DecisionQuery) -> DecisionAnswer:
        """What the ledger holds of a decision; no field of a signal is believed."""
        return await on_own_run(self._parts, query.run_id, lambda _: self._answer(query))

    def _answer(self, query: DecisionQuery) -> DecisionAnswer:
        record, detail = self._record(query)
        # Only now: looking for the record may itself halt the run.
        with self._parts.ledger.together():
            blocks = [block for block in self._parts.ledger.blocks(query.run_id) if block.step is None]
            return DecisionAnswer(
                decision=record,
                run_state=self._state(query, [block.kind for block in blocks]),
                detail=detail or "; ".join(f"{block.kind}: {block.reason}" for block in blocks),
                read_past=query.settle_deadline and self._read_past(query),
                asked_again=asked_again(self._parts.ledger.proven_acts(query.run_id), query.step, query.review),
            )

    def _record(self, query: DecisionQuery) -> tuple[DecisionRecord | None, str]:
        """The named evidence when it is this step's, or else what stands for this review."""
        ledger, here = self._parts.ledger, (query.run_id, query.step, query.review)
        try:
            with ledger.together():
                named = ledger.decision(*here, query.evidence_id) if query.evidence_id else None
                standing = ledger.standing(*here)
        except EvidenceMissing as error:
            # Once: a halt wakes the run, which asks again and would halt itself for ever.
            if all(block.kind != "evidence_missing" for block in ledger.blocks(query.run_id)):
                ledger.halt([query.run_id], "evidence_missing", str(error), self._parts.now())
            return None, str(error)
        record = standing or named
        if record is not None and record.outcome is Outcome.REJECTED:
            self._tell_brain(record)
        return record, ""

    def _tell_brain(self, record: DecisionRecord) -> None:
        """A rejection and its comment become an observation: data for the next proposal, never an instruction."""
        ledger = self._parts.ledger
        comment = ledger.get(record.comment_digest).decode() if record.comment_digest else ""
        step = ledger.step(record.run_id, record.step)
        call = ledger.proposal(record.run_id, record.step).call
        told = Observation(turn=step.turn, kind="rejected", call=call, text=comment or "rejected without a comment")
        ledger.observe(record.run_id, step.turn, told, self._parts.now())

    def _state(self, query: DecisionQuery, kinds: list[str]) -> RunState:
        if ENDS & set(kinds):
            return RunState.CANCELLED
        if kinds:
            return RunState.HALTED
        unsettled = [
            e for e in self._parts.ledger.effects(query.run_id) if e.step == query.step and e.outcome != "failed"
        ]
        if any(e.outcome != "executed" for e in unsettled):
            return RunState.OUTCOME_UNKNOWN
        return RunState.AWAITING_APPROVAL

    def _read_past(self, query: DecisionQuery) -> bool:
        request = self._parts.ledger.request(query.run_id, query.step, query.review)
        read = self._parts.ledger.read_past(self._mailbox)
        return request is not None and read is not None and read > request.deadline
