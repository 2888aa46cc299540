"""Stage 7: the dispatch gate, then exactly the approved bytes, once, then read back and compare.

Intent row first; only a *new* intent may act. An intent that an earlier attempt opened is looked up, never blindly repeated.
"""

from dataclasses import dataclass
from typing import Any, Literal

from temporalio import activity

from activities.guard import final, off_loop, on_own_run
from activities.judging import Judged, bind, judge_call
from activities.ports import Parts
from activities.read_back import ReadBack, Reading, plan_reading, read_back
from activities.sending import Sent, look_up, send_once
from activities.told import tell
from ledger.errors import GateRefused
from ledger.records import Intent, RequestRow, RunRow
from odata.prepare import call_digest
from policies.dispatch_checks import check_approvers, check_drift
from policies.run_identity import effect_key, repeatability_id
from policies.write_gate import Denied, approval_plan
from wire.activity_signatures import DispatchResult, ReviewInput
from wire.agent import Observation
from wire.call import ExecutedCall, ValidatedCall
from wire.task import RunState


@dataclass(frozen=True)
class Write:
    """One approved write on its way out."""

    row: RunRow
    request: RequestRow
    call: ValidatedCall

    @property
    def digest(self) -> str:
        """The digest of the bytes that would be sent, whatever the stored call says of itself."""
        return call_digest(self.call.request)

    @property
    def key(self) -> str:
        """The effect key."""
        here = self.request
        return effect_key(here.run_id, here.step, here.review, "write", self.digest)


@dataclass(frozen=True)
class Unbound:
    """A write that is a change: it has yet to be bound to its entity as it is now."""

    write: Write
    judged: Judged


Settled = tuple[ExecutedCall, Reading | ReadBack]
"""A write that took effect, and how it is read back."""


