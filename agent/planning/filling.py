"""Filling: the draft of one step from its own text, earlier answers, and the rest of the goal, in that order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.planning.assign import assign
from agent.planning.draft import Draft, Row, Stated
from agent.planning.history import Done, carried, same_name
from agent.planning.kinds import unlisted_kind
from agent.planning.leftovers import unplaced, unused
from agent.planning.reading import Reading, window
from agent.planning.selection import Step
from agent.planning.slots import Slot, role, slots_of
from agent.planning.text import dice, endpoint_words, fold, name_words, same_word
from agent.planning.words import FILLERS, NEGATIONS
from wire.context import EndpointView, FieldView, NestedView, TypedContext
from wire.endpoint import Cardinality, Verb


@dataclass
class Filled:
    """A step's draft, with the slots that are required and still empty."""

    view: EndpointView
    draft: Draft
    slots: tuple[Slot, ...]
    missing: list[Slot] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def fill(
    context: TypedContext,
    step: Step,
    done: Sequence[Done],
    reading: Reading,
    resolved: dict[tuple[tuple[str, ...], str], Any],
    *,
    own_text_only: bool = False,
) -> Filled:
    """Everything the step can know now. ``resolved``: keys that lookups found, by slot path and property.

    ``own_text_only``: look neither at the rest of the goal nor at values of the same name in earlier answers.
    """
    view = step.view
    slots = step_slots(context, view)
    if step.lookup is not None:
        draft = Draft()
        draft.root.values[step.lookup[0]] = Stated(step.lookup[1], "goal")
        return Filled(view, draft, slots)
    own = window(reading, *step.spans)
    draft = assign(own, slots)
    for slot in slots:
        if (slot.path, slot.name) in resolved:
            draft.share(slot, Stated(resolved[(slot.path, slot.name)], "lookup"))
    if view.verb is not Verb.READ:
        _booleans(draft, slots, own)
    _share_rows(draft, slots)
    _carry(context, view, draft, slots, done)
    if view.verb is not Verb.READ:
        _number_rows(view, draft, slots)
        if not own_text_only:
            _from_elsewhere(view, draft, slots, reading, done)
    else:
        _keys_from_elsewhere(draft, slots, reading)
    _drop_unasked_rows(view, draft, slots)
    kind = unlisted_kind(view, draft, slots, own) if view.verb is Verb.CREATE else None
    if kind is not None:
        draft.problems.append(kind)
    if view.verb is not Verb.READ and not own_text_only:
        draft.problems += unplaced(draft, own)
    filled = Filled(view, draft, slots, unused=unused(draft, own))
    filled.missing = missing(view, draft, slots)
    return filled


def step_slots(context: TypedContext, view: EndpointView) -> tuple[Slot, ...]:
    """The slots of a view; keys of the addressed entity are slots of every call that addresses one."""
    extra: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for carry in context.carries:
        if carry.to_service == view.service:
            learnt = extra.setdefault((carry.to_endpoint, carry.to_property), [])
            learnt.append(name_words(carry.from_property))
            # A set's name stands for its key only: "billing document 9" is no sold-to party.
            source = tuple(w for w in endpoint_words(carry.from_endpoint) if w not in ("header", "head"))
            if dice(name_words(carry.from_property), source) >= 0.5:
                learnt.append(source)
    slots = slots_of(view, extra, writing=view.verb is not Verb.READ)
    if view.verb in (Verb.CREATE, Verb.READ):
        return slots
    known = {s.name for s in slots if not s.path}
    by_name = {f.name: f for f in view.fields}
    keys = [
        by_name.get(k) or FieldView(name=k, label="", type="Edm.String", key=True, required=True) for k in view.keys
    ]
    made = slots_of(view.model_copy(update={"fields": tuple(keys), "nested": ()}), extra, writing=False)
    return (*(s for s in made if s.name not in known), *slots)


