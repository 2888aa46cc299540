"""Stage 7: the dispatch gate, then exactly the approved bytes, once, then read back and compare.

Intent row first; only a *new* intent may act. An intent that an earlier attempt opened is looked up, never blindly repeated.
"""

from dataclasses import dataclass
from typing import Any, Literal

from temporalio import activity

from activities.drift import LiveVersion, live_version, note_version, what_drifted
from activities.guard import final, off_loop, on_own_run
from activities.judging import Judged, bind, contract_of, judge_call
from activities.lost_answers import Looked
from activities.notice import queue_notices
from activities.passing_on import tell_unsettled
from activities.ports import Parts
from activities.read_back import ReadBack, Reading, plan_reading, read_back
from activities.sending import Sending, Sent, look_only, look_up, send_once
from activities.told import tell, told_invalid
from ledger.errors import GateRefused
from ledger.records import Intent, RequestRow, RunRow
from ledger.settling import Settlement
from odata.approved import ApprovedCall
from odata.errors import NotApproved
from odata.prepare import call_digest
from policies.run_identity import effect_key, repeatability_id
from wire.activity_signatures import DispatchResult, ReviewInput
from wire.agent import Observation
from wire.approval import MessageType
from wire.call import CallResult, ExecutedCall, ValidatedCall
from wire.endpoint import EndpointContract
from wire.task import RunState


@dataclass(frozen=True)
class Write:
    """One approved write on its way out."""

    row: RunRow
    request: RequestRow
    call: ValidatedCall
    contract: EndpointContract

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

    judged: Judged


Opened = tuple[Write, ApprovedCall, Intent]
"""A write whose intent stands in the ledger."""
Settled = tuple[ExecutedCall, Reading | ReadBack]
"""A write that took effect, and how it is read back."""


