"""Rows: one step that names several entities (``close lines 10 and 20``) becomes one step for each."""

from collections.abc import Sequence
from dataclasses import replace

from agent.planning import phrases
from agent.planning.facts import Fact, FactKind
from agent.planning.filling import step_slots
from agent.planning.matching import fits
from agent.planning.reading import Reading, window
from agent.planning.selection import Step
from agent.planning.slots import ACCEPTED, Slot
from wire.context import TypedContext
from wire.endpoint import Verb


def split_rows(
    context: TypedContext, steps: Sequence[Step], reading: Reading, topic: tuple[int, int] | None
) -> list[Step]:
    """Steps with their topic; updates, deletes and operations that name several values of one key, once for each value."""
    found: list[Step] = []
    for index, step in enumerate(steps):
        whole = replace(step, topic=topic or _goods_before(steps[index - 1] if index else None, step, reading))
        found += (
            _rows(context, whole, reading) if step.view.verb in (Verb.UPDATE, Verb.DELETE, Verb.ACTION) else [whole]
        )
    return found


def _goods_before(previous: Step | None, step: Step, reading: Reading) -> tuple[int, int] | None:
    """The text of a read before a create that names goods which the create's own text does not repeat."""
    if previous is None or previous.view.verb is not Verb.READ or step.view.verb is not Verb.CREATE:
        return None
    if any(f.kind is FactKind.QUANTITY for f in window(reading, (step.start, step.end)).facts):
        return None
    goods = [f for f in window(reading, (previous.start, previous.end)).facts if f.kind is FactKind.QUANTITY]
    return (previous.start, previous.end) if goods else None


def _rows(context: TypedContext, step: Step, reading: Reading) -> list[Step]:
    keys = [s for s in step_slots(context, step.view) if s.name in step.view.keys or s.field.required]
    own = window(reading, (step.start, step.end))
    for slot in keys:
        facts = _values(slot, [k for k in keys if k is not slot], own)
        if len({f.value for f in facts}) > 1:
            starts = [f.start for f in facts]
            parts = list(zip(starts, [*starts[1:], step.end], strict=True))
            return [replace(step, without=tuple(p for p in parts if p != part)) for part in parts]
    return [step]


def _values(slot: Slot, others: Sequence[Slot], own: Reading) -> list[Fact]:
    """Facts that the text labels as this key, those joined to one of them by "and" included."""
    found: list[Fact] = []
    for index, fact in enumerate(own.facts):
        phrase = phrases.before(own.goal, own.tokens, own.facts, index)
        score = slot.score(phrase) if phrase else 0.0
        better = any(o.score(phrase) > score for o in others) if phrase else False
        after_one = bool(found) and not phrase and own.facts[index - 1] is found[-1]
        joined = after_one and phrases.joined(own.goal, own.facts, index)
        if fits(slot, fact) and ((score >= ACCEPTED and not better) or joined):
            found.append(fact)
    return found
