"""Comparing what was written with what reads back: success without effect exists (pure).

Services normalise: decimals get zeros, numbers in texts get leading zeros, dates change their form, ``""`` becomes null.
These are no differences; a value that is another one is.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from odata.findings import escape
from odata.temporal_values import datetime_of_ticks, parse_iso
from wire.call import Difference

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_SECOND = timedelta(seconds=1)


def compare_written(sent: Mapping[str, Any], read: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Members of ``sent`` that ``read`` shows otherwise. Pointers are relative to the entity.

    Navigations are compared as far as they were read; references and control information never.
    """
    return tuple(_object(sent, read, ""))


def _object(sent: Mapping[str, Any], read: Mapping[str, Any], at: str) -> list[Difference]:
    found: list[Difference] = []
    for name, value in sent.items():
        if "@" in name or name.startswith("__"):
            continue
        here = f"{at}/{escape(name)}"
        value = _unwrapped(value)
        if isinstance(value, (dict, list)) and (name not in read or _is_reference(value)):
            # A navigation or stream that the read did not expand says nothing about the write.
            continue
        found.extend(_value(value, _unwrapped(read.get(name)), here))
    return found


def _unwrapped(value: Any) -> Any:
    """V2 ``{"results": [...]}`` as the array."""
    if isinstance(value, Mapping) and isinstance(value.get("results"), list):
        return value["results"]
    return value


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and all("@" in n or n.startswith("__") for n in value)


def _value(sent: Any, read: Any, here: str) -> list[Difference]:
    if isinstance(sent, Mapping) and isinstance(read, Mapping):
        return _object(sent, read, here)
    if isinstance(sent, list) and isinstance(read, list):
        return _array(sent, read, here)
    return [] if same_value(sent, read) else [Difference(pointer=here, sent=sent, read=read)]


def _array(sent: Sequence[Any], read: Sequence[Any], here: str) -> list[Difference]:
    """Services order entries by key: each sent entry is held against the one left that fits it best."""
    left = list(read)
    found: list[Difference] = []
    for index, value in enumerate(sent):
        at = f"{here}/{index}"
        if not left:
            found.append(Difference(pointer=at, sent=value, read=None))
            continue
        candidates = [_value(value, other, at) for other in left]
        best = min(range(len(candidates)), key=lambda i: len(candidates[i]))
        found.extend(candidates[best])
        left.pop(best)
    return found


def same_value(sent: Any, read: Any) -> bool:
    """Whether two primitive values mean the same, in whichever JSON form each stands."""
    if _is_initial(sent) and _is_initial(read):
        return True
    if sent is None or read is None or isinstance(sent, bool) or isinstance(read, bool):
        return sent is read
    if sent == read:
        return True
    numbers = _number(sent), _number(read)
    if numbers[0] is not None and numbers[1] is not None:
        return numbers[0] == numbers[1]
    moments = _moment(sent), _moment(read)
    if moments[0] is not None and moments[1] is not None:
        return _same_moment(moments[0], moments[1])
    if isinstance(sent, str) and isinstance(read, str):
        return sent.rstrip() == read.rstrip() or (_is_guid(sent) and sent.lower() == read.lower())
    return False


def _is_initial(value: Any) -> bool:
    return value is None or value == ""


def _number(value: Any) -> Decimal | None:
    if isinstance(value, (int, float, Decimal)):
        return Decimal(str(value))
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return Decimal(value.strip())
    return None


def _moment(value: Any) -> datetime | None:
    return (datetime_of_ticks(value) or parse_iso(value)) if isinstance(value, str) else None


def _same_moment(sent: datetime, read: datetime) -> bool:
    """A day (midnight) agrees with any time of that day; times agree to the second."""
    if sent.time() == datetime.min.time() or read.time() == datetime.min.time():
        return sent.date() == read.date()
    return abs(sent - read) < _SECOND


def _is_guid(value: str) -> bool:
    return len(value) == 36 and value.count("-") == 4