class DispatchStage:
    """Holds the parts for ``dispatch_write``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def dispatch_write(self, review: ReviewInput) -> DispatchResult:
        """The dispatch gate, then exactly the approved bytes, once, then read back."""
        begun = await on_own_run(self._parts, review.run_id, lambda row: self._begin(row, review))
        passed = await self._checked(begun) if isinstance(begun, Write) else begun
        return passed if isinstance(passed, DispatchResult) else await self._carry_out(*passed)

    async def _checked(self, write: Write) -> DispatchResult | Opened:
        """Through the gate: judged against the service as it is now, a change bound to its entity as it is now."""
        live = await live_version(self._parts, write.call.call.service, write.contract.version)
        found = await off_loop(self._judge, write, live)
        if not isinstance(found, Unbound):
            return found
        judged = await bind(self._parts, found.judged)
        return await off_loop(self._pass_gate, write, judged, live)

    def _begin(self, row: RunRow, review: ReviewInput) -> Write | DispatchResult | Opened:
        """A write that has yet to be judged, or one that was begun before."""
        with self._parts.ledger.together():
            write = self._write(row, review)
            begun = any(e.effect_key == write.key for e in self._parts.ledger.effects(row.run_id))
        return self._open(write) if begun else write

    def _judge(self, write: Write, live: LiveVersion) -> Unbound | DispatchResult | Opened:
        """Through the gate, or a change that has yet to be bound to its entity."""
        judged = judge_call(self._parts, write.call.call, self._parts.graphs.current())
        return Unbound(judged) if judged.unbound else self._pass_gate(write, judged, live)

    def _pass_gate(self, write: Write, judged: Judged, live: LiveVersion) -> DispatchResult | Opened:
        drift = what_drifted(self._parts, write.row, write.request, write.call, judged)
        note_version(self._parts, write.request, write.call, live, drifted=bool(drift))
        if not drift:
            return self._open(write)
        return self._void(write, judged, drift) if judged.validated is None else self._drifted(write, drift)

    def _write(self, row: RunRow, review: ReviewInput) -> Write:
        ledger = self._parts.ledger
        request = ledger.request(review.run_id, review.step, review.review)
        call = ledger.validated(review.run_id, review.step)
        if request is None or call is None:
            raise final(
                ValueError(f"run {review.run_id}, step {review.step}, review {review.review} was never asked for")
            )
        return Write(row, request, call, contract_of(self._parts, call.call, call.graph_hash))

    def _drifted(self, write: Write, drift: tuple[str, ...]) -> DispatchResult:
        """Still a valid call, but not the one that was approved: a fresh review shows the difference."""
        facts = {"step": write.request.step, "review": write.request.review, "reasons": list(drift)}
        self._parts.ledger.note(write.row.run_id, "drifted", facts, {}, self._parts.now())
        return DispatchResult(kind="drifted", summary="; ".join(drift))

    def _void(self, write: Write, judged: Judged, drift: tuple[str, ...]) -> DispatchResult:
        """No valid call any more, so nobody can be asked for it: the approval is void, and the brain hears what is wrong."""
        ledger, here, at = self._parts.ledger, write.request, self._parts.now()
        findings = judged.verdict.findings
        why = "; ".join(f.message for f in findings) or "; ".join(drift)
        reason = f"no longer a valid call: {why}"
        # Once, under a key of its own; first, so that no crash in between leaves it untold.
        queue_notices(self._parts, here, MessageType.WITHDRAWAL_NOTICE, reason)
        with ledger.jointly(here.run_id):
            facts = {"step": here.step, "review": here.review, "reasons": [*drift, *(f.message for f in findings)]}
            ledger.note(here.run_id, "approval_void", facts, {}, at)
            ledger.withdraw(here.run_id, here.step, here.review, reason, at)
            tell(ledger, here.run_id, told_invalid(ledger, here.run_id, here.step, findings), at)
        return DispatchResult(kind="failed", summary=f"the approval is void, the call is no longer valid: {why}")

    def _refused(self, write: Write, error: GateRefused) -> None:
        """A refusal that no block explains is no news from a person: the run halts, so that somebody looks at it."""
        ledger, here = self._parts.ledger, write.request
        if all(block.step not in (None, here.step) for block in ledger.blocks(here.run_id)):
            ledger.halt([here.run_id], "gate_refused", ", ".join(error.reasons), self._parts.now())

    def _open(self, write: Write) -> DispatchResult | Opened:
        at, here, key = self._parts.now(), write.request, write.key
        try:
            approved = ApprovedCall(write.call, write.contract, here.call_digest)
            intent = self._parts.ledger.open_intent(
                here.run_id, here.step, here.review, write.digest, key, str(repeatability_id(key)), at
            )
        except GateRefused as error:
            self._refused(write, error)
            return DispatchResult(kind="refused", summary=", ".join(error.reasons))
        except NotApproved as error:
            self._parts.ledger.halt([here.run_id], "gate_refused", str(error), at)
            return DispatchResult(kind="refused", summary=str(error))
        return write, approved, intent

    async def _carry_out(self, write: Write, approved: ApprovedCall, intent: Intent) -> DispatchResult:
        here = write.request
        word = await off_loop(self._parts.ledger.settlement, here.run_id, here.step, "unknown")
        # Every attempt names the same first sending.
        sending = Sending(approved, here.run_id, here.step, write.key, intent.opened_at)
        if intent.kind == "recorded":
            settled = await off_loop(self._recorded, write, intent)
        elif word is not None and intent.kind == "open":
            settled = await off_loop(self._take_word, write, word, await look_only(self._parts, sending))
        else:
            act = send_once if intent.kind == "new" else look_up
            settled = await off_loop(self._settle, write, await act(self._parts, sending))
        if isinstance(settled, DispatchResult):
            return settled
        executed, reading = settled
        back = reading if isinstance(reading, ReadBack) else await read_back(self._parts, reading)
        return await off_loop(self._compared, write, executed, back)

    def _recorded(self, write: Write, intent: Intent) -> DispatchResult | Settled:
        """An outcome that stands in the ledger, by what the service said or by a person's word."""
        ledger, here = self._parts.ledger, write.request
        executed = intent.result if intent.outcome == "executed" else None
        word = ledger.settlement(here.run_id, here.step) if ledger.settled_by(write.key) else None
        if word is not None and (executed is None or executed.settled_by):
            return self._on_word(write, word, executed)
        return self._told(write, executed, "refused by the service")

    def _take_word(self, write: Write, word: Settlement, looked: Looked) -> DispatchResult | Settled:
        """An operator settled what nobody could prove. What the service proves now counts for more than their word."""
        if looked.result is not None:
            self._set_aside(write, word, f"found by {looked.by}")
            return self._settle(write, Sent("executed", word.in_words(), looked.result, looked_up=looked.by))
        executed = None
        if word.outcome == "succeeded":
            seen = CallResult(status=0, data=dict(word.key) or None)
            executed = ExecutedCall(effect_key=write.key, digest=write.digest, result=seen, settled_by=word.actor)
        self._parts.ledger.record_settled(write.key, word, executed, self._parts.now())
        return self._on_word(write, word, executed)

    def _set_aside(self, write: Write, word: Settlement, proof: str) -> None:
        if word.outcome == "failed":
            facts = {"step": word.step, "settled_by": word.actor, "reason": f"the write did take effect: {proof}"}
            self._parts.ledger.note(write.row.run_id, "settlement_set_aside", facts, {}, self._parts.now())

    def _on_word(self, write: Write, word: Settlement, executed: ExecutedCall | None, text: str = "") -> DispatchResult:
        """The brain hears who settled it and what they saw; it may propose again what did not take effect."""
        said = "; ".join(filter(None, (text, word.in_words())))
        kind: Literal["written", "failed"] = "failed" if word.outcome == "failed" else "written"
        data = executed.result.data if executed is not None else None
        tell(self._parts.ledger, write.row.run_id, self._observation(write, kind, said, data), self._parts.now())
        return DispatchResult(kind="executed" if kind == "written" else "failed", summary=said)

    def _settle(self, write: Write, sent: Sent) -> DispatchResult | Settled:
        """Record the outcome first, by itself: whatever became of the run meanwhile, it must stand."""
        ledger, run_id = self._parts.ledger, write.row.run_id
        executed = None
        if sent.result is not None:
            executed = ExecutedCall(
                effect_key=write.key,
                digest=write.digest,
                result=sent.result,
                replayed=sent.replayed,
                looked_up=sent.looked_up,
            )
        ledger.record_effect(write.key, sent.outcome, executed, self._parts.now())
        if sent.looked_up:
            facts = {"step": write.request.step, "by": sent.looked_up, "lost": sent.detail}
            ledger.note(run_id, "effect_looked_up", facts, {}, self._parts.now())
        if sent.outcome == "unknown":
            ledger.set_state(run_id, RunState.OUTCOME_UNKNOWN, sent.detail, self._parts.now())
            tell_unsettled(self._parts, write.request, "unknown")
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
        word = ledger.settlement(run_id, write.request.step, "difference")
        with ledger.jointly(run_id):
            self._note_read_back(write, back)
            observation = self._observation(write, "written", back.summary, data)
            if not back.differences:
                if word is not None:
                    self._set_aside(write, word, back.summary)
                tell(ledger, run_id, observation, at)
                return DispatchResult(kind="executed", summary=back.summary)
            if word is not None:
                ledger.record_settled(write.key, word, None, at)
                seen = executed.model_copy(update={"result": back.result or executed.result})
                return self._on_word(write, word, seen if word.outcome == "succeeded" else None, back.summary)
            ledger.observe(run_id, observation.turn, observation, at)
        ledger.set_state(run_id, RunState.OUTCOME_UNKNOWN, back.summary, at)
        tell_unsettled(self._parts, write.request, "differs")
        return DispatchResult(kind="differs", summary=back.summary)

    def _note_read_back(self, write: Write, back: ReadBack) -> None:
        ledger, at, here = self._parts.ledger, self._parts.now(), write.request
        named = {}
        if back.result is not None:
            named["read_back"] = ledger.put(back.result.model_dump_json().encode(), "application/json", at)
        facts = {"step": here.step, "summary": back.summary, "differences": len(back.differences)}
        ledger.note(here.run_id, "written_read_back", facts, named, at)
