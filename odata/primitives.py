"""Checks of single primitive values by type: each returns the Fault, or None for a value that fits.

A check is a closure over the facets, so that a payload is checked without looking anything up.
"""

import base64
import binascii
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

from odata.findings import Fault
from odata.temporal_values import (
    v2_datetime_problem,
    v2_offset_problem,
    v2_time_problem,
    v4_date_problem,
    v4_duration_problem,
    v4_offset_problem,
    v4_time_problem,
)
from wire.endpoint import Property

Check = Callable[[Any], Fault | None]

INTEGER_RANGES: dict[str, tuple[int, int]] = {
    "Edm.Byte": (0, 255),
    "Edm.SByte": (-128, 127),
    "Edm.Int16": (-(2**15), 2**15 - 1),
    "Edm.Int32": (-(2**31), 2**31 - 1),
    "Edm.Int64": (-(2**63), 2**63 - 1),
}
# What EDM calls a shape, and what GeoJSON (RFC 7946) calls it.
_SHAPES = {
    "Point": "Point",
    "LineString": "LineString",
    "Polygon": "Polygon",
    "MultiPoint": "MultiPoint",
    "MultiLineString": "MultiLineString",
    "MultiPolygon": "MultiPolygon",
    "Collection": "GeometryCollection",
}
_SINGLE_MAX = 3.4028235677973366e38
_INTEGER = re.compile(r"-?\d{1,19}")
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")
_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*={0,2}")


def json_kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float, Decimal)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def is_number(value: Any) -> bool:
    """Whether the value is a finite JSON number."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, (float, Decimal)) and isfinite(value))


def check_string(prop: Property, v4: bool) -> Check:
    """R13 and R14. MaxLength counts characters, not bytes."""
    limit = prop.max_length

    def check(value: Any) -> Fault | None:
        if not isinstance(value, str):
            return Fault("R13", f"{prop.name} is Edm.String: write it in quotes, this is {json_kind(value)}")
        if limit is not None and len(value) > limit:
            return Fault("R14", f"{prop.name} has {len(value)} characters, at most {limit} are allowed")
        return None

    return check


def check_boolean(prop: Property, v4: bool) -> Check:
    """R19."""

    def check(value: Any) -> Fault | None:
        if isinstance(value, bool):
            return None
        return Fault("R19", f"{prop.name} is Edm.Boolean: true or false without quotes", ("true", "false"))

    return check


def check_integer(prop: Property, v4: bool) -> Check:
    """R17, and R16 for Int64, which V2 carries as a string."""
    low, high = INTEGER_RANGES[prop.type]
    as_string = prop.type == "Edm.Int64" and not v4

    def check(value: Any) -> Fault | None:
        if as_string:
            if not isinstance(value, str):
                return Fault("R16", f"{prop.name} is Edm.Int64: OData 2.0 writes it as a string")
            if not _INTEGER.fullmatch(value):
                return Fault("R17", f"{prop.name} is Edm.Int64: digits only")
            value = int(value)
        elif isinstance(value, bool) or not isinstance(value, int):
            if prop.type == "Edm.Int64" and isinstance(value, str):
                return Fault("R16", f"{prop.name} is Edm.Int64: OData 4 writes it as a number")
            return Fault("R17", f"{prop.name} is {prop.type}: a whole number without quotes")
        if not low <= value <= high:
            return Fault("R17", f"{prop.name} is {prop.type}: from {low} to {high}")
        return None

    return check


def check_decimal(prop: Property, v4: bool) -> Check:
    """R15 and R16: V2 decimals are strings, V4 decimals numbers (IEEE754Compatible is never asked for)."""

    def check(value: Any) -> Fault | None:
        if v4:
            if prop.scale == "floating" and value in ("INF", "-INF", "NaN"):
                return None
            if not is_number(value):
                return Fault("R16", f"{prop.name} is Edm.Decimal: OData 4 writes it as a number without quotes")
            # The text of a float is the shortest that means it; zeros at the end are lost there, so they never count.
            return decimal_fault(prop, _trimmed(Decimal(str(value))), v4)
        if not isinstance(value, str):
            return Fault("R16", f"{prop.name} is Edm.Decimal: OData 2.0 writes it as a string")
        if not _DECIMAL.fullmatch(value):
            return Fault("R15", f"{prop.name} is Edm.Decimal: digits with a point, such as 12.50")
        return decimal_fault(prop, Decimal(value), v4)

    return check


def _trimmed(number: Decimal) -> Decimal:
    """Without zeros at the end of the fraction. ``Decimal.normalize`` would round to the context's precision."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return number
    while exponent < 0 and digits and digits[-1] == 0:
        digits, exponent = digits[:-1], exponent + 1
    return Decimal((sign, digits or (0,), exponent))


def decimal_fault(prop: Property, number: Decimal, v4: bool) -> Fault | None:
    """R15. Without Scale a V4 decimal is whole (its default is 0), a V2 decimal is not limited."""
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return Fault("R15", f"{prop.name} is Edm.Decimal: a finite number")
    places = max(-exponent, 0)
    whole = max(len(digits) + exponent, 0) if number else 0
    scale = (0 if v4 else "variable") if prop.scale is None else prop.scale
    if isinstance(scale, str):
        return _variable_scale_fault(prop, scale, digits, whole + places if number else 0)
    if places > scale:
        return Fault("R15", f"{prop.name} has {places} decimals, Scale is {scale}")
    room = whole if prop.precision is None else max(prop.precision - scale, 0)
    if whole > room:
        return Fault("R15", f"{prop.name} has {whole} digits before the point, Precision and Scale leave {room}")
    return None


