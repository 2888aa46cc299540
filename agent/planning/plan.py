"""The plan: facts, intents and steps of a goal, with the lookups that a step needs before it."""

from dataclasses import dataclass, field, replace

from agent.planning import phrases
from agent.planning.facts import find_facts
from agent.planning.filling import fill, missing, owner_of
from agent.planning.intents import Intent, Intents, read_intents
from agent.planning.lookup import Lookup, find_lookup
from agent.planning.reading import Reading, window
from agent.planning.rows import split_rows
from agent.planning.selection import Step, select
from agent.planning.slots import Slot
from agent.planning.support import support_of
from agent.planning.text import fold, label_words, name_words, tokenize
from wire.context import FieldView, NestedView, TypedContext
from wire.endpoint import Verb


@dataclass(frozen=True)
class Plan:
    """Steps in order. ``lookups``: index of a step that resolves a name -> what it resolves."""

    reading: Reading
    steps: tuple[Step, ...]
    lookups: dict[int, Lookup] = field(default_factory=dict)
    unmatched: tuple[Intent, ...] = ()


def make_plan(goal: str, context: TypedContext) -> Plan:
    """The plan of a goal; the same input gives the same plan at every turn."""
    facts = find_facts(goal, _vocabulary(context))
    reading = Reading(goal, tokenize(goal), facts)
    if context.out_of_scope:
        return Plan(reading, ())
    steps: list[Step] = []
    lookups: dict[int, Lookup] = {}
    intents = read_intents(goal, facts)
    support = support_of(context, reading, intents.topic)
    selection = select(context, _with_labels(intents, reading), support)
    for step in split_rows(context, selection.steps, reading, intents.topic):
        for lookup in _lookups(context, step, reading, [*steps]):
            lookups[len(steps)] = lookup
            name = lookup.name_field.name
            steps.append(Step(lookup.view, step.start, step.end, 1.0, (name, lookup.value), step.topic))
        steps.append(step)
    return Plan(reading, tuple(steps), lookups, selection.unmatched)


def _with_labels(intents: Intents, reading: Reading) -> list[Intent]:
    about = tuple(w for t in window(reading, intents.topic).tokens for w in t.words) if intents.topic else ()
    found = []
    for part in intents.parts:
        own = window(reading, (part.start, part.end))
        words = {w for i in range(len(own.facts)) for w in phrases.before(own.goal, own.tokens, own.facts, i)}
        found.append(replace(part, labels=frozenset(words), about=about))
    return found


def _lookups(context: TypedContext, step: Step, reading: Reading, before: list[Step]) -> list[Lookup]:
    """Lookups for required slots that the text fills with a name instead of a key."""
    if step.view.verb is Verb.READ:
        return []
    filled = fill(context, step, (), reading, {}, own_text_only=True)
    found: list[Lookup] = []
    for slot in missing(step.view, filled.draft, filled.slots):
        if _fed(context, slot, step, before):
            continue
        taken = [lookup.value for lookup in found]
        lookup = find_lookup(context, step, slot, window(reading, *step.spans), taken)
        planned = lookup and any(s.view == lookup.view for s in before)
        if lookup and not planned:
            found.append(lookup)
    return found


def _fed(context: TypedContext, slot: Slot, step: Step, before: list[Step]) -> bool:
    """Whether an earlier step of the plan will bring the value by a carry-over."""
    return any(
        (c.to_service, c.to_property) == (step.view.service, slot.name)
        and c.to_endpoint == owner_of(step.view, slot.path)
        and any((s.view.service, s.view.endpoint) == (c.from_service, c.from_endpoint) for s in before)
        for c in context.carries
    )


def _vocabulary(context: TypedContext) -> frozenset[str]:
    """Words that labels and names of the context use: they are business terms, not proper names."""
    words: set[str] = set()
    for view in context.endpoints:
        words |= {fold(w) for w in view.label.split()} | set(label_words(view.label)) | set(name_words(view.endpoint))
        words |= _field_words(view.fields)
        for nested in view.nested:
            words |= _nested_words(nested)
    return frozenset(words)


def _field_words(fields: tuple[FieldView, ...]) -> set[str]:
    words: set[str] = set()
    for one in fields:
        words |= {fold(w).strip(".") for w in one.label.split()} | set(name_words(one.name)) | _field_words(one.fields)
        for code in one.codes:
            words |= {fold(w).strip(".,") for w in code.text.split()}
    return words


def _nested_words(nested: NestedView) -> set[str]:
    words = _field_words(nested.fields) | set(label_words(nested.name))
    for deeper in nested.nested:
        words |= _nested_words(deeper)
    return words
