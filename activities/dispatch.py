"""Stage 7: the dispatch gate, then exactly the approved bytes, once, then read back and compare.

Intent row first; only a *new* intent may act. An intent that an earlier attempt opened is looked up, never blindly repeated.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from temporalio import activity

from activities.guard import final, off_loop, own_run
from activities.judging import judge_call
from activities.ports import Parts
from activities.read_back import ReadBack, read_back
from activities.sending import Sent, look_up, send_once
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


class DispatchStage:
    """Holds the parts for ``dispatch_write``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def dispatch_write(self, review: ReviewInput) -> DispatchResult:
        """The dispatch gate, then exactly the approved bytes, once, then read back."""
        row = await own_run(self._parts, review.run_id)
        write = await off_loop(self._write, row, review)
        if not await off_loop(self._begun, write):
            drift = await self._drift(write)
            if drift:
                return await off_loop(self._drifted, write, drift)
        try:
            intent = await off_loop(self._open, write)
        except GateRefused as error:
            await off_loop(self._refused, write, error)
            return DispatchResult(kind="refused", summary=", ".join(error.reasons))
        return await self._carry_out(write, intent)

    def _write(self, row: RunRow, review: ReviewInput) -> Write:
        ledger = self._parts.ledger
        request = ledger.request(review.run_id, review.step, review.review)
        call = ledger.validated(review.run_id, review.step)
        if request is None or call is None:
            raise final(
                ValueError(f"run {review.run_id}, step {review.step}, review {review.review} was never asked for")
            )
        return Write(row, request, call)

    def _begun(self, write: Write) -> bool:
        return any(e.effect_key == write.key for e in self._parts.ledger.effects(write.row.run_id))

    async def _drift(self, write: Write) -> tuple[str, ...]:
        """Check 9: metadata, code lists, ETag and policy as they are now."""
        parts, call = self._parts, write.call
        judged = await judge_call(parts, call.call, parts.graphs.current())
        task = write.row.task
        cause = write.request.cause
        policy = parts.policy()
        plan = approval_plan(policy, call.call, task.requester, task.approvers, task.ledger_epoch, cause=cause)
        if isinstance(plan, Denied):
            return (plan.reason,)
        here = write.request
        votes = await off_loop(parts.ledger.votes, here.run_id, here.step, here.review)
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

    def _open(self, write: Write) -> Intent:
        ledger, at, here = self._parts.ledger, self._parts.now(), write.request
        intent = ledger.open_intent(
            here.run_id, here.step, here.review, write.digest, write.key, str(repeatability_id(write.key)), at
        )
        if intent.kind == "new":
            ledger.set_state(here.run_id, RunState.DISPATCHING, f"step {here.step}", at)
        return intent

    async def _carry_out(self, write: Write, intent: Intent) -> DispatchResult:
        if intent.kind == "recorded":
            return await self._recorded(write, intent.outcome == "executed", intent.result)
        first_sent = await off_loop(self._opened_at, write)
        act = send_once if intent.kind == "new" else look_up
        sent = await act(self._parts, write.call, write.key, first_sent)
        return await self._settle(write, sent)

    def _opened_at(self, write: Write) -> datetime:
        """When the intent was opened: every attempt names the same first sending."""
        effects = self._parts.ledger.effects(write.row.run_id)
        return next(e.opened_at for e in effects if e.effect_key == write.key)

    def _observe(self, write: Write, kind: Literal["written", "failed"], text: str, data: Any) -> None:
        ledger, here = self._parts.ledger, write.request
        turn = ledger.step(here.run_id, here.step).turn
        told = Observation(turn=turn, kind=kind, call=write.call.call, text=text, data=data)
        ledger.observe(here.run_id, turn, told, self._parts.now())

    def _note_read_back(self, write: Write, back: ReadBack) -> None:
        ledger, at, here = self._parts.ledger, self._parts.now(), write.request
        named = {}
        if back.result is not None:
            named["read_back"] = ledger.put(back.result.model_dump_json().encode(), "application/json", at)
        facts = {"step": here.step, "summary": back.summary, "differences": len(back.differences)}
        ledger.note(here.run_id, "written_read_back", facts, named, at)

    async def _settle(self, write: Write, sent: Sent) -> DispatchResult:
        ledger, run_id = self._parts.ledger, write.row.run_id
        executed = None
        if sent.result is not None:
            executed = ExecutedCall(
                effect_key=write.key, digest=write.digest, result=sent.result, replayed=sent.replayed
            )
        await off_loop(ledger.record_effect, write.key, sent.outcome, executed, self._parts.now())
        if sent.outcome == "unknown":
            await off_loop(ledger.set_state, run_id, RunState.OUTCOME_UNKNOWN, sent.detail, self._parts.now())
            return DispatchResult(kind="unknown", summary=sent.detail)
        return await self._recorded(write, sent.outcome == "executed", executed, sent.detail)

    async def _recorded(
        self, write: Write, executed: bool, result: ExecutedCall | None, detail: str = "refused by the service"
    ) -> DispatchResult:
        """The outcome stands in the ledger: tell the brain, and for a write that took effect read it back."""
        if not executed or result is None:
            await off_loop(self._observe, write, "failed", detail, None)
            return DispatchResult(kind="failed", summary=detail)
        back = await read_back(self._parts, write.call, result)
        await off_loop(self._note_read_back, write, back)
        data = back.result.data if back.result is not None else result.result.data
        await off_loop(self._observe, write, "written", back.summary, data)
        if back.differences:
            await off_loop(
                self._parts.ledger.set_state,
                write.row.run_id,
                RunState.OUTCOME_UNKNOWN,
                back.summary,
                self._parts.now(),
            )
            return DispatchResult(kind="differs", summary=back.summary)
        return DispatchResult(kind="executed", summary=back.summary)
