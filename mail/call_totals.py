"""What the lines of a call come to: sums of money in one currency, never of prices or rates. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from mail.phrases import Phrases
from mail.shown_values import is_amount, number_of, show_amount, show_value, unit_of
from wire.endpoint import Property, StructuredType

_NO_SUM = re.compile(r"price|rate|percent|share|factor|limit|ratio|number", re.IGNORECASE)


def total_of(name: str, spec: Property | None, rows: Sequence[Mapping[str, Any]], phrases: Phrases) -> str:
    """The sum of a column in words; "" for one row, and where adding up says nothing."""
    if spec is None or not is_amount(spec) or len(rows) < 2 or _NO_SUM.search(name):
        return ""
    numbers = [number_of(row.get(name), spec) for row in rows]
    units = {unit_of(spec, row) for row in rows}
    if len(units) != 1 or "" in units or any(number is None for number in numbers):
        return ""
    return show_amount(sum((n for n in numbers if n is not None), Decimal(0)), spec, units.pop(), phrases)


def amount_of(record: Mapping[str, Any], kind: StructuredType | None, phrases: Phrases) -> str:
    """The first amount of money that the record itself names, "" where it names none."""
    for name, spec in _amounts(record, kind):
        if number_of(record[name], spec) is not None:
            return show_value(record[name], spec, record, phrases)
    return ""


def amount_of_rows(rows: Sequence[Mapping[str, Any]], kind: StructuredType | None, phrases: Phrases) -> str:
    """The first amount that all rows add up to."""
    if len(rows) == 1:
        return amount_of(rows[0], kind, phrases)
    names = dict(_amounts({k: v for row in rows for k, v in row.items()}, kind))
    return next((total for name, spec in names.items() if (total := total_of(name, spec, rows, phrases))), "")


def _amounts(record: Iterable[str], kind: StructuredType | None) -> Iterable[tuple[str, Property]]:
    specs = ((name, kind.property(name) if kind else None) for name in record)
    return [(name, spec) for name, spec in specs if spec is not None and is_amount(spec) and not _NO_SUM.search(name)]