class DispatchStage:
    """Holds the parts for ``dispatch_write``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def dispatch_write(self, review: ReviewInput) -> DispatchResult:
        """The dispatch gate, then exactly the approved bytes, once, then read back."""
        found = await on_own_run(self._parts, review.run_id, lambda row: self._begin(row, review))
        if isinstance(found, Unbound):
            judged = await bind(self._parts, found.judged)
            found = await off_loop(self._pass_gate, found.write, judged)
        return found if isinstance(found, DispatchResult) else await self._carry_out(*found)

    def _begin(self, row: RunRow, review: ReviewInput) -> Unbound | DispatchResult | tuple[Write, Intent]:
        """Through the gate, or a change that has yet to be bound to its entity."""
        with self._parts.ledger.together():
            write = self._write(row, review)
            begun = any(e.effect_key == write.key for e in self._parts.ledger.effects(row.run_id))
        if begun:
            return self._open(write)
        judged = judge_call(self._parts, write.call.call, self._parts.graphs.current())
        return Unbound(write, judged) if judged.unbound else self._pass_gate(write, judged)

    def _pass_gate(self, write: Write, judged: Judged) -> DispatchResult | tuple[Write, Intent]:
        drift = self._drift(write, judged)
        return self._drifted(write, drift) if drift else self._open(write)

    def _write(self, row: RunRow, review: ReviewInput) -> Write:
        ledger = self._parts.ledger
        request = ledger.request(review.run_id, review.step, review.review)
        call = ledger.validated(review.run_id, review.step)
        if request is None or call is None:
            raise final(
                ValueError(f"run {review.run_id}, step {review.step}, review {review.review} was never asked for")
            )
        return Write(row, request, call)

    def _drift(self, write: Write, judged: Judged) -> tuple[str, ...]:
        """Check 9: metadata, code lists, ETag and policy as they are now."""
        parts, call = self._parts, write.call
        task = write.row.task
        cause = write.request.cause
        policy = parts.policy()
        plan = approval_plan(policy, call.call, task.requester, task.approvers, task.ledger_epoch, cause=cause)
        if isinstance(plan, Denied):
            return (plan.reason,)
        here = write.request
        votes = parts.ledger.votes(here.run_id, here.step, here.review)
        approvers = [approver.person for approver in plan.approvers]
        people = check_approvers(policy, votes, approvers, plan.quorum, task.requester)
        return (*check_drift(call, judged.validated), *people)

    def _drifted(self, write: Write, drift: tuple[str, ...]) -> DispatchResult:
        facts = {"step": write.request.step, "review": write.request.review, "reasons": list(drift)}
        self._parts.ledger.note(write.row.run_id, "drifted", facts, {}, self._parts.now())
        return DispatchResult(kind="drifted", summary="; ".join(drift))

    def _refused(self, write: Write, error: GateRefused) -> None:
        """A refusal that no block explains is no news from a person: the run halts, so that somebody looks at it."""
        ledger, here = self._parts.ledger, write.request
        if all(block.step not in (None, here.step) for block in ledger.blocks(here.run_id)):
            ledger.halt([here.run_id], "gate_refused", ", ".join(error.reasons), self._parts.now())

    def _open(self, write: Write) -> DispatchResult | tuple[Write, Intent]:
        at, here, key = self._parts.now(), write.request, write.key
        try:
            intent = self._parts.ledger.open_intent(
                here.run_id, here.step, here.review, write.digest, key, str(repeatability_id(key)), at
            )
        except GateRefused as error:
            self._refused(write, error)
            return DispatchResult(kind="refused", summary=", ".join(error.reasons))
        return write, intent

    async def _carry_out(self, write: Write, intent: Intent) -> DispatchResult:
        if intent.kind == "recorded":
            executed = intent.result if intent.outcome == "executed" else None
            settled = await off_loop(self._told, write, executed, "refused by the service")
        else:
            act = send_once if intent.kind == "new" else look_up
            # Every attempt names the same first sending.
            sent = await act(self._parts, write.call, write.key, intent.opened_at)
            settled = await off_loop(self._settle, write, sent)
        if isinstance(settled, DispatchResult):
            return settled
        executed, reading = settled
        back = reading if isinstance(reading, ReadBack) else await read_back(self._parts, reading)
        return await off_loop(self._compared, write, executed, back)

    def _settle(self, write: Write, sent: Sent) -> DispatchResult | Settled:
        """Record the outcome first, by itself: whatever became of the run meanwhile, it must stand."""
        ledger, run_id = self._parts.ledger, write.row.run_id
        executed = None
        if sent.result is not None:
            executed = ExecutedCall(
                effect_key=write.key, digest=write.digest, result=sent.result, replayed=sent.replayed
            )
        ledger.record_effect(write.key, sent.outcome, executed, self._parts.now())
        if sent.outcome == "unknown":
            ledger.set_state(run_id, RunState.OUTCOME_UNKNOWN, sent.detail, self._parts.now())
            return DispatchResult(kind="unknown", summary=sent.detail)
        return self._told(write, executed if sent.outcome == "executed" else None, sent.detail)

    def _told(self, write: Write, executed: ExecutedCall | None, detail: str) -> DispatchResult | Settled:
        """The outcome stands in the ledger: a refusal is told to the brain, a write that took effect is to be read back."""
        if executed is None:
            tell(
                self._parts.ledger,
                write.row.run_id,
                self._observation(write, "failed", detail, None),
                self._parts.now(),
            )
            return DispatchResult(kind="failed", summary=detail)
        return executed, plan_reading(self._parts, write.call, executed)

    def _observation(self, write: Write, kind: Literal["written", "failed"], text: str, data: Any) -> Observation:
        turn = self._parts.ledger.step(write.request.run_id, write.request.step).turn
        return Observation(turn=turn, kind=kind, call=write.call.call, text=text, data=data)

    def _compared(self, write: Write, executed: ExecutedCall, back: ReadBack) -> DispatchResult:
        """What reading back came to goes on record and to the brain; where it differs, an operator is to look."""
        ledger, at, run_id = self._parts.ledger, self._parts.now(), write.row.run_id
        data = back.result.data if back.result is not None else executed.result.data
        with ledger.jointly(run_id):
            self._note_read_back(write, back)
            observation = self._observation(write, "written", back.summary, data)
            if not back.differences:
                tell(ledger, run_id, observation, at)
                return DispatchResult(kind="executed", summary=back.summary)
            ledger.observe(run_id, observation.turn, observation, at)
        ledger.set_state(run_id, RunState.OUTCOME_UNKNOWN, back.summary, at)
        return DispatchResult(kind="differs", summary=back.summary)

    def _note_read_back(self, write: Write, back: ReadBack) -> None:
        ledger, at, here = self._parts.ledger, self._parts.now(), write.request
        named = {}
        if back.result is not None:
            named["read_back"] = ledger.put(back.result.model_dump_json().encode(), "application/json", at)
        facts = {"step": here.step, "summary": back.summary, "differences": len(back.differences)}
        ledger.note(here.run_id, "written_read_back", facts, named, at)
