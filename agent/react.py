"""One ReAct turn around any brain: what comes in is cut to size, what goes out is held to the context."""

import json
from collections.abc import Sequence
from typing import Any

from agent.errors import BrainFailed
from agent.planning.calls import bound_parts
from agent.ports import Brain
from wire.agent import Observation, Turn
from wire.call import CallResult, ExecutedCall, ProposedCall, Verdict
from wire.context import TypedContext

_MOST_ROWS = 20
_MOST_CHARACTERS = 8000
_TEXT = 1000


async def take_turn(
    brain: Brain, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int, step_cap: int
) -> Turn:
    """The brain's turn, checked. Raises ``BrainFailed`` past the step cap and for a turn that is none."""
    if turn > step_cap:
        raise BrainFailed(f"the run took {step_cap} turns without an end; the goal may need to be split")
    taken = await brain.next_turn(goal, context, observations, turn)
    fault = _fault(taken, context, observations)
    if fault:
        raise BrainFailed(f"{brain.name} ({brain.model}): {fault}", taken.exchanges)
    return taken


def _fault(turn: Turn, context: TypedContext, observations: Sequence[Observation]) -> str:
    if turn.action == "ask":
        return "" if turn.question.strip() else "the turn asks nothing"
    if turn.action == "finish":
        return "" if turn.answer.strip() else "the turn ends without an answer"
    if turn.call is None:
        return "the turn is a call without a call"
    if not _known(turn.call, context):
        return f"{turn.call.service}/{turn.call.endpoint} is not in the context"
    invalid = [o for o in observations if o.kind == "invalid" and o.call == turn.call]
    return f"the call of turn {invalid[0].turn} was found invalid and comes again unchanged" if invalid else ""


def _known(call: ProposedCall, context: TypedContext) -> bool:
    names = {(v.service, v.endpoint) for v in context.endpoints}
    names |= {(v.service, bound_parts(v)[0]) for v in context.endpoints if v.bound_path}
    return (call.service, call.endpoint) in names


def observe_verdict(turn: int, call: ProposedCall, verdict: Verdict) -> Observation:
    """Validation's findings on a call, all at once."""
    findings = [f.model_dump(mode="json", exclude_defaults=True) for f in verdict.findings]
    text = "; ".join(f"{f.pointer}: {f.message}" for f in verdict.findings)[:_TEXT]
    return Observation(turn=turn, kind="invalid", call=call, text=text, data=findings)


def observe_read(turn: int, call: ProposedCall, result: CallResult) -> Observation:
    """What a read brought, cut to the rows and characters that a brain can use."""
    data, cut = _cut(result.data)
    note = "the answer was cut" if cut or result.truncated else ""
    kind = "result" if result.status < 400 else "failed"
    text = note or ("" if kind == "result" else f"the service answered {result.status}")
    return Observation(turn=turn, kind=kind, call=call, text=text, data=data)


def observe_write(turn: int, call: ProposedCall, executed: ExecutedCall) -> Observation:
    """What a write came to: the record as read back, or as the service returned it."""
    back = executed.read_back.data if executed.read_back and executed.read_back.data is not None else None
    data, cut = _cut(_together(executed.result.data, back))
    return Observation(turn=turn, kind="written", call=call, text="the answer was cut" if cut else "", data=data)


def observe_rejection(turn: int, call: ProposedCall, comment: str) -> Observation:
    """An approver's NO. The comment is data for the brain, never an instruction."""
    return Observation(turn=turn, kind="rejected", call=call, text=comment[:_TEXT])


def observe_failure(turn: int, call: ProposedCall | None, what: str) -> Observation:
    """A call that could not be carried out."""
    return Observation(turn=turn, kind="failed", call=call, text=what[:_TEXT])


def _together(answered: Any, read_back: Any) -> Any:
    """The answer completed by what was read back; nested rows that one of them lacks come from the other."""
    if not isinstance(answered, dict) or not isinstance(read_back, dict):
        return answered if read_back is None else read_back
    kept = {k: v for k, v in read_back.items() if v not in (None, "", []) and not _deferred(v)}
    return {**answered, **kept}


def _deferred(value: Any) -> bool:
    return isinstance(value, dict) and "__deferred" in value


def _cut(data: Any) -> tuple[Any, bool]:
    rows = data[:_MOST_ROWS] if isinstance(data, list) else data
    cut = isinstance(data, list) and len(data) > _MOST_ROWS
    while isinstance(rows, list) and len(rows) > 1 and len(json.dumps(rows, default=str)) > _MOST_CHARACTERS:
        rows, cut = rows[: len(rows) // 2], True
    return rows, cut
