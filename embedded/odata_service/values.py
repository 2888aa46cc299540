"""Primitive values on the wire: JSON bodies and URL literals of V2 and V4, to and from the canonical form of `edm`."""

from __future__ import annotations

import base64
import binascii
import re
from decimal import Decimal
from typing import Any

from embedded.odata_service import edm
from embedded.odata_service.csdl_model import EnumType, Facets

_V2_PREFIXED = re.compile(r"^(datetimeoffset|datetime|time|guid|binary|X)'(.*)'$", re.DOTALL)
_V2_PREFIX_TYPES = {
    "datetime": "Edm.DateTime",
    "datetimeoffset": "Edm.DateTimeOffset",
    "time": "Edm.Time",
    "guid": "Edm.Guid",
    "binary": "Edm.Binary",
    "X": "Edm.Binary",
}
_V2_SUFFIX = re.compile(r"^(-?[0-9.]+(?:[eE][+-]?\d+)?|-?INF|NaN)([mMlLdDfF]?)$")


def _reject(value: Any, type_name: str) -> ValueError:
    return ValueError(f"{value!r} is no value of type {type_name}")


def _binary(text: str) -> str:
    try:
        padded = text.translate({45: 43, 95: 47}) + "=" * (-len(text) % 4)
        return base64.b64encode(base64.b64decode(padded, validate=True)).decode()
    except (binascii.Error, ValueError):
        raise ValueError(f"{text!r} is no base64 text") from None


def _text_value(text: str, type_name: str, v4: bool) -> Any:
    """Types whose JSON form is a string."""
    if type_name == "Edm.String":
        return text
    if type_name == "Edm.Guid":
        return edm.parse_guid(text)
    if type_name in ("Edm.Binary", "Edm.Stream"):
        return _binary(text)
    if type_name == "Edm.Date":
        return edm.parse_date(text)
    if type_name == "Edm.TimeOfDay":
        return edm.parse_time_of_day(text)
    if type_name in ("Edm.Duration", "Edm.Time"):
        return edm.parse_duration(text)
    if type_name in ("Edm.DateTime", "Edm.DateTimeOffset"):
        return _moment(text, type_name, v4)
    raise _reject(text, type_name)


def _moment(text: str, type_name: str, v4: bool) -> str:
    stamp = None if v4 else edm.parse_v2_json_date(text)
    if type_name == "Edm.DateTime":
        return stamp[0] if stamp else edm.parse_datetime(text)
    return f"{stamp[0]}Z" if stamp else edm.parse_datetimeoffset(text)


def _number_from_json(value: Any, type_name: str, v4: bool, ieee754: bool) -> Any:
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    if type_name in edm.FLOATS:
        if is_number:
            return float(value)
        if isinstance(value, str) and (not v4 or value in ("INF", "-INF", "NaN")):
            return edm.parse_float(value)
        raise _reject(value, type_name)
    as_text = type_name in ("Edm.Decimal", "Edm.Int64") and (not v4 or ieee754)
    if as_text and not isinstance(value, str):
        raise ValueError(f'{value!r}: {type_name} is sent as a JSON string here, for example "{value}"')
    if not as_text and not is_number:
        hint = " (a string needs IEEE754Compatible=true)" if isinstance(value, str) else ""
        raise ValueError(f"{value!r} is no JSON number for {type_name}{hint}")
    if type_name == "Edm.Decimal":
        return edm.parse_decimal(str(value))
    if isinstance(value, Decimal) and abs(value.adjusted()) < 30 and value == value.to_integral_value():
        value = int(value)
    return edm.parse_integer(str(value), type_name)


