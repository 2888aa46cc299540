"""One write from its first request to its effect: request, wait, decide, dispatch; late or drifted means a fresh review."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from temporalio import workflow

from policies.next_move import Move, next_move, wake_at
from policies.review import tail_end
from wire import activity_signatures as stage
from wire.activity_signatures import DecisionAnswer, DecisionQuery, DispatchResult, NoticeInput, ReviewInput, Validated
from wire.approval import MessageType, RequestStatus, SentRequest
from wire.task import RunState
from workflows.approval_wait import ApprovalWait
from workflows.stages import DISPATCH, LEDGER, SEND
from workflows.surface import Surface

GOES_ON = "undeliverable-goes-on"
"""Patch: runs of before it parked for an operator whenever mail did not arrive."""

HALTS_IN_TAIL = "halts-in-tail"
"""Patch: a run of before it that halted in the tail after its deadline expired all the same."""

LAST_STANDS = "last-review-stands"
"""Patch: a run of before it expired at once when the answer to its last review had come before the review's window."""

TOO_EARLY = (
    "your answer bears a time before this request was sent, so that it could not be counted: please answer again"
)

Cause = Literal["first", "late", "overdue", "drifted", "undeliverable", "released", "operator"]


@dataclass(frozen=True)
class WriteEnd:
    """How a write ended: the run goes on (executed, rejected, failed), or ends in ``state``."""

    kind: Literal["executed", "rejected", "failed", "ends", "composed"]
    summary: str
    state: RunState | None = None