def missing(view: EndpointView, draft: Draft, slots: Sequence[Slot]) -> list[Slot]:
    """Required slots without a value in some row, conditions (``required_unless``) respected."""
    if view.verb is Verb.READ:
        required = [s for s in slots if s.field.required] if view.kind not in ("EntitySet", "Singleton") else []
    elif view.verb in (Verb.UPDATE, Verb.DELETE):
        required = [s for s in slots if s.name in view.keys and not s.path]
    else:
        keys = [s for s in slots if view.bound_path and s.name in view.keys and not s.path]
        required = [s for s in slots if s.field.required and not _from_parent(view, s)] + keys
    found: list[Slot] = []
    for slot in dict.fromkeys(required):
        rows = draft.at(slot.path)
        if any(slot.name not in r.values and not lifted(slot.field.required_unless, r) for r in rows):
            found.append(slot)
    return found


def lifted(expression: str, row: Row) -> bool:
    """Whether a condition holds in the row: alternatives by blanks, each ``P``, ``!P`` or ``P=v`` joined by ``&``."""

    def one(part: str) -> bool:
        if part.startswith("!"):
            return part[1:] not in row.values
        name, _, value = part.partition("=")
        return name in row.values and (not value or str(row.values[name].value) == value)

    return any(all(one(p) for p in alternative.split("&")) for alternative in expression.split())


def owner_of(view: EndpointView, path: tuple[str, ...]) -> str:
    """The set that rows under ``path`` belong to."""
    found = nested_at(view, path)
    return (found.target_set or found.target) if found else view.endpoint


def nested_at(view: EndpointView, path: tuple[str, ...]) -> NestedView | None:
    """The navigation that ``path`` ends in, or None for the root and for complex properties."""
    nested: Sequence[NestedView] = view.nested
    found: NestedView | None = None
    for name in path:
        found = next((n for n in nested if n.name == name), None)
        if found is None:
            return None
        nested = found.nested
    return found


def _from_parent(view: EndpointView, slot: Slot) -> bool:
    """A nested row's share of its parent's key is filled by the service."""
    return bool(slot.path) and slot.field.key and slot.name in view.keys


def _drop_unasked_rows(view: EndpointView, draft: Draft, slots: Sequence[Slot]) -> None:
    """Rows that only earlier steps suggested, and that lack what they require, were not asked for."""
    for path in dict.fromkeys(r.path for r in draft.rows if r.path):
        rows = draft.at(path)
        suggested = all(v.source in ("earlier step", "numbered") for r in rows for v in r.values.values())
        if suggested and any(s.path == path for s in missing(view, draft, slots)):
            draft.rows = [r for r in draft.rows if r.path[: len(path)] != path]


def _booleans(draft: Draft, slots: Sequence[Slot], own: Reading) -> None:
    """Yes/no fields whose words stand together in the text; a negation beside them makes it no."""
    words = [w for t in own.tokens for w in t.words]
    denied = any(fold(t.text) in NEGATIONS for t in own.tokens)
    for slot in slots:
        if slot.field.type != "Edm.Boolean" or draft.has(slot) or (slot.path and not draft.at(slot.path)):
            continue
        known = {*FILLERS, *slot.record, *slot.owner}
        telling = [w for w in max(slot.aliases, key=len) if w not in known]
        hits = [w for w in telling if any(same_word(w, x) or (len(w) > 4 and x[:5] == w[:5]) for x in words)]
        if len(hits) >= 2 and len(hits) * 4 >= len(telling) * 3:
            draft.share(slot, Stated(not denied, "goal"))


def _share_rows(draft: Draft, slots: Sequence[Slot]) -> None:
    """What the goal says once for several rows (one plant, one date) holds for each of them."""
    for slot in slots:
        rows = draft.at(slot.path)
        holding = [r for r in rows if slot.name in r.values]
        identifying = role(slot) in ("quantity", "product", "price", "unit") or slot.field.key
        if slot.path and len(rows) > 1 and len(holding) == 1 and not identifying:
            first = rows[0] is holding[0] and holding[0].values[slot.name].at < min(
                (v.at for n, v in rows[1].values.items() if v.at >= 0), default=-1
            )
            if slot.field.required or first:
                draft.share(slot, holding[0].values[slot.name])


