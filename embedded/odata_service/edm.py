"""EDM primitive values in one canonical, JSON-storable form, and the Python form in which they compare.

String, Guid, Duration, Time (V2)     text                Boolean            bool
Byte ... Int64                        int                 Decimal            text in plain notation
Single, Double                        float, or INF/-INF/NaN as text
Date                                  2026-03-02          DateTime (V2)      2026-03-02T00:00:00[.fff]
DateTimeOffset                        2026-03-02T00:00:00[.fff]Z, always UTC
TimeOfDay                             12:30:00[.fff]      Binary             base64
Geography*, Geometry*, Untyped        as sent
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Any

INTEGER_RANGES = {
    "Edm.Byte": (0, 255),
    "Edm.SByte": (-128, 127),
    "Edm.Int16": (-(2**15), 2**15 - 1),
    "Edm.Int32": (-(2**31), 2**31 - 1),
    "Edm.Int64": (-(2**63), 2**63 - 1),
}
FLOATS = ("Edm.Single", "Edm.Double")
NUMBERS = (*INTEGER_RANGES, *FLOATS, "Edm.Decimal")
_GUID = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_DURATION = re.compile(r"^(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?$")
_DATETIME = re.compile(r"^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,12}))?(Z|[+-]\d{2}:\d{2})?$")
_V2_JSON_DATE = re.compile(r"^/Date\((-?\d+)([+-]\d{1,4})?\)/$")
_DECIMAL_DIGITS = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_guid(text: str) -> str:
    if not _GUID.match(text):
        raise ValueError(f"{text!r} is no Guid")
    return text.lower()


def parse_decimal(text: str) -> str:
    """Plain notation, digits kept as sent (`10.50` stays `10.50`)."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError(f"{text!r} is no decimal number") from None
    if not number.is_finite() or not -_DECIMAL_DIGITS < number.adjusted() < _DECIMAL_DIGITS:
        raise ValueError(f"{text!r} is no decimal number of a sensible size")
    return format(number, "f")


def parse_float(text: str) -> float | str:
    if text in ("INF", "-INF", "NaN"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number") from None


def check_integer(value: int, type_name: str) -> int:
    low, high = INTEGER_RANGES[type_name]
    if not low <= value <= high:
        raise ValueError(f"{value} is outside {type_name} ({low} to {high})")
    return value


def parse_integer(text: str, type_name: str) -> int:
    if not re.fullmatch(r"[+-]?\d+", text):
        raise ValueError(f"{text!r} is no {type_name}")
    return check_integer(int(text), type_name)


def parse_date(text: str) -> str:
    if not re.fullmatch(r"-?\d{4}-\d{2}-\d{2}", text):
        raise ValueError(f"{text!r} is no date of the form YYYY-MM-DD")
    return date.fromisoformat(text).isoformat()


def _moment(text: str) -> tuple[datetime, str | None]:
    match = _DATETIME.match(text)
    if not match:
        raise ValueError(f"{text!r} is no date-time of the form YYYY-MM-DDTHH:MM:SS")
    day, clock, fraction, zone = match.groups()
    clock = clock if len(clock) == 8 else f"{clock}:00"
    moment = datetime.fromisoformat(f"{day}T{clock}")
    return moment.replace(microsecond=int((fraction or "0")[:6].ljust(6, "0"))), zone


def _plain(moment: datetime) -> str:
    text = moment.replace(microsecond=0, tzinfo=None).isoformat()
    return f"{text}.{moment.microsecond:06d}".rstrip("0") if moment.microsecond else text


def parse_datetime(text: str) -> str:
    """V2 Edm.DateTime: no zone."""
    moment, zone = _moment(text)
    if zone:
        raise ValueError(f"{text!r}: Edm.DateTime carries no time zone")
    return _plain(moment)


def parse_datetimeoffset(text: str) -> str:
    """Zone mandatory; kept in UTC."""
    moment, zone = _moment(text)
    if not zone:
        raise ValueError(f"{text!r}: Edm.DateTimeOffset needs a time zone")
    if zone != "Z":
        sign = -1 if zone[0] == "-" else 1
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
        moment = moment.replace(tzinfo=timezone(sign * offset)).astimezone(UTC)
    return _plain(moment) + "Z"


def parse_v2_json_date(text: str) -> tuple[str, int | None] | None:
    """`/Date(ms)/` or `/Date(ms+minutes)/` -> (UTC text without zone, offset minutes); None for another form."""
    match = _V2_JSON_DATE.match(text)
    if not match:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=int(match.group(1)))
    except OverflowError:
        raise ValueError(f"{text!r} is outside the years 1 to 9999") from None
    return _plain(moment), int(match.group(2)) if match.group(2) else None


def v2_milliseconds(canonical: str) -> int:
    """Milliseconds since 1970 of a canonical DateTime or DateTimeOffset."""
    moment = datetime.fromisoformat(canonical.removesuffix("Z")).replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def parse_time_of_day(text: str) -> str:
    if not re.fullmatch(r"\d{2}:\d{2}(:\d{2}(\.\d{1,12})?)?", text):
        raise ValueError(f"{text!r} is no time of the form HH:MM:SS")
    clock, _, fraction = text.partition(".")
    value = time.fromisoformat(clock if len(clock) == 8 else f"{clock}:00")
    return f"{value.isoformat()}.{fraction}" if fraction else value.isoformat()


def parse_duration(text: str) -> str:
    if not _DURATION.match(text) or text.lstrip("-") in ("P", "PT") or text.endswith("T"):
        raise ValueError(f"{text!r} is no duration of the form PT12H30M00S")
    return text


def duration_value(text: str) -> timedelta:
    """The value of an ``Edm.Duration``. Raises ValueError for what is none."""
    match = _DURATION.match(text)
    if match is None:
        raise ValueError(f"{text!r} is no duration")
    sign, years, months, days, hours, minutes, seconds, fraction = match.groups()
    value = timedelta(
        days=int(years or 0) * 365 + int(months or 0) * 30 + int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        seconds=int(seconds or 0),
        microseconds=int((fraction or "0")[:6].ljust(6, "0")),
    )
    return -value if sign else value


def comparable(value: Any, type_name: str) -> Any:
    """Canonical value -> a value that orders and equals as the EDM type does."""
    if value is None or isinstance(value, bool):
        return value
    if type_name in FLOATS:
        return {"INF": float("inf"), "-INF": float("-inf"), "NaN": float("nan")}.get(str(value), value)
    if type_name in INTEGER_RANGES or type_name == "Edm.Decimal":
        return Decimal(str(value))
    if type_name == "Edm.Date":
        return date.fromisoformat(value)
    if type_name in ("Edm.DateTime", "Edm.DateTimeOffset"):
        return datetime.fromisoformat(str(value).removesuffix("Z"))
    if type_name == "Edm.TimeOfDay":
        return time.fromisoformat(str(value)[:15])
    if type_name in ("Edm.Time", "Edm.Duration"):
        return duration_value(value)
    return value


def initial_value(type_name: str) -> Any:
    """What an ABAP service stores in a non-nullable property that a create leaves out; None where there is none."""
    if type_name in INTEGER_RANGES:
        return 0
    return {"Edm.String": "", "Edm.Boolean": False, "Edm.Decimal": "0", "Edm.Single": 0.0, "Edm.Double": 0.0}.get(
        type_name
    )
