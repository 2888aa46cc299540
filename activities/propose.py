"""Stage 2: one ReAct turn. The answer is in the ledger before it has any consequence, so no retry asks a model twice."""

from datetime import timedelta

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.contexts import Contexts
from activities.guard import final, off_loop, on_own_run
from activities.ports import Parts
from activities.told import reasoning
from agent.errors import AgentError, BrainFailed
from ledger.records import RunRow
from wire.activity_signatures import Proposed, ProposeInput
from wire.agent import Observation, Turn
from wire.context import TypedContext
from wire.task import RunState


class ProposeStage:
    """Holds the parts for ``propose_call``."""

    def __init__(self, parts: Parts, contexts: Contexts) -> None:
        self._parts = parts
        self._contexts = contexts

    @activity.defn
    async def propose_call(self, request: ProposeInput) -> Proposed:
        """One ReAct turn of the brain; the answer and the exchange are in the ledger before this returns."""
        found = await on_own_run(self._parts, request.run_id, lambda row: self._prepare(row, request))
        if isinstance(found, Proposed):
            return found
        context, observations = found
        turn = await self._ask(request, context, observations)
        return await off_loop(self._record, request, turn, observations)

    def _prepare(self, row: RunRow, request: ProposeInput) -> Proposed | tuple[TypedContext, tuple[Observation, ...]]:
        """What to ask the brain with, or the proposal when there is nothing to ask."""
        ledger, run_id = self._parts.ledger, request.run_id
        with ledger.together():
            observations = ledger.observations(run_id)
            turn = ledger.turn(run_id, request.turn)
            body = ledger.get(request.context_digest) if turn is None else b""
        if turn is None and self._ends_with_rejection(observations):
            turn = Turn(action="finish", thought="Policy ends a run with a rejection.", answer=observations[-1].text)
        if turn is not None:
            return self._record(request, turn, observations)
        if (row.state, row.detail) != (RunState.REASONING, reasoning(request.turn)):
            ledger.set_state(run_id, RunState.REASONING, reasoning(request.turn), self._parts.now())
        return self._contexts.read(request.context_digest, body), observations

    def _record(self, request: ProposeInput, turn: Turn, observations: tuple[Observation, ...]) -> Proposed:
        ledger, run_id = self._parts.ledger, request.run_id
        with ledger.jointly(run_id):
            step = ledger.next_step(run_id, request.turn, turn, request.context_digest, self._parts.now())
            # The first record of a turn wins over a racing attempt's.
            turn = ledger.turn(run_id, request.turn) or turn
        return _proposed(turn, step, observations, f"{self._parts.brain.name}:{self._parts.brain.model}")

    def _ends_with_rejection(self, observations: tuple[Observation, ...]) -> bool:
        """Whether the last write was rejected under a policy that allows no other try."""
        last = observations[-1] if observations else None
        return last is not None and last.kind == "rejected" and not self._parts.policy().continue_after_reject

    async def _ask(self, request: ProposeInput, context: TypedContext, observations: tuple[Observation, ...]) -> Turn:
        try:
            return await self._parts.brain.next_turn(request.goal, context, observations, request.turn)
        except BrainFailed as error:
            await off_loop(self._record_failure, request, error)
            if not error.retryable:
                raise final(error) from error
            delay = timedelta(seconds=error.retry_after) if error.retry_after else None
            raise ApplicationError(str(error), type="BrainUnavailable", next_retry_delay=delay) from error
        except AgentError as error:
            raise final(error) from error

    def _record_failure(self, request: ProposeInput, error: BrainFailed) -> None:
        at = self._parts.now()
        facts = {"turn": request.turn, "error": str(error), "brain": self._parts.brain.name}
        with self._parts.ledger.jointly(request.run_id):
            named = {
                f"exchange_{index}": self._parts.ledger.put(x.model_dump_json().encode(), "application/json", at)
                for index, x in enumerate(error.exchanges)
            }
            self._parts.ledger.note(request.run_id, "brain_failed", facts, named, at)


def _proposed(turn: Turn, step: int, observations: tuple[Observation, ...], brain: str) -> Proposed:
    call = turn.call
    if turn.action == "call" and call is not None:
        target = "/".join((call.service, call.endpoint, *(call.path or ())))
        summary = f"{call.method} {target}"
    else:
        summary = turn.question if turn.action == "ask" else turn.answer
    idle = turn.action == "finish" and not any(o.kind in ("result", "written", "rejected") for o in observations)
    if idle:
        # A brain that stops before anything was read or written has not carried out the task, whatever it says.
        summary = f"the agent finished without having done anything: {summary}"
    last = next((o for o in reversed(observations) if o.kind in ("written", "rejected", "failed")), None)
    return Proposed(
        step=step,
        action=turn.action,
        proposal_digest="",
        summary=summary[:900],
        brain=brain,
        after_reject=last is not None and last.kind == "rejected",
        failed=idle or (last is not None and last.kind == "failed"),
    )
