"""Dates, times and durations as they stand in JSON bodies and in URLs, V2 and V4 (pure, no clock, no time zones)."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

_FRACTION = r"(?:\.(\d{1,12}))?"
_DAY = r"(-?\d{4,})-(\d\d)-(\d\d)"
_CLOCK = r"([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)" + _FRACTION + r")?"
_ZONE = r"(Z|[+-](?:0\d|1[0-4]):[0-5]\d)"

_TICKS = re.compile(r"/Date\((-?\d{1,15})([+-]\d{4})?\)/")
_DATE = re.compile(_DAY)
_DATETIME = re.compile(f"{_DAY}T{_CLOCK}")
_OFFSET = re.compile(f"{_DAY}T{_CLOCK}{_ZONE}")
_TIME_OF_DAY = re.compile(_CLOCK)
_DURATION = re.compile(r"-?P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,12}))?S)?)?")
_V2_TIME = re.compile(r"P(?:0D)?T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,12}))?S)?")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What System.DateTime can hold, and with it every V2 service: 0001-01-01 to 9999-12-31.
_TICKS_MIN, _TICKS_MAX = -62_135_596_800_000, 253_402_300_799_999
_SECONDS_OF_DAY = 86_400


def _is_day(year: str, month: str, day: str) -> bool:
    number = int(year)
    if not 1 <= number <= 9999:
        # Proleptic Gregorian years outside Python's range: the calendar repeats every 400 years.
        number = number % 400 + 2000
    try:
        date(number, int(month), int(day))
    except ValueError:
        return False
    return True


def _too_fine(fraction: str | None, precision: int | None) -> bool:
    return precision is not None and len((fraction or "").rstrip("0")) > precision


def _problem(match: re.Match[str] | None, form: str, precision: int | None) -> str:
    """Why a date with optional clock is wrong, or an empty string. Groups: day (3), clock (4), anything."""
    if match is None:
        return f"expected {form}"
    if not _is_day(match[1], match[2], match[3]):
        return "there is no such day"
    if match.re.groups >= 7 and _too_fine(match[7], precision):
        return f"fraction of a second is finer than Precision {precision}"
    return ""


def v4_date_problem(text: str) -> str:
    """Why ``text`` is no V4 Edm.Date, or an empty string."""
    return _problem(_DATE.fullmatch(text), "YYYY-MM-DD", None)


def v4_offset_problem(text: str, precision: int | None) -> str:
    """Why ``text`` is no V4 Edm.DateTimeOffset, or an empty string. The zone is mandatory."""
    match = _OFFSET.fullmatch(text)
    if match is None and _DATETIME.fullmatch(text):
        return "the time zone is missing: add Z or +hh:mm"
    return _problem(match, "YYYY-MM-DDThh:mm:ssZ", precision or 0)


def v4_time_problem(text: str, precision: int | None) -> str:
    """Why ``text`` is no V4 Edm.TimeOfDay, or an empty string."""
    match = _TIME_OF_DAY.fullmatch(text)
    if match is None:
        return "expected hh:mm:ss"
    return f"fraction is finer than Precision {precision or 0}" if _too_fine(match[4], precision or 0) else ""


def v4_duration_problem(text: str, precision: int | None) -> str:
    """Why ``text`` is no V4 Edm.Duration (days to seconds only), or an empty string."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return "expected a duration such as P1DT2H30M"
    return f"fraction is finer than Precision {precision or 0}" if _too_fine(match[5], precision or 0) else ""


def v2_datetime_problem(text: str, precision: int | None) -> str:
    """Why ``text`` is no V2 Edm.DateTime of a body, or an empty string: ``/Date(ms)/``, or ISO without zone."""
    ticks = _TICKS.fullmatch(text)
    if ticks is not None:
        return _ticks_problem(ticks, precision)
    match = _DATETIME.fullmatch(text)
    if match is None and _OFFSET.fullmatch(text):
        return "Edm.DateTime has no time zone"
    return _problem(match, "/Date(milliseconds)/ or YYYY-MM-DDThh:mm:ss", precision)


def v2_offset_problem(text: str, precision: int | None) -> str:
    """Why ``text`` is no V2 Edm.DateTimeOffset of a body, or an empty string."""
    ticks = _TICKS.fullmatch(text)
    if ticks is not None:
        return _ticks_problem(ticks, precision)
    return _problem(_OFFSET.fullmatch(text), "/Date(milliseconds+0000)/ or YYYY-MM-DDThh:mm:ssZ", precision)


def _ticks_problem(match: re.Match[str], precision: int | None) -> str:
    ticks = int(match[1])
    if not _TICKS_MIN <= ticks <= _TICKS_MAX:
        return "outside the years 1 to 9999"
    if precision == 0 and ticks % 1000:
        return "fraction of a second is finer than Precision 0"
    return ""


def v2_time_problem(text: str) -> str:
    """Why ``text`` is no V2 Edm.Time (a time of day in duration form), or an empty string."""
    match = _V2_TIME.fullmatch(text)
    if match is None:
        return "expected a time such as PT12H30M00S"
    hours, minutes, seconds = (int(match[i] or 0) for i in (1, 2, 3))
    return "" if hours * 3600 + minutes * 60 + seconds < _SECONDS_OF_DAY else "a time of day ends before 24 hours"


def datetime_of_ticks(text: str) -> datetime | None:
    """The instant of ``/Date(ms)/`` in UTC, or None for another form. An offset does not shift the instant."""
    match = _TICKS.fullmatch(text)
    return None if match is None else _EPOCH + timedelta(milliseconds=int(match[1]))


def ticks_of_iso(text: str, offset: bool) -> str:
    """An ISO date-time as ``/Date(ms)/`` or, for DateTimeOffset, ``/Date(ms+0000)/``; another form unchanged."""
    moment = parse_iso(text)
    if moment is None:
        return text
    span = moment - _EPOCH
    milliseconds = (span.days * _SECONDS_OF_DAY + span.seconds) * 1000 + span.microseconds // 1000
    return f"/Date({milliseconds}{'+0000' if offset else ''})/"


def parse_iso(text: str) -> datetime | None:
    """A date, date-time or date-time with zone as an aware instant (no zone is read as UTC); None for another form."""
    match = _OFFSET.fullmatch(text) or _DATETIME.fullmatch(text) or _DATE.fullmatch(text)
    if match is None or not _is_day(*match.group(1, 2, 3)) or not 1 <= int(match[1]) <= 9999:
        return None
    groups = match.groups() + (None,) * 5
    hour, minute, second = (int(g or 0) for g in groups[3:6])
    micro = int((groups[6] or "").ljust(6, "0")[:6] or 0)
    zone = _zone(groups[7] if match.re is _OFFSET else None)
    return datetime(int(match[1]), int(match[2]), int(match[3]), hour, minute, second, micro, tzinfo=zone)


def _zone(text: str | None) -> timezone:
    if text is None or text == "Z":
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:6])))
