"""Names of the numbers in a call, from what the run has read: an approver knows "Nordpump GmbH", not 17300001. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mail.business_content import CallDescription
from mail.call_title import named
from mail.phrases import Phrases

SHORTEST = 4
"""Shorter values (a plant, a company code) mean different things in different fields, so no name is carried over to them."""
ENDINGS = ("Name", "FullName", "Description", "Text")


def known_names(answers: Iterable[Any]) -> dict[str, str]:
    """Value -> name, wherever a row that was read has both ``Thing`` and ``ThingName``. A value with two names has none."""
    found: dict[str, str] = {}
    doubtful = set()
    for row in _rows(answers):
        for property_name, value in row.items():
            name = next((row[property_name + e] for e in ENDINGS if row.get(property_name + e)), None)
            if not isinstance(value, str) or len(value) < SHORTEST or not isinstance(name, str):
                continue
            if found.setdefault(value, name) != name:
                doubtful.add(value)
    return {value: name for value, name in found.items() if value not in doubtful}


def with_names(described: CallDescription, names: Mapping[str, str], language: str = "en") -> CallDescription:
    """The same description with the names beside the values; a title leads with what has a name."""
    read = Phrases(language)("as_read")
    lines = tuple(line.model_copy(update={"value": _named(line.value, names, read)}) for line in described.lines)
    tables = tuple(
        table.model_copy(update={"rows": tuple(tuple(_named(cell, names, read) for cell in row) for row in table.rows)})
        for table in described.tables
    )
    return replace(described, title=named(described.title, described.lines, names), lines=lines, tables=tables)


def _rows(answers: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for answer in answers:
        rows = answer if isinstance(answer, list) else [answer]
        yield from (row for row in rows if isinstance(row, dict))


def _named(value: str, names: Mapping[str, str], read: str) -> str:
    return f"{value} ({names[value]}, {read})" if value in names else value