def _variable_scale_fault(prop: Property, scale: str, digits: tuple[int, ...], used: int) -> Fault | None:
    if scale == "floating":
        used = len("".join(map(str, digits)).strip("0"))
    if prop.precision is not None and used > prop.precision:
        return Fault("R15", f"{prop.name} has {used} digits, Precision is {prop.precision}")
    return None


def check_double(prop: Property, v4: bool) -> Check:
    """R18."""
    single = prop.type == "Edm.Single"

    def check(value: Any) -> Fault | None:
        if isinstance(value, str) and value in ("INF", "-INF", "NaN"):
            return None
        if not is_number(value):
            return Fault("R18", f"{prop.name} is {prop.type}: a number without quotes, INF, -INF or NaN")
        if single and abs(value) > _SINGLE_MAX:
            return Fault("R18", f"{prop.name} is Edm.Single: at most 3.4E38")
        return None

    return check


def check_guid(prop: Property, v4: bool) -> Check:
    """R23."""

    def check(value: Any) -> Fault | None:
        if isinstance(value, str) and _GUID.fullmatch(value):
            return None
        return Fault("R23", f"{prop.name} is Edm.Guid: 8-4-4-4-12 hexadecimal digits")

    return check


def check_binary(prop: Property, v4: bool) -> Check:
    """R23 and R14: base64 in V2, base64url in V4; MaxLength counts bytes."""

    def check(value: Any) -> Fault | None:
        if not isinstance(value, str):
            return Fault("R23", f"{prop.name} is Edm.Binary: a base64 string")
        try:
            octets = _decode(value, v4)
        except (binascii.Error, ValueError):
            return Fault("R23", f"{prop.name} is Edm.Binary: {'base64url' if v4 else 'base64'}")
        if prop.max_length is not None and len(octets) > prop.max_length:
            return Fault("R14", f"{prop.name} has {len(octets)} bytes, at most {prop.max_length} are allowed")
        return None

    return check


def _decode(text: str, v4: bool) -> bytes:
    if not v4:
        return base64.b64decode(text, validate=True)
    if not _BASE64URL.fullmatch(text):
        raise ValueError("not base64url")
    bare = text.rstrip("=")
    return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))


def _temporal(rule: str, problem: Callable[[str, int | None], str]) -> Callable[[Property, bool], Check]:
    def build(prop: Property, v4: bool) -> Check:
        def check(value: Any) -> Fault | None:
            if not isinstance(value, str):
                return Fault(rule, f"{prop.name} is {prop.type}: a string, this is {json_kind(value)}")
            why = problem(value, prop.precision)
            return Fault(rule, f"{prop.name} is {prop.type}: {why}") if why else None

        return check

    return build


def check_geo(prop: Property, v4: bool) -> Check:
    """V4 geography and geometry are GeoJSON objects; V2 and V3 have no such types in JSON that we know of."""

    shape = prop.type.removeprefix("Edm.Geography").removeprefix("Edm.Geometry")
    shapes = (_SHAPES[shape],) if shape in _SHAPES else tuple(_SHAPES.values())

    def check(value: Any) -> Fault | None:
        members = (
            "geometries" if isinstance(value, dict) and value.get("type") == "GeometryCollection" else "coordinates"
        )
        if isinstance(value, dict) and value.get("type") in shapes and isinstance(value.get(members), list):
            return None
        message = f"{prop.name} is {prop.type}: a GeoJSON object with type and coordinates"
        return Fault("R32", message, shapes)

    return check


def check_stream(prop: Property, v4: bool) -> Check:
    """R59."""

    def check(value: Any) -> Fault | None:
        return Fault("R59", f"{prop.name} is a stream: it is uploaded as media, not written as JSON")

    return check


def parse_bound(text: str | None) -> Decimal | None:
    """A Minimum or Maximum as a number; None when absent or no number (dates are not compared)."""
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        return None


_V2_ONLY: dict[str, Callable[[Property, bool], Check]] = {
    "Edm.DateTime": _temporal("R20", v2_datetime_problem),
    "Edm.Time": _temporal("R21", lambda text, _: v2_time_problem(text)),
    "Edm.DateTimeOffset": _temporal("R21", v2_offset_problem),
}
_V4_ONLY: dict[str, Callable[[Property, bool], Check]] = {
    "Edm.Date": _temporal("R22", lambda text, _: v4_date_problem(text)),
    "Edm.TimeOfDay": _temporal("R22", v4_time_problem),
    "Edm.DateTimeOffset": _temporal("R22", v4_offset_problem),
    "Edm.Duration": _temporal("R22", v4_duration_problem),
}
_BOTH: dict[str, Callable[[Property, bool], Check]] = {
    "Edm.String": check_string,
    "Edm.Boolean": check_boolean,
    "Edm.Decimal": check_decimal,
    "Edm.Single": check_double,
    "Edm.Double": check_double,
    "Edm.Guid": check_guid,
    "Edm.Binary": check_binary,
    "Edm.Stream": check_stream,
    **dict.fromkeys(INTEGER_RANGES, check_integer),
}


def builder_of(type_name: str, v4: bool) -> Callable[[Property, bool], Check] | None:
    """What builds the check of a primitive type; None for Edm.Untyped and types that nobody knows."""
    if type_name.startswith(("Edm.Geography", "Edm.Geometry")):
        return check_geo
    found = (_V4_ONLY if v4 else _V2_ONLY).get(type_name)
    return found or _BOTH.get(type_name) or (_V2_ONLY if v4 else _V4_ONLY).get(type_name)
