"""Valid JSON values by type and facets, the same ones in every run. ``number`` tells entities apart."""

from decimal import Decimal
from typing import Any

from odata.model import Model
from odata.primitives import INTEGER_RANGES
from wire.endpoint import Property

_GUID = "6d3b3f0e-6d5c-4a0e-9a42-{:012x}"


class NoValue(Exception):
    """The facets leave no value that we can make up (a pattern, codes that are not known)."""


def value_of(model: Model, prop: Property, number: int) -> Any:
    """A value of the property's type. Raises NoValue."""
    single = _single(model, prop, number)
    return [single] if prop.collection else single


def _single(model: Model, prop: Property, number: int) -> Any:
    if (enum := model.enums.get(prop.type)) is not None:
        if not enum.members:
            raise NoValue(f"{enum.name} has no members")
        return enum.members[0][0]
    if prop.type in model.types:
        raise NoValue("complex")
    resolved = model.underlying(prop)
    if resolved.pattern is not None or resolved.multiple_of is not None:
        raise NoValue("pattern")
    if resolved.allowed:
        return _typed(resolved, resolved.allowed[0].code)
    if resolved.code_list is not None and resolved.code_list.fixed and resolved.code_list.codes:
        return _typed(resolved, resolved.code_list.codes[0].code)
    return _primitive(resolved, number, model.v4)


def _typed(prop: Property, code: str) -> Any:
    if prop.type == "Edm.String":
        return code
    if prop.type in INTEGER_RANGES:
        return int(code)
    raise NoValue(f"codes of {prop.type}")


def _primitive(prop: Property, number: int, v4: bool) -> Any:
    if prop.type == "Edm.String":
        return _text(prop, number)
    if prop.type == "Edm.Boolean":
        return True
    if prop.type in INTEGER_RANGES:
        whole = _bounded(prop, number)
        return str(whole) if prop.type == "Edm.Int64" and not v4 else whole
    if prop.type == "Edm.Decimal":
        return _decimal(prop, number, v4)
    if prop.type in ("Edm.Double", "Edm.Single"):
        return _bounded(prop, number)
    plain = (_V4 if v4 else _V2).get(prop.type)
    if plain is None:
        raise NoValue(prop.type)
    return plain.format(number) if prop.type == "Edm.Guid" else plain


_V2 = {
    "Edm.Guid": _GUID,
    "Edm.DateTime": "/Date(1767225600000)/",
    "Edm.DateTimeOffset": "/Date(1767225600000+0000)/",
    "Edm.Time": "PT12H30M00S",
    "Edm.Binary": "AQID",
}
_V4 = {
    "Edm.Guid": _GUID,
    "Edm.Date": "2026-01-01",
    "Edm.DateTimeOffset": "2026-01-01T00:00:00Z",
    "Edm.TimeOfDay": "12:30:00",
    "Edm.Duration": "PT1H30M",
    "Edm.Binary": "AQID",
}


def _text(prop: Property, number: int) -> str:
    limit = prop.max_length
    text = f"A{number:02d}"
    if limit is None or limit >= len(text):
        return text
    return text[-limit:] if limit > 0 else ""


def _bounded(prop: Property, number: int) -> int:
    low = Decimal(prop.minimum) if prop.minimum is not None else None
    high = Decimal(prop.maximum) if prop.maximum is not None else None
    wanted = number
    if low is not None and wanted <= low:
        wanted = int(low) + 1
    if high is not None and wanted >= high:
        wanted = int(high) - 1
    if low is not None and wanted < low:
        raise NoValue("bounds")
    return wanted


def _decimal(prop: Property, number: int, v4: bool) -> Any:
    scale = prop.scale if isinstance(prop.scale, int) else 0
    whole = None if prop.precision is None else prop.precision - scale
    if whole is not None and whole < 2 and prop.minimum is None:
        number = number if whole == 1 and number < 10 else 0
    wanted = _bounded(prop, number)
    return wanted if v4 else str(wanted)
