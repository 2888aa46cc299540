"""Single values that break one rule, and values right at the bound that do not."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from odata.model import Model
from odata.primitives import INTEGER_RANGES
from wire.endpoint import Property


class Value(NamedTuple):
    """``rule`` is broken, or only touched when ``good``."""

    rule: str
    value: Any
    why: str
    good: bool = False


def values_for(model: Model, prop: Property) -> Iterator[Value]:
    """Bad values and good neighbours of a property that is no complex one; a collection gets them as its item."""
    if (enum := model.enums.get(prop.type)) is not None:
        yield Value("R24", "NoSuchMember", "no member")
        if enum.members and not enum.flags and len(enum.members) > 1:
            yield Value("R24", f"{enum.members[0][0]},{enum.members[1][0]}", "two members, no IsFlags")
        return
    resolved = model.underlying(prop)
    constrained = bool(resolved.allowed or resolved.pattern or resolved.minimum or resolved.maximum)
    fixed = resolved.code_list is not None and resolved.code_list.fixed and bool(resolved.code_list.codes)
    yield from _by_type(resolved, model.v4, free=not (constrained or fixed))
    if resolved.allowed and resolved.type == "Edm.String":
        yield Value("R25", resolved.allowed[0].code + "?", "no allowed value")
    if fixed and resolved.type == "Edm.String":
        yield Value("R26", "~", "no code of the list")
    yield from _bounds(resolved)


def _bounds(prop: Property) -> Iterator[Value]:
    if prop.type not in INTEGER_RANGES and prop.type != "Edm.Decimal":
        return
    for bound, step in ((prop.minimum, -1), (prop.maximum, 1)):
        if bound is not None:
            yield Value("R29", int(Decimal(bound)) + step, f"beyond {bound}")


def _by_type(prop: Property, v4: bool, free: bool) -> Iterator[Value]:
    if prop.type == "Edm.String":
        yield from _strings(prop, free)
    elif prop.type in INTEGER_RANGES:
        yield from _integers(prop, v4, free)
    elif prop.type == "Edm.Decimal":
        yield from _decimals(prop, v4, free)
    else:
        yield from _OTHERS.get(prop.type, _V4_OTHERS if v4 else _V2_OTHERS)(prop, v4)


def _strings(prop: Property, free: bool) -> Iterator[Value]:
    yield Value("R13", 4711, "a number")
    limit = prop.max_length
    if limit is not None and limit < 2000:
        yield Value("R14", "x" * (limit + 1), f"{limit + 1} characters")
        if free:
            yield Value("R14", "é" * limit, f"{limit} characters of two bytes", good=True)


def _integers(prop: Property, v4: bool, free: bool) -> Iterator[Value]:
    low, high = INTEGER_RANGES[prop.type]
    text = prop.type == "Edm.Int64" and not v4
    yield Value("R17", str(high + 1) if text else high + 1, "one more than the type holds")
    if not text:
        yield Value("R17", Decimal("1.5"), "a fraction")
    if prop.type == "Edm.Int64":
        yield Value("R16", 5 if text else "5", "the other version's form")
    if free:
        yield Value("R17", str(low) if text else low, "the smallest value", good=True)


def _decimals(prop: Property, v4: bool, free: bool) -> Iterator[Value]:
    def form(text: str) -> Any:
        return Decimal(text) if v4 else text

    yield Value("R16" if v4 else "R15", "abc", "no number")
    yield Value("R16", 5 if not v4 else "5", "the other version's form")
    if isinstance(prop.scale, int):
        yield Value("R15", form("0." + "0" * prop.scale + "1"), f"{prop.scale + 1} decimals")
        if prop.precision is not None and 0 <= prop.precision - prop.scale < 27:
            whole = "9" * (prop.precision - prop.scale)
            yield Value("R15", form("1" + whole), "one digit too many before the point")
            if free and prop.precision <= 15:
                fraction = "." + "9" * prop.scale if prop.scale else ""
                yield Value("R15", form((whole or "0") + fraction), "every digit used", good=True)


def _doubles(prop: Property, v4: bool) -> Iterator[Value]:
    yield Value("R18", "x", "no number")
    yield Value("R18", "INF", "infinite", good=True)


def _booleans(prop: Property, v4: bool) -> Iterator[Value]:
    yield Value("R19", "true", "a string")


def _guids(prop: Property, v4: bool) -> Iterator[Value]:
    yield Value("R23", "6d3b3f0e-6d5c-4a0e-9a42-7b8c7a9f1e0", "a digit short")
    yield Value("R23", "6D3B3F0E-6D5C-4A0E-9A42-7B8C7A9F1E01", "capital letters", good=True)


def _binaries(prop: Property, v4: bool) -> Iterator[Value]:
    yield Value("R23", "###", "not base64")


def _v2_others(prop: Property, v4: bool) -> Iterator[Value]:
    if prop.type == "Edm.DateTime":
        yield Value("R20", "tomorrow", "no date")
        yield Value("R20", "2023-02-29T00:00:00", "no such day")
        yield Value("R20", "2024-02-29T00:00:00", "a leap day", good=True)
    elif prop.type == "Edm.DateTimeOffset":
        yield Value("R21", "tomorrow", "no date")
    elif prop.type == "Edm.Time":
        yield Value("R21", "12:30", "not the duration form")


def _v4_others(prop: Property, v4: bool) -> Iterator[Value]:
    if prop.type == "Edm.Date":
        yield Value("R22", "31.12.2026", "a German date")
        yield Value("R22", "2023-02-29", "no such day")
        yield Value("R22", "2024-02-29", "a leap day", good=True)
    elif prop.type == "Edm.DateTimeOffset":
        yield Value("R22", "2026-01-31T10:00:00", "no zone")
        yield Value("R22", "2026-01-31T10:00:00+05:30", "a zone", good=True)
    elif prop.type == "Edm.TimeOfDay":
        yield Value("R22", "25:00:00", "no such hour")
    elif prop.type == "Edm.Duration":
        yield Value("R22", "1 hour", "no duration")


_V2_OTHERS, _V4_OTHERS = _v2_others, _v4_others
_OTHERS = {
    "Edm.Double": _doubles,
    "Edm.Single": _doubles,
    "Edm.Boolean": _booleans,
    "Edm.Guid": _guids,
    "Edm.Binary": _binaries,
}