def _carry(
    context: TypedContext, view: EndpointView, draft: Draft, slots: Sequence[Slot], done: Sequence[Done]
) -> None:
    declared = [c for c in context.carries if c.source == "declared"]
    for slot in slots:
        if draft.has(slot) and all(slot.name in r.values for r in draft.at(slot.path)):
            continue
        wanted = slot.field.required or slot.name in view.keys
        values = carried(
            done, context.carries if wanted else declared, view.service, owner_of(view, slot.path), slot.name
        )
        if not values and wanted:
            values = same_name(done, slot.name, keys_only=True)
        if values:
            _spread(view, draft, slot, values)


def _spread(view: EndpointView, draft: Draft, slot: Slot, values: list[Any]) -> None:
    """One value for every row, or row by row when there are as many values as rows (rows are made when there are none)."""
    if not slot.path:
        if view.verb is not Verb.READ or len({str(v) for v in values}) == 1:
            draft.root.values.setdefault(slot.name, Stated(values[0], "earlier step"))
        return
    nested = nested_at(view, slot.path)
    rows = draft.at(slot.path)
    if not rows:
        many = nested is None or nested.cardinality is Cardinality.MANY
        rows = [draft.open(slot.path) for _ in (values if many else values[:1])]
    if len(values) == len(rows):
        for row, value in zip(rows, values, strict=True):
            row.values.setdefault(slot.name, Stated(value, "earlier step"))
    elif len(values) > len(rows) == 1 and len(slot.path) == 1 and len(rows[0].values) <= 1:
        for _ in values[1:]:
            draft.open(slot.path).values.update(rows[0].values)
        _spread(view, draft, slot, values)
    elif len({str(v) for v in values}) == 1 or len(rows) == 1:
        draft.share(slot, Stated(values[0], "earlier step"))


def _number_rows(view: EndpointView, draft: Draft, slots: Sequence[Slot]) -> None:
    """Item numbers that the client has to give: 10, 20, … as business documents count, or 1, 2, … where the field is short."""
    for slot in slots:
        rows = draft.at(slot.path)
        numbers = slot.path and slot.field.key and slot.field.required and not _from_parent(view, slot)
        if not numbers or not {"item", "number"} & {*name_words(slot.name)} or draft.has(slot) or slot.field.codes:
            continue
        pace = 1 if (slot.field.max_length or 6) < 4 else 10
        for count, row in enumerate(rows, start=1):
            row.values[slot.name] = Stated(str(count * pace), "numbered")


def _from_elsewhere(
    view: EndpointView, draft: Draft, slots: Sequence[Slot], reading: Reading, done: Sequence[Done]
) -> None:
    """Required values that another part of the goal or an earlier answer states under the same name."""
    addressed = () if view.verb is Verb.CREATE else view.keys
    # A change takes from elsewhere which entity is meant, never what is changed in it.
    changing = view.verb in (Verb.UPDATE, Verb.DELETE)
    wanted = [s for s in slots if s.name in addressed or (s.field.required and not changing)]
    absent = [s for s in wanted if (not s.path or draft.at(s.path)) and not draft.has(s)]
    if not absent:
        return
    whole = assign(reading, slots, 0.8)
    for slot in absent:
        values = same_name(done, slot.name, keys_only=False)
        stated = [r.values[slot.name] for r in whole.at(slot.path) if slot.name in r.values]
        if values and len({str(v) for v in values}) == 1:
            draft.share(slot, Stated(values[0], "earlier step"))
        elif stated and len({str(s.value) for s in stated}) == 1:
            draft.share(slot, stated[0])


def _keys_from_elsewhere(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """A read without any condition of its own takes its keys from the rest of the goal."""
    if draft.root.values:
        return
    whole = assign(reading, [s for s in slots if s.field.key and not s.path])
    for name, stated in whole.root.values.items():
        draft.root.values[name] = stated
