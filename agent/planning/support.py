"""Support: how well a view's fields take up what an intent states, and what it requires that nothing states."""

from collections.abc import Sequence

from agent.planning import phrases
from agent.planning.facts import Fact, FactKind
from agent.planning.filling import owner_of, step_slots
from agent.planning.intents import Intent
from agent.planning.matching import UNIT_PHRASES, fits
from agent.planning.reading import Reading, window
from agent.planning.selection import Step, Support
from agent.planning.slots import Slot, role
from wire.context import EndpointView, TypedContext
from wire.endpoint import Verb

_TAKEN = 0.9
_PER_SHARE = 0.7
_PER_MISSING = 0.15
_MOST_MISSING = 4
_BLIND = 0.5
"""A read that takes none of the goal's values is hardly the one that is asked for."""
_WHOLE = 0.35
"""A document is made with its parts rather than a part alone."""


def support_of(context: TypedContext, reading: Reading, topic: tuple[int, int] | None) -> Support:
    """The measure for one goal."""

    parts = [n.target_set for v in context.endpoints if v.verb is Verb.CREATE for n in v.nested if n.target_set]

    def support(view: EndpointView, intent: Intent, before: Sequence[Step]) -> float:
        slots = step_slots(context, view)
        taken, share = _taken(slots, window(reading, (intent.start, intent.end)))
        known, topical = _taken(slots, window(reading, topic)) if topic else ([], 0.0)
        taken += known
        share += topical / 2
        lacking = [s for s in slots if _needs(view, s) and s not in taken and not _fed(context, view, s, before)]
        if view.verb is Verb.READ and not taken and reading.facts:
            share -= _BLIND
        whole = _WHOLE if any(view.verb is Verb.CREATE and part == view.endpoint for part in parts) else 0.0
        return _PER_SHARE * share - _PER_MISSING * min(len(lacking), _MOST_MISSING) - whole

    return support


def _taken(slots: Sequence[Slot], own: Reading) -> tuple[list[Slot], float]:
    """The slots that take a fact, and the share of facts that are taken."""
    phrased = [phrases.before(own.goal, own.tokens, own.facts, i) for i in range(len(own.facts))]
    taken = [s for i, f in enumerate(own.facts) if (s := _taker(slots, f, phrased[i])) is not None]
    return taken, len(taken) / len(own.facts) if own.facts else 0.0


def _taker(slots: Sequence[Slot], fact: Fact, phrase: tuple[str, ...]) -> Slot | None:
    """The slot whose words name the fact clearly, or whose role its kind fits."""
    scored = [(s.score(phrase), -len(s.path), s) for s in slots if phrase and fits(s, fact)]
    best = max(scored, key=lambda r: r[:2], default=None)
    if best is not None and best[0] >= _TAKEN:
        return best[2]
    wanted = {FactKind.QUANTITY: "quantity", FactKind.IDENTIFIER: "product"}.get(fact.kind, "")
    plain = not phrase or phrase[-1:] in UNIT_PHRASES
    return next((s for s in slots if wanted and plain and role(s) == wanted), None)


def _needs(view: EndpointView, slot: Slot) -> bool:
    """Root fields and parameters that the call cannot do without."""
    if slot.path or slot.field.default is not None:
        return False
    addressed = view.verb in (Verb.UPDATE, Verb.DELETE) or bool(view.bound_path)
    return (slot.field.required and not slot.field.required_unless) or (addressed and slot.name in view.keys)


def _fed(context: TypedContext, view: EndpointView, slot: Slot, before: Sequence[Step]) -> bool:
    return any(
        (c.to_service, c.to_endpoint, c.to_property) == (view.service, owner_of(view, slot.path), slot.name)
        and any((s.view.service, s.view.endpoint) == (c.from_service, c.from_endpoint) for s in before)
        for c in context.carries
    )
