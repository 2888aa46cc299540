"""Postal addresses in a goal: street and house number, postal code and town, country, as their parts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.planning.slots import Slot
from agent.planning.text import name_words

_ADDRESS = re.compile(
    r"(?P<street>[A-ZÄÖÜÉ][\w'-]*\.?(?:\s+[A-ZÄÖÜÉ][\w'-]*\.?){0,3})\s+(?P<house>\d{1,4}\s?[a-zA-Z]?),\s*"
    r"(?P<code>[A-Z]{0,2}-?\d{4,5})\s+(?P<city>[A-ZÄÖÜÉ][\w'-]*(?:[ -][A-ZÄÖÜÉ][\w'-]*)*)(?:,\s*(?P<country>[A-Z]{2})\b)?"
)
_PARTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "street": (("street",), ("street", "name")),
    "house": (("house", "number"), ("house",)),
    "code": (("postal", "code"), ("postal",), ("zip", "code")),
    "city": (("city",), ("city", "name"), ("town",)),
    "country": (("country",), ("country", "key"), ("country", "code"), ("country", "region")),
}


@dataclass(frozen=True)
class AddressPart:
    """One part of an address with its place in the goal."""

    kind: str
    value: str
    start: int
    end: int


def find_addresses(text: str, terms: frozenset[str] = frozenset()) -> list[list[AddressPart]]:
    """Every address as its parts; a leading word that only announces it (``Address``) is left out."""
    found = []
    for m in _ADDRESS.finditer(text):
        parts = [AddressPart(k, m[k], m.start(k), m.end(k)) for k in _PARTS if m[k]]
        first, *rest = parts[0].value.split(" ")
        if rest and first.casefold() in terms:
            start = parts[0].start + len(first) + 1
            parts[0] = AddressPart("street", " ".join(rest), start, parts[0].end)
        found.append(parts)
    return found


def slot_for(part: AddressPart, slots: Sequence[Slot]) -> Slot | None:
    """The slot that holds this part of an address: one by whose name, in a record that has a city as well."""
    homes = {s.path for s in slots if name_words(s.name) in _PARTS["city"]}
    fitting = [s for s in slots if name_words(s.name) in _PARTS[part.kind] and s.path in homes]
    return min(fitting, key=lambda s: (len(s.path) != 1, len(s.path), len(s.name)), default=None)
