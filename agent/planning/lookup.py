"""Lookups: a party or product that the goal names in words is read first, so that its key can be used."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.planning import phrases
from agent.planning.facts import Fact, FactKind
from agent.planning.reading import Reading
from agent.planning.selection import Step
from agent.planning.slots import ACCEPTED, Slot
from agent.planning.text import endpoint_words, label_words, name_words, same_word
from agent.planning.words import word_set
from wire.context import EndpointView, FieldView, TypedContext
from wire.endpoint import Verb

# Words in front of a name that is a party to what is done.
_INTRODUCERS = word_set("from for to at with by von bei für an de chez pour da para offer sell bill")


@dataclass(frozen=True)
class Lookup:
    """Read ``view`` where ``name_field`` is ``value``; its ``key`` then fills ``slot`` of the step that needs it."""

    view: EndpointView
    name_field: FieldView
    value: str
    key: str
    slot: Slot


def find_lookup(context: TypedContext, step: Step, slot: Slot, reading: Reading, taken: Sequence[str]) -> Lookup | None:
    """The read that resolves a name in the step's text to the key that ``slot`` wants, if the context has one."""
    for view, key in _sources(context, step.view, slot):
        field = _name_field(view)
        if field is None:
            continue
        name = _name_for(slot, view, reading, taken)
        if name is not None:
            return Lookup(view, field, name.value, key, slot)
    return None


def _sources(context: TypedContext, target: EndpointView, slot: Slot) -> list[tuple[EndpointView, str]]:
    """Readable sets whose key can fill the slot: by carry-over, by the same key name, by the words of both."""
    owner = _owner(target, slot)
    declared = {
        (c.from_service, c.from_endpoint): c.from_property
        for c in context.carries
        if (c.to_service, c.to_endpoint, c.to_property) == (target.service, owner, slot.name)
    }
    found: list[tuple[int, EndpointView, str]] = []
    for view in context.endpoints:
        if view.verb is not Verb.READ or len(view.keys) != 1 or view.endpoint == target.endpoint:
            continue
        key = view.keys[0]
        words = (name_words(key), endpoint_words(view.endpoint), label_words(view.label))
        if declared.get((view.service, view.endpoint)) == key:
            found.append((0, view, key))
        elif key == slot.name:
            found.append((1, view, key))
        elif any(alias in words for alias in slot.aliases):
            found.append((2, view, key))
    return [(view, key) for _, view, key in sorted(found, key=lambda f: (f[0], f[1].rank))]


def _owner(view: EndpointView, slot: Slot) -> str:
    nested = view.nested
    owner = view.endpoint
    for name in slot.path:
        step = next((n for n in nested if n.name == name), None)
        if step is None:
            return owner
        owner, nested = step.target_set or step.target, step.nested
    return owner


def _name_field(view: EndpointView) -> FieldView | None:
    """The text field that holds the name people use."""
    texts = [f for f in view.fields if f.type == "Edm.String" and not f.key and not f.codes]
    exact = [f for f in texts if name_words(f.name)[-1:] == ("name",) or label_words(f.label)[-1:] == ("name",)]
    loose = [f for f in texts if {"name", "description"} & {*name_words(f.name), *label_words(f.label)}]
    own = [
        f for f in exact if any(same_word(w, x) for w in name_words(f.name)[:-1] for x in endpoint_words(view.endpoint))
    ]
    return next(iter([*own, *exact, *loose]), None)


def _name_for(slot: Slot, view: EndpointView, reading: Reading, taken: Sequence[str]) -> Fact | None:
    """The name beside a word for this party; one single free name after ``from``, ``for`` or ``to`` will do."""
    names = [
        (i, f)
        for i, f in enumerate(reading.facts)
        if f.kind in (FactKind.NAME, FactKind.QUOTED) and f.value not in taken
    ]
    for index, fact in names:
        phrase = phrases.before(reading.goal, reading.tokens, reading.facts, index)
        if phrase and (slot.score(phrase) >= ACCEPTED or endpoint_words(view.endpoint)[-1:] == phrase[-1:]):
            return fact
    introduced = [f for _, f in names if _introduced(reading.goal, f)]
    return introduced[0] if len(introduced) == 1 and not slot.path else None


def _introduced(goal: str, fact: Fact) -> bool:
    words = goal[: fact.start].split()
    return bool(words) and words[-1].casefold() in _INTRODUCERS
