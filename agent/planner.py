"""The planner: a deterministic brain that works from the typed context alone.

A pure function of goal, context and observations: the goal is read into facts and intents, intents choose endpoints, facts
and earlier answers fill their fields. It never writes a value that neither the goal, an answer, a code list nor a default
of the contract holds; what is missing is asked.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Literal

from agent.planning import wording
from agent.planning.calls import build
from agent.planning.draft import Problem
from agent.planning.filling import Filled, fill
from agent.planning.history import Done
from agent.planning.plan import Plan, make_plan
from agent.planning.reading import Reading
from agent.planning.repair import findings_of, repaired
from agent.planning.route import Progress, progress
from agent.planning.selection import Step
from wire.agent import ModelExchange, Observation, Turn
from wire.call import ProposedCall
from wire.context import TypedContext
from wire.endpoint import Verb

PLANNER_VERSION = "planner-1"


class Planner:
    """The default brain when no model is configured."""

    name: Literal["planner", "endpoint", "faulty"] = "planner"
    model = PLANNER_VERSION
    prompt_version = PLANNER_VERSION

    async def next_turn(self, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int) -> Turn:
        """The next step of the plan, a question, or the closing answer."""
        decided = decide(goal, context, observations)
        return decided.model_copy(update={"exchanges": (_exchange(goal, context, observations, turn, decided),)})


def decide(goal: str, context: TypedContext, observations: Sequence[Observation]) -> Turn:
    """One turn, without its record."""
    plan = make_plan(goal, context)
    if not plan.steps:
        near = ", ".join(dict.fromkeys(wording.title(v) for v in context.endpoints[:5]))
        hint = f" The nearest endpoints are: {near}." if near else ""
        question = f"No endpoint of the known services fits this goal: “{goal}”.{hint} What should be read or written?"
        return Turn(
            action="ask", thought="No intent of the goal matches an endpoint of the context.", question=question
        )
    state = progress(plan.steps, observations)
    if state.tries and state.tries[-1].kind in ("rejected", "failed"):
        return _stopped(state.tries[-1], state.done, goal)
    empty = _empty_lookup(plan, state)
    if empty:
        return empty
    if state.step is None:
        return Turn(action="finish", thought="Every step of the plan is done.", answer=wording.answer(state.done, goal))
    if state.step.if_absent and state.done and state.done[-1].view.verb is Verb.READ and state.done[-1].records:
        text = f"Nothing was written: what the goal wanted checked first exists already. {wording.answer(state.done, goal)}"
        return Turn(action="finish", thought="The condition of the next step does not hold.", answer=text)
    return _next_call(plan, context, state)


def _next_call(plan: Plan, context: TypedContext, state: Progress) -> Turn:
    step = state.step
    assert step is not None
    part = plan.reading.goal[step.start : step.end]
    filled = fill(context, step, state.done, plan.reading, _resolved(plan, state))
    invalid = [o for o in state.tries if o.kind == "invalid"]
    question = None if invalid else _open_question(plan, filled, part) or _question_ahead(plan, context, state)
    if question:
        return question
    call = build(filled)
    if invalid:
        mended = _mend(invalid, filled)
        if mended is None:
            findings = findings_of(invalid[-1])
            text = wording.ask_findings(findings, invalid[-1].text)
            return Turn(action="ask", thought="Validation found what only a person can decide.", question=text)
        call = mended
    number = len(state.done) + 1
    thought = f"Step {number} of {len(plan.steps)}: {step.view.verb.value} {step.view.service}/{step.view.endpoint}."
    return Turn(action="call", thought=thought, reason=wording.reason(filled, part), call=call)


def _question_ahead(plan: Plan, context: TypedContext, state: Progress) -> Turn | None:
    """What the goal itself makes impossible in a later step is asked before the first write, not after half of them."""
    if any(d.view.verb is not Verb.READ for d in state.done):
        return None
    if plan.unmatched:
        parts = "; ".join(f"“{wording.quoted(i.text)}”" for i in plan.unmatched)
        text = f"I know no endpoint for this part of the goal: {parts}. Shall I do the rest without it?"
        return Turn(action="ask", thought="A part of the goal fits no endpoint.", question=text)
    for step in plan.steps[len(state.done) + 1 :]:
        filled = fill(context, step, state.done, plan.reading, {})
        filled.missing = []
        question = _open_question(plan, filled, plan.reading.goal[step.start : step.end])
        if question:
            return question
    return None


def _open_question(plan: Plan, filled: Filled, part: str) -> Turn | None:
    problems = filled.draft.problems
    if problems:
        return Turn(
            action="ask", thought="A stated value cannot be used.", question=wording.ask_problems(filled.view, problems)
        )
    if filled.missing:
        text = wording.ask_missing(filled.view, filled.missing, part)
        return Turn(action="ask", thought="Required values are missing.", question=text)
    nothing = filled.view.verb is Verb.UPDATE and set(filled.draft.root.values) <= set(filled.view.keys)
    if nothing:
        text = f"What should be changed in {wording.title(filled.view)}? Your words were: “{wording.quoted(part)}”."
        return Turn(action="ask", thought="No value to change.", question=text)
    return None


def _mend(invalid: Sequence[Observation], filled: Filled) -> ProposedCall | None:
    """The last invalid call, repaired; None when that would repeat a call that was found invalid."""
    last = invalid[-1]
    if last.call is None:
        return None
    stated = [v.value for r in filled.draft.rows for v in r.values.values() if v.source in ("goal", "code text")]
    mended = repaired(last.call, findings_of(last), stated)
    return None if mended is None or any(o.call == mended for o in invalid) else mended


def _stopped(last: Observation, done: Sequence[Done], goal: str) -> Turn:
    so_far = wording.answer(done, goal) if done else "Nothing else was done."
    if last.kind == "rejected":
        before = f" Before that: {so_far.removeprefix('Done. ')}" if done else ""
        text = f"The call was rejected by the approver, so I stop here; I cannot act on comments.{before}"
        return Turn(action="finish", thought="A rejection ends the plan.", answer=text)
    text = f"The call failed: {last.text or 'no details'}. {so_far} How shall I go on?"
    return Turn(action="ask", thought="A failed call is not tried again unasked.", question=text)


def _resolved(plan: Plan, state: Progress) -> dict[tuple[tuple[str, ...], str], Any]:
    """Keys that finished lookups brought for the step at hand."""
    found: dict[tuple[tuple[str, ...], str], Any] = {}
    for index, step_done in enumerate(state.done):
        lookup = plan.lookups.get(index)
        if lookup and len(step_done.records) == 1:
            found[(lookup.slot.path, lookup.slot.name)] = step_done.records[0].get(lookup.key)
    return {k: v for k, v in found.items() if v not in (None, "")}


def _empty_lookup(plan: Plan, state: Progress) -> Turn | None:
    """A lookup that found nothing or several is a question, never a guess."""
    for index, step_done in enumerate(state.done):
        lookup = plan.lookups.get(index)
        if lookup is None or len(step_done.records) == 1:
            continue
        found = "; ".join(str(r.get(lookup.key)) for r in step_done.records[:10])
        told = f"{len(step_done.records)} of that name: {found}" if found else "none of that name"
        where, wanted = wording.title(lookup.view), wording.field_name(lookup.slot)
        text = f"{where}: I looked for “{lookup.value}” and found {told}. Which {wanted} is meant?"
        return Turn(action="ask", thought="The name does not lead to one key.", question=text)
    return None


def _exchange(
    goal: str, context: TypedContext, observations: Sequence[Observation], turn: int, decided: Turn
) -> ModelExchange:
    """The planner's record: the digest of what it was given, and its decision in one line."""
    given = {
        "goal": goal,
        "context": context.model_dump(mode="json"),
        "observations": [o.model_dump(mode="json") for o in observations],
    }
    digest = hashlib.sha256(json.dumps(given, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    response = decided.model_dump_json(exclude={"exchanges"}, exclude_defaults=True)
    return ModelExchange(
        brain="planner", model=PLANNER_VERSION, prompt_version=PLANNER_VERSION, stage=f"plan turn {turn}",
        request=f"sha256:{digest}", response=response,
    )  # fmt: skip


__all__ = ["PLANNER_VERSION", "Planner", "Problem", "Reading", "Step", "decide"]