def storable(value: Any) -> Any:
    """A JSON value of undeclared type without Decimal inside, as the store keeps it."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: storable(item) for name, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list) else value


def from_json(value: Any, type_name: str, v4: bool, ieee754: bool = False) -> Any:
    """Canonical value of a JSON body value (never null here). Raises ValueError with a sentence for the caller."""
    if type_name in edm.NUMBERS:
        return _number_from_json(value, type_name, v4, ieee754)
    if type_name == "Edm.Boolean":
        if not isinstance(value, bool):
            raise _reject(value, type_name)
        return value
    if type_name.startswith(("Edm.Geo", "Edm.Untyped", "Edm.PrimitiveType", "Edm.ComplexType")):
        return storable(value)
    if not isinstance(value, str):
        raise _reject(value, type_name)
    return _text_value(value, type_name, v4)


def enum_value(value: Any, enum: EnumType) -> str:
    """Member names, comma-separated, in declared order; accepts names and numbers, several only for flags."""
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise ValueError(f"{value!r} is no member of {enum.name}")
    by_number = {number: name for name, number in enum.members.items()}
    chosen: list[str] = []
    for part in str(value).split(","):
        name = by_number.get(int(part), "") if re.fullmatch(r"\s*-?\d+\s*", part) else part.strip()
        if name not in enum.members:
            raise ValueError(f"{part.strip()!r} is no member of {enum.name}: {', '.join(enum.members)}")
        chosen.append(name)
    if len(chosen) > 1 and not enum.is_flags:
        raise ValueError(f"{value!r}: {enum.name} takes one member only")
    return ",".join(name for name in enum.members if name in chosen)


def check_facets(value: Any, type_name: str, facets: Facets, v4: bool, check_precision: bool = True) -> None:
    """MaxLength in characters, Precision and Scale in digits. Raises ValueError."""
    if type_name == "Edm.String" and facets.max_length is not None and len(value) > facets.max_length:
        raise ValueError(f"{value!r} has {len(value)} characters, the maximum length is {facets.max_length}")
    if type_name == "Edm.Binary" and facets.max_length is not None and len(base64.b64decode(value)) > facets.max_length:
        raise ValueError(f"the value is longer than {facets.max_length} bytes")
    if type_name != "Edm.Decimal":
        return
    whole, _, fraction = str(value).lstrip("-").partition(".")
    digits = len(whole.lstrip("0"))
    scale = facets.scale
    if scale is None and v4 and facets.precision is not None:
        scale = 0
    if isinstance(scale, int) and len(fraction.rstrip("0")) > scale:
        raise ValueError(f"{value} has {len(fraction)} decimals, the scale is {scale}")
    if check_precision and facets.precision is not None:
        room = facets.precision - (scale if isinstance(scale, int) else len(fraction.rstrip("0")))
        if digits > room:
            raise ValueError(
                f"{value} has {digits} digits before the point, precision {facets.precision} leaves {room}"
            )


def to_json(value: Any, type_name: str, v4: bool, ieee754: bool = False) -> Any:
    """JSON value of a canonical value."""
    if value is None:
        return None
    if type_name == "Edm.DateTime" and not v4:
        return f"/Date({edm.v2_milliseconds(value)})/"
    if type_name == "Edm.DateTimeOffset" and not v4:
        return f"/Date({edm.v2_milliseconds(value)}+0000)/"
    if type_name == "Edm.Int64":
        return str(value) if ieee754 or not v4 else value
    if type_name == "Edm.Decimal":
        return value if ieee754 or not v4 else json_number(value)
    if type_name in ("Edm.Binary", "Edm.Stream") and v4:
        return str(value).translate({43: 45, 47: 95}).rstrip("=")
    return value


def json_number(text: str) -> int | float:
    """A Decimal as JSON number; whole numbers stay exact."""
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(number)


def _v2_literal(text: str) -> tuple[str, str]:
    """(type, bare text) of a V2 URL literal; the type of a bare number is its widest fit."""
    prefixed = _V2_PREFIXED.match(text)
    if prefixed:
        return _V2_PREFIX_TYPES[prefixed.group(1)], prefixed.group(2)
    number = _V2_SUFFIX.match(text)
    if number:
        suffix = number.group(2).lower()
        by_suffix = {"m": "Edm.Decimal", "l": "Edm.Int64", "d": "Edm.Double", "f": "Edm.Single"}
        plain = "Edm.Int32" if re.fullmatch(r"-?\d+", number.group(1)) else "Edm.Double"
        return by_suffix.get(suffix, plain), number.group(1)
    raise ValueError(f"{text!r} is no OData V2 literal")


def _v4_literal(text: str) -> tuple[str, str]:
    patterns = (
        (r"-?\d+", "Edm.Int64"),
        (r"-?\d+\.\d+", "Edm.Decimal"),
        (r"-?\d+(\.\d+)?[eE][+-]?\d+|-?INF|NaN", "Edm.Double"),
        (r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "Edm.Guid"),
        (r"\d{4}-\d{2}-\d{2}", "Edm.Date"),
        (r"\d{4}-\d{2}-\d{2}T\S+", "Edm.DateTimeOffset"),
        (r"\d{2}:\d{2}(:\d{2}(\.\d+)?)?", "Edm.TimeOfDay"),
    )
    for pattern, type_name in patterns:
        if re.fullmatch(pattern, text):
            return type_name, text
    prefixed = re.fullmatch(r"(duration|binary)'(.*)'", text)
    if prefixed:
        return ("Edm.Duration" if prefixed.group(1) == "duration" else "Edm.Binary"), prefixed.group(2)
    raise ValueError(f"{text!r} is no OData V4 literal")


def read_literal(text: str, v4: bool) -> tuple[str, Any]:
    """(type name, canonical value) of a URL literal; type `null` for null."""
    if text == "null":
        return "null", None
    if text in ("true", "false"):
        return "Edm.Boolean", text == "true"
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return "Edm.String", text[1:-1].replace("''", "'")
    type_name, bare = _v4_literal(text) if v4 else _v2_literal(text)
    if type_name in edm.INTEGER_RANGES:
        return "Edm.Int64", edm.parse_integer(bare, "Edm.Int64")
    if type_name == "Edm.Decimal":
        return type_name, edm.parse_decimal(bare)
    if type_name in edm.FLOATS:
        return type_name, edm.parse_float(bare)
    if type_name == "Edm.Binary" and not v4:
        try:
            return type_name, base64.b64encode(bytes.fromhex(bare)).decode()
        except ValueError:
            raise ValueError(f"{text!r} is no hexadecimal binary literal") from None
    return type_name, _text_value(bare, type_name, v4)


def literal_as(text: str, type_name: str, v4: bool) -> Any:
    """Canonical value of a URL literal where `type_name` is expected (keys, parameters). Raises ValueError."""
    found, value = read_literal(text, v4)
    if found == type_name or found == "null":
        return value
    if found in edm.NUMBERS and type_name in edm.NUMBERS:
        if type_name in edm.INTEGER_RANGES:
            return edm.parse_integer(str(value), type_name)
        return edm.parse_decimal(str(value)) if type_name == "Edm.Decimal" else float(str(value))
    raise ValueError(f"{text} is a literal of type {found}, expected {type_name}")


def to_literal(value: Any, type_name: str, v4: bool) -> str:
    """URL literal (not percent-encoded) of a canonical value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if type_name == "Edm.String":
        return "'" + str(value).replace("'", "''") + "'"
    if v4 or type_name in ("Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32"):
        return f"'{value}'" if not type_name.startswith("Edm.") else str(value)
    prefixes = {short: long for long, short in _V2_PREFIX_TYPES.items() if long not in ("X",)}
    if type_name == "Edm.Binary":
        return f"X'{base64.b64decode(value).hex().upper()}'"
    if type_name in prefixes:
        return f"{prefixes[type_name]}'{value}'"
    suffix = {"Edm.Decimal": "M", "Edm.Int64": "L", "Edm.Double": "d", "Edm.Single": "f"}.get(type_name, "")
    return f"{value}{suffix}"


def loose_value(value: Any, type_name: str) -> Any:
    """Canonical value from a seed file, where dates may be plain days and numbers may be text."""
    if value is None or type_name.startswith("Edm.Geo"):
        return value
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if type_name == "Edm.Boolean":
        if text not in ("true", "false"):
            raise _reject(value, type_name)
        return text == "true"
    if type_name in edm.INTEGER_RANGES:
        return edm.parse_integer(text, type_name)
    if type_name == "Edm.Decimal":
        return edm.parse_decimal(text)
    if type_name in edm.FLOATS:
        return edm.parse_float(text)
    if type_name in ("Edm.DateTime", "Edm.DateTimeOffset") and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return edm.parse_date(text) + ("T00:00:00" if type_name == "Edm.DateTime" else "T00:00:00Z")
    if type_name == "Edm.Date":
        return edm.parse_date(text[:10])
    return _text_value(text, type_name, v4=False)
