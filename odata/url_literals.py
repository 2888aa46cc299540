"""Literals as they stand in URLs: quoting, prefixes and suffixes of V2, bare forms of V4, percent-encoding.

Sources: OData 2.0 URI Conventions and Overview section 6; OData ABNF Construction Rules 4.01 (primitiveLiteral).
"""

import base64
import re
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from odata.primitives import json_kind
from odata.temporal_values import (
    datetime_of_ticks,
    v2_datetime_problem,
    v2_offset_problem,
    v2_time_problem,
    v4_date_problem,
    v4_duration_problem,
    v4_offset_problem,
    v4_time_problem,
)

GUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_ANY_PRECISION = 12
_STRING = r"'(?:[^']|'')*'"

_V2_FORMS: tuple[tuple[str, str], ...] = (
    ("Edm.Guid", rf"guid'{GUID}'"),
    ("Edm.DateTimeOffset", r"datetimeoffset'[^']*'"),
    ("Edm.DateTime", r"datetime'[^']*'"),
    ("Edm.Time", r"time'[^']*'"),
    ("Edm.Binary", r"(?:X|binary)'(?:[0-9a-fA-F]{2})*'"),
    ("Edm.String", _STRING),
    ("Edm.Decimal", r"-?\d+(?:\.\d+)?[mM]"),
    ("Edm.Int64", r"-?\d+[lL]"),
    ("Edm.Double", r"-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[dD]|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)"),
    ("Edm.Single", r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[fF]"),
    ("Edm.Int32", r"-?\d+"),
    ("Edm.Double", r"-?INF|Nan|NaN"),
    ("Edm.Boolean", r"true|false"),
    ("null", r"null"),
)
_V4_FORMS: tuple[tuple[str, str], ...] = (
    ("Edm.Guid", GUID),
    ("Edm.DateTimeOffset", r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)"),
    ("Edm.Date", r"-?\d{4,}-\d\d-\d\d"),
    ("Edm.TimeOfDay", r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?"),
    ("Edm.Duration", r"(?:duration)?'-?P[^']*'"),
    ("Edm.Binary", r"binary'[A-Za-z0-9_=-]*'"),
    ("Edm.Geography", r"(?:geography|geometry)'[^']*'"),
    ("Edm.String", _STRING),
    ("Edm.Decimal", r"-?\d+\.\d+"),
    ("Edm.Double", r"-?\d+(?:\.\d+)?[eE][+-]?\d+|-?INF|NaN"),
    ("Edm.Int32", r"-?\d+"),
    ("Edm.Boolean", r"true|false"),
    ("null", r"null"),
)
_END = r"(?![\w.])"
_V2_PATTERNS = tuple((name, re.compile(f"(?:{form}){_END}")) for name, form in _V2_FORMS)
_V4_PATTERNS = tuple((name, re.compile(f"(?:{form}){_END}")) for name, form in _V4_FORMS)
# A 4.01 service takes a duration without prefix too; there it looks like a string and is told apart by the operand.
_FOREIGN_IN_V4 = re.compile(
    rf"(?:guid|datetime|datetimeoffset|time)'[^']*'|X'[0-9a-fA-F]*'|-?\d+(?:\.\d+)?[mMlLdDfF]{_END}"
    # A moment without zone is a literal of neither version.
    rf"|-?\d{{4,}}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?{_END}(?![+-])"
)
_FOREIGN_IN_V2 = re.compile(
    rf"{GUID}{_END}|-?\d{{4,}}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?{_END}|\d\d:\d\d:\d\d{_END}|duration'[^']*'"
)

NUMERIC = frozenset(
    {"Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Decimal", "Edm.Single", "Edm.Double"}
)


class Literal(NamedTuple):
    """A literal in a URL: its text, its primitive type (``null`` for null) and why it is malformed, if so."""

    text: str
    type: str
    problem: str = ""


def literal_at(text: str, position: int, v4: bool) -> Literal | None:
    """The literal of the version that begins at ``position``; None when none does."""
    for name, pattern in _V4_PATTERNS if v4 else _V2_PATTERNS:
        match = pattern.match(text, position)
        if match is not None:
            found = match[0]
            if name == "Edm.Duration" and not found.startswith("duration"):
                continue
            return Literal(found, name, literal_value_problem(found, name, v4))
    return None


def foreign_literal_at(text: str, position: int, v4: bool) -> str:
    """A literal of the other version that begins at ``position``, or an empty string."""
    match = (_FOREIGN_IN_V4 if v4 else _FOREIGN_IN_V2).match(text, position)
    return match[0] if match else ""


def literal_value_problem(text: str, type_name: str, v4: bool) -> str:
    """Why the value inside a well-formed literal is impossible (no such day …), or an empty string."""
    if v4:
        if type_name == "Edm.Date":
            return v4_date_problem(text)
        if type_name == "Edm.DateTimeOffset":
            return v4_offset_problem(text, _ANY_PRECISION)
        if type_name == "Edm.TimeOfDay":
            return v4_time_problem(text, _ANY_PRECISION)
        if type_name == "Edm.Duration":
            return v4_duration_problem(_inner(text), _ANY_PRECISION)
        return ""
    inner = _inner(text)
    if type_name in ("Edm.DateTime", "Edm.DateTimeOffset"):
        if inner.startswith("/Date("):
            return "in a URL a date is written YYYY-MM-DDThh:mm:ss"
        check = v2_datetime_problem if type_name == "Edm.DateTime" else v2_offset_problem
        return check(inner, None)
    return v2_time_problem(inner) if type_name == "Edm.Time" else ""


def _inner(text: str) -> str:
    return text[text.find("'") + 1 : -1]


def quote_string(value: str) -> str:
    """A string literal: quotes around, quotes inside doubled. Percent-encoding comes later, over the whole URL."""
    return "'" + value.replace("'", "''") + "'"


def unquote_string(literal: str) -> str:
    """The value of a string literal."""
    return literal[1:-1].replace("''", "'")


def format_literal(type_name: str, value: Any, v4: bool) -> str:
    """The URL literal of a JSON value (as bodies carry it), not yet percent-encoded.

    Raises ValueError for a value that has no literal (an object, null as a key).
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        raise ValueError(f"{json_kind(value)} has no URL literal")
    text = _plain(value)
    if type_name == "Edm.String":
        return quote_string(text)
    return _v4_literal(type_name, text) if v4 else _v2_literal(type_name, text)


def _plain(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def _v4_literal(type_name: str, text: str) -> str:
    if type_name == "Edm.Duration":
        return f"duration'{text}'"
    if type_name == "Edm.Binary":
        return f"binary'{text}'"
    if type_name.startswith("Edm."):
        return text
    return f"{type_name}'{text}'"  # an enumeration


def _v2_literal(type_name: str, text: str) -> str:
    if type_name == "Edm.Guid":
        return f"guid'{text}'"
    if type_name in ("Edm.DateTime", "Edm.DateTimeOffset"):
        moment = datetime_of_ticks(text)
        if moment is not None:
            text = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
            text += f".{moment.microsecond // 1000:03d}" if moment.microsecond else ""
            text += "Z" if type_name == "Edm.DateTimeOffset" else ""
        return f"{type_name.removeprefix('Edm.').lower()}'{text}'"
    if type_name == "Edm.Time":
        return f"time'{text}'"
    if type_name == "Edm.Binary":
        return f"X'{base64.b64decode(text).hex().upper()}'"
    suffix = {"Edm.Decimal": "M", "Edm.Int64": "L", "Edm.Double": "d", "Edm.Single": "f"}.get(type_name, "")
    return f"{text}{suffix}"


def encode_segment(text: str) -> str:
    """Percent-encode one path segment, key predicate and all. What may stand in a segment by RFC 3986 stays readable."""
    return quote(text, safe="()',=$@:!*;-._~")


def encode_query_value(text: str) -> str:
    """Percent-encode the value of a query option; ``&``, ``+``, ``#`` and blanks never stay as they are."""
    return quote(text, safe="()',=$@:!*;/-._~?")


def unquote_path(text: str) -> str:
    """Undo percent-encoding."""
    return unquote(text)
