"""One JSON value for people: dates as dates, a code with its text, an amount with its unit, digits as they write them."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from mail.phrases import Phrases
from wire.endpoint import Property

_V2_DATE = re.compile(r"/Date\((-?\d+)(?:[+-]\d+)?\)/")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)T00:00(?::00(?:\.0+)?)?")
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")
_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?")
_DECIMAL = frozenset({"Edm.Decimal", "Edm.Double", "Edm.Single"})
_INTEGER = frozenset({"Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64"})
_CURRENCY = re.compile(r"curr|waers|waehr", re.IGNORECASE)
# ISO 4217 with no minor unit.
_WHOLE = frozenset(
    {
        "BIF",
        "CLP",
        "DJF",
        "GNF",
        "ISK",
        "JPY",
        "KMF",
        "KRW",
        "PYG",
        "RWF",
        "UGX",
        "UYI",
        "VND",
        "VUV",
        "XAF",
        "XOF",
        "XPF",
    }
)


def show_value(value: Any, spec: Property | None, record: Mapping[str, Any] | None, phrases: Phrases) -> str:
    """``record`` holds the value's unit, where its property names one."""
    if value is None:
        return f"({phrases('no_value')})"
    if value in ("", [], {}):
        return f"({phrases('empty')})"
    if isinstance(value, bool):
        return phrases("true") if value else phrases("false")
    unit = unit_of(spec, record)
    number = number_of(value, spec)
    text = _date(value, spec) if number is None else show_number(number, _least(spec, unit), phrases)
    if spec is not None:
        codes = [*(spec.code_list.codes if spec.code_list else ()), *spec.allowed]
        named = next((c.text for c in codes if c.code == value and c.text and c.text != c.code), "")
        text += f" ({named})" if named else ""
    return f"{text} {unit}" if unit else text


def number_of(value: Any, spec: Property | None) -> Decimal | None:
    """The value as a number of something; None for what only looks like one (a key, a code, a year)."""
    if spec is None or spec.key or spec.code_list or spec.allowed or isinstance(value, bool):
        return None
    if spec.type not in _DECIMAL and not (spec.type in _INTEGER and spec.unit_property):
        return None
    return Decimal(str(value)) if _NUMBER.fullmatch(str(value)) else None


def unit_of(spec: Property | None, record: Mapping[str, Any] | None) -> str:
    """The currency or unit that stands beside the value, "" where none does."""
    unit = record.get(spec.unit_property) if record and spec and spec.unit_property else None
    return unit if isinstance(unit, str) else ""


def is_amount(spec: Property | None) -> bool:
    """Money: its unit is a currency."""
    return bool(spec and spec.unit_property and _CURRENCY.search(spec.unit_property))


def show_amount(number: Decimal, spec: Property | None, unit: str, phrases: Phrases) -> str:
    """A number that was not sent itself (a sum) as ``show_value`` shows those that were."""
    return f"{show_number(number, _least(spec, unit), phrases)} {unit}".rstrip()


def show_number(number: Decimal, least: int, phrases: Phrases) -> str:
    """Digits in groups, with at least ``least`` and otherwise only those decimals that say something."""
    whole, _, decimals = f"{abs(number):f}".partition(".")
    decimals = decimals.rstrip("0").ljust(least, "0")
    groups = [whole[-3:]]
    whole, size = whole[:-3], int(phrases("group_size"))
    while whole:
        groups.insert(0, whole[-size:])
        whole = whole[:-size]
    shown = phrases("thousands").join(groups) + (phrases("decimal_mark") + decimals if decimals else "")
    return f"-{shown}" if number < 0 else shown


def _least(spec: Property | None, unit: str) -> int:
    return 2 if is_amount(spec) and unit not in _WHOLE else 0


def _date(value: Any, spec: Property | None) -> str:
    text = str(value)
    if spec is not None and spec.type == "Edm.Time" and (spent := _DURATION.fullmatch(text)) and text != "PT":
        return ":".join(f"{int(part or 0):02d}" for part in spent.groups())
    if (midnight := _MIDNIGHT.fullmatch(text)) and spec is not None and spec.type == "Edm.DateTime":
        return midnight[1]
    match = _V2_DATE.fullmatch(text)
    if match is None:
        return text
    try:
        instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(match[1]))
    except OverflowError:
        return text
    whole_day = instant.time() == datetime.min.time() and (spec is None or spec.type != "Edm.DateTimeOffset")
    return instant.date().isoformat() if whole_day else instant.strftime("%Y-%m-%d %H:%M:%S UTC")
