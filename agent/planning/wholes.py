"""Values whose parts mean nothing apart: addresses, sales areas, texts of codes, a place behind a code."""

import re
from collections.abc import Sequence

from agent.planning import codes
from agent.planning.addresses import find_addresses, slot_for
from agent.planning.draft import Draft, Stated
from agent.planning.facts import Fact, FactKind
from agent.planning.matching import fits
from agent.planning.reading import Reading
from agent.planning.slots import Slot
from agent.planning.text import name_words

_ADDRESS_WORDS = frozenset({"address", "adresse", "anschrift", "direccion", "indirizzo", "adres", "at", "in"})
_SALES_AREA = ("organization", "channel", "division")


def place_addresses(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """Addresses first: their numbers and names mean nothing apart from each other."""
    start, end = (reading.tokens[0].start, reading.tokens[-1].end) if reading.tokens else (0, 0)
    for parts in find_addresses(reading.goal, _ADDRESS_WORDS):
        inside = [p for p in parts if start <= p.start < end]
        targets = [(p, slot_for(p, slots)) for p in inside]
        if len([t for _, t in targets if t]) < 3:
            continue
        for part, slot in targets:
            if slot is not None:
                draft.place(slot, Stated(part.value, "goal", part.start))
        spans = [(p.start, p.end) for p in parts]
        draft.used |= {i for i, f in enumerate(reading.facts) if any(f.start < e and s < f.end for s, e in spans)}


def place_sales_areas(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """``1010/10/00``: organization, channel and division in one word, as sales areas are written."""
    for index, fact in enumerate(reading.facts):
        parts = fact.value.split("/")
        if len(parts) != 3 or [len(p) for p in parts] != [4, 2, 2]:
            continue
        homes = [next((s for s in slots if not s.path and name_words(s.name)[-1:] == (w,)), None) for w in _SALES_AREA]
        if all(homes):
            for slot, value in zip(homes, parts, strict=True):
                if slot is not None:
                    draft.place(slot, Stated(value, "goal", fact.start))
            draft.used.add(index)


def inside_code_texts(slots: Sequence[Slot], reading: Reading) -> set[int]:
    """Facts within the text of a code: the 30 of ``30 days net`` is no quantity."""
    spans = {
        (a, b)
        for s in slots
        for _, size, a, b in (codes.mentions(s, reading.tokens) if s.field.codes else [])
        if size > 1
    }
    inside = [i for i, f in enumerate(reading.facts) if any(a <= f.start and f.end <= b for a, b in spans)]
    return {i for i in inside if reading.facts[i].kind is not FactKind.QUOTED}


def place_locations(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """``CIF Hamburg``: a name right behind a code goes to the location that shares the code field's first word."""
    for row in draft.rows:
        for name, stated in list(row.values.items()):
            homes = [
                s for s in slots
                if s.path == row.path and {"location", "place"} & set(name_words(s.name)[1:])
                and name_words(s.name)[:1] == name_words(name)[:1] and s.name not in row.values
            ]  # fmt: skip
            fact = _name_behind(reading, stated.at) if homes and stated.at >= 0 else None
            home = min(homes, key=lambda s: len(s.name), default=None)
            if fact is not None and home is not None and fits(home, fact):
                row.values[home.name] = Stated(fact.value, "goal", fact.start)


def _name_behind(reading: Reading, at: int) -> Fact | None:
    """The first proper name behind a place in the text, with no edge and at most a preposition before it."""
    for fact in reading.facts:
        between = reading.goal[at : fact.start]
        if fact.start > at and fact.kind is FactKind.NAME and len(between) < 60:
            return None if re.search(r"[.;:(]|,\s+\w+\s+\d", between) else fact
    return None