class WriteStage:
    """Carries one validated write through its reviews."""

    def __init__(self, run_id: str, wait: ApprovalWait, surface: Surface, *, dry_run: bool) -> None:
        self._run_id = run_id
        self._wait = wait
        self._surface = surface
        self._dry_run = dry_run

    async def countersign(self, call: Validated) -> WriteEnd:
        """Ask, wait and dispatch until the write took effect or cannot."""
        cause: Cause = "first"
        review, unsent = 0, 0
        while True:
            request = self._review(call, review, cause)
            self._surface.show(
                RunState.REQUESTING, f"step {call.step}: asking for approval of {call.label}", step=call.step
            )
            sent = await workflow.execute_activity(stage.send_request, request, summary=call.label, **SEND)
            if self._dry_run:
                return WriteEnd("composed", f"{call.label}: request composed, nothing sent ({sent.detail})")
            if sent.status is RequestStatus.WITHDRAWN:
                review, unsent = review + 1, unsent + 1
                continue
            last = review - unsent + 1 >= sent.max_reviews
            undeliverable = sent.status is RequestStatus.UNDELIVERABLE
            move = Move.UNDELIVERABLE if undeliverable else await self._settle(sent, last=last)
            if move is Move.OVERDUE and (sent.on_deadline == "expire" or last):
                tail = await self._expire(sent, review - unsent)
                if isinstance(tail, WriteEnd):
                    return tail
                move = tail
            drifted = False
            if move is Move.PROCEED:
                result = await self._dispatch(call, request)
                written = await self._written(result, call, request)
                if written is not None:
                    return written
                drifted = result.kind == "drifted"
                move = Move.FRESH_LATE if drifted else await self._refused(result, sent)
            end = await self._after(move, call, sent, review - unsent)
            if end is not None:
                return end
            # What did not arrive uses up nobody's reviews; it ends of itself, since no address is tried twice.
            unsent += move is Move.UNDELIVERABLE and workflow.patched(GOES_ON)
            if not sent.parked or cause == "first":
                # Where nobody could be asked, what was to be asked for stays the reason.
                cause = "drifted" if drifted else _CAUSES[move]
            review += 1

    def _review(self, call: Validated, review: int, cause: Cause) -> ReviewInput:
        return ReviewInput(
            run_id=self._run_id,
            step=call.step,
            review=review,
            call_digest=call.call_digest,
            cause=cause,
            dry_run=self._dry_run,
        )

    async def _settle(self, sent: SentRequest, *, last: bool) -> Move:
        """Wait until the ledger's word lets the run move. ``last``: no review is left to ask anew."""
        reminded = False
        who = ", ".join(sent.approver_tokens)
        until = f"{sent.deadline:%Y-%m-%d %H:%M:%S} UTC" if sent.deadline else "no deadline"
        self._surface.show(RunState.AWAITING_APPROVAL, f"waiting for {who} until {until}: {sent.title}", sent=sent)
        while True:
            signalled = await self._wait.until(wake_at(sent, reminded, workflow.now()), f"deadline of step {sent.step}")
            now = workflow.now()
            if not signalled and sent.reminder_at and not reminded and sent.deadline and now < sent.deadline:
                reminded = True
                await self._notice(sent, MessageType.APPROVAL_REMINDER, "three quarters of the window have passed")
                continue
            move = await self._ask_ledger(sent, settle=sent.deadline is not None and now >= sent.deadline)
            early = move is Move.FRESH_LATE and last and sent.deadline is not None and now < sent.deadline
            if early and workflow.patched(LAST_STANDS):
                # What is late before the deadline came before the window; nobody is asked anew, so this review stays open.
                if not reminded:
                    await self._notice(sent, MessageType.APPROVAL_REMINDER, TOO_EARLY)
                reminded = True
            elif move is not Move.WAIT:
                return move

    async def _ask_ledger(self, sent: SentRequest, *, settle: bool) -> Move:
        return next_move(sent, await self._read(sent, settle=settle), workflow.now())

    async def _read(self, review: SentRequest | ReviewInput, *, settle: bool = False) -> DecisionAnswer:
        """What the ledger holds for a review, and of what was signalled last."""
        query = DecisionQuery(
            run_id=review.run_id,
            step=review.step,
            review=review.review,
            evidence_id=self._wait.take(),
            settle_deadline=settle,
        )
        summary = f"step {review.step} review {review.review}"
        return await workflow.execute_activity(stage.read_decision, query, summary=summary, **LEDGER)

    async def _dispatch(self, call: Validated, request: ReviewInput) -> DispatchResult:
        """The write. Once begun it is waited for: a cancellation takes effect after its outcome is recorded."""
        self._surface.show(RunState.DISPATCHING, f"step {call.step}: approved, sending {call.label}")
        handle = workflow.start_activity(stage.dispatch_write, request, summary=call.label, **DISPATCH)
        try:
            return await asyncio.shield(handle)
        except asyncio.CancelledError:
            await handle
            raise

    async def _written(self, result: DispatchResult, call: Validated, request: ReviewInput) -> WriteEnd | None:
        """How a write that passed the gate ended; None when it did not pass.

        Parked while its outcome is unknown or differs: word from the ledger has it looked up again, which sends nothing new.
        """
        while result.kind in ("unknown", "differs"):
            self._surface.show(RunState.OUTCOME_UNKNOWN, f"parked for the operator: {result.summary}")
            await self._wait.until(None, "outcome of the write")
            state = (await self._read(request)).run_state
            if state is RunState.CANCELLED:
                return WriteEnd("ends", "cancelled on request", RunState.CANCELLED)
            if state is not RunState.HALTED:
                result = await self._dispatch(call, request)
        if result.kind == "executed":
            return WriteEnd("executed", result.summary)
        return WriteEnd("failed", result.summary) if result.kind == "failed" else None

    async def _refused(self, result: DispatchResult, sent: SentRequest) -> Move:
        """The gate refused: the ledger says why, and often it is a NO that came last."""
        self._surface.show(RunState.HALTED, f"dispatch refused: {result.summary}")
        move = await self._ask_ledger(sent, settle=False)
        return move if move in (Move.REJECT, Move.CANCEL, Move.ASK_AGAIN) else Move.HALT

    async def _after(self, move: Move, call: Validated, sent: SentRequest, review: int) -> WriteEnd | None:
        """The end that ``move`` brings, or None when a fresh review follows."""
        if move is Move.REJECT:
            return WriteEnd("rejected", f"{call.label} was rejected")
        if move is Move.CANCEL:
            return WriteEnd("ends", "cancelled on request", RunState.CANCELLED)
        if move is Move.UNDELIVERABLE and not sent.parked and workflow.patched(GOES_ON):
            # Policy says who is asked next, or that nobody is: then the next request comes back as parked.
            self._surface.show(RunState.UNDELIVERABLE, f"mail did not arrive: {sent.detail or 'it came back'}")
            return None
        if move in (Move.HALT, Move.UNDELIVERABLE):
            return await self._park(move, sent)
        if review + 1 >= sent.max_reviews and move is Move.FRESH_LATE:
            return WriteEnd("ends", f"no approval in {sent.max_reviews} reviews", RunState.EXPIRED)
        return None

    async def _park(self, move: Move, sent: SentRequest) -> WriteEnd | None:
        """Parked until an operator acts or policy changes: cancelled ends the run, released or mended asks afresh."""
        state = RunState.UNDELIVERABLE if move is Move.UNDELIVERABLE else RunState.HALTED
        self._surface.show(state, f"parked for the operator: {sent.detail or move.value}")
        while True:
            await self._wait.until(None, "parked for the operator")
            answer = await self._read(sent)
            now = answer.run_state
            if now is RunState.CANCELLED:
                return WriteEnd("ends", "cancelled on request", RunState.CANCELLED)
            said_no = next_move(sent, answer, workflow.now()) is Move.REJECT
            if said_no and move is Move.UNDELIVERABLE and workflow.patched(GOES_ON):
                return WriteEnd("rejected", "rejected while nobody could be asked")
            if now not in (RunState.HALTED, RunState.UNDELIVERABLE):
                return None

    async def _expire(self, sent: SentRequest, review: int) -> WriteEnd | Move:
        """Overdue with no review left: through the tail an answer that came in time still counts, and a late one opens a fresh
        review; then the run expires.
        """
        end = tail_end(sent.deadline or workflow.now(), sent.tail_seconds)
        self._surface.show(RunState.OVERDUE, f"nobody answered step {sent.step} in time")
        await self._notice(sent, MessageType.WITHDRAWAL_NOTICE, "nobody answered in time")
        while await self._wait.until(end, "tail after the deadline"):
            move = await self._ask_ledger(sent, settle=False)
            if move is Move.CANCEL:
                return WriteEnd("ends", "cancelled on request", RunState.CANCELLED)
            if move is Move.REJECT:
                return WriteEnd("rejected", "rejected after the deadline")
            if move in (Move.ASK_AGAIN, Move.PROCEED) or (move is Move.HALT and workflow.patched(HALTS_IN_TAIL)):
                return move
            if move is Move.FRESH_LATE and review + 1 < sent.max_reviews:
                return move
        return WriteEnd("ends", f"nobody answered step {sent.step} by its deadline", RunState.EXPIRED)

    async def _notice(self, sent: SentRequest, kind: MessageType, reason: str) -> None:
        notice = NoticeInput(
            run_id=sent.run_id, step=sent.step, review=sent.review, message_type=kind.value, reason=reason
        )
        await workflow.execute_activity(stage.send_notice, notice, summary=kind.value, **SEND)


_CAUSES: dict[Move, Cause] = {
    Move.FRESH_LATE: "late",
    Move.OVERDUE: "overdue",
    Move.UNDELIVERABLE: "undeliverable",
    Move.HALT: "released",
    Move.ASK_AGAIN: "operator",
}
