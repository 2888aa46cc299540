"""Plain values as JSON values and as ``$filter`` literals of the service's OData version.

Sources: OData V2 "JSON Format" and "Abstract Type System"; OData JSON Format 4.01 section 7.1; OData URL
Conventions 4.01 section 5.1.1.
"""

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from agent.planning.slots import INTEGER_TYPES
from wire.context import FieldView
from wire.endpoint import ODataVersion

_V2_DATE = re.compile(r"/Date\((-?\d+)(?:[+-]\d+)?\)/")


def json_value(field: FieldView, value: Any, version: ODataVersion) -> Any:
    """The value as the payload holds it; what does not fit the type is left as it is, for validation to name."""
    old = version in ("2.0", "3.0")
    if not isinstance(value, str):
        return _number_text(value) if old and field.type in ("Edm.Decimal", "Edm.Int64") else value
    if field.type in ("Edm.DateTime", "Edm.DateTimeOffset", "Edm.Date"):
        return _date(field.type, value, old)
    if field.type in INTEGER_TYPES or field.type in ("Edm.Decimal", "Edm.Double", "Edm.Single"):
        return _numeric(field.type, value, old)
    if field.type == "Edm.Boolean":
        return value.casefold() == "true"
    return value


def literal(field: FieldView, value: Any, version: ODataVersion) -> str:
    """The right side of ``property eq …``."""
    old = version in ("2.0", "3.0")
    kind = field.type
    if isinstance(value, bool) or kind == "Edm.Boolean":
        return str(value).casefold()
    if kind in ("Edm.DateTime", "Edm.DateTimeOffset", "Edm.Date"):
        day = iso_day(str(value))
        if kind == "Edm.Date":
            return day
        if not old:
            return f"{day}T00:00:00Z"
        return f"datetime'{day}T00:00:00'" if kind == "Edm.DateTime" else f"datetimeoffset'{day}T00:00:00Z'"
    if kind in ("Edm.Decimal", "Edm.Int64"):
        return f"{value}{({'Edm.Decimal': 'M', 'Edm.Int64': 'L'}[kind]) if old else ''}"
    if kind in INTEGER_TYPES or kind in ("Edm.Double", "Edm.Single"):
        return str(value)
    if kind == "Edm.Guid":
        return f"guid'{value}'" if old else str(value)
    return "'" + str(value).replace("'", "''") + "'"


def iso_day(value: str) -> str:
    """The UTC day of an ISO date, a timestamp or a V2 ``/Date(…)/``."""
    match = _V2_DATE.fullmatch(value)
    if match:
        return datetime.fromtimestamp(int(match[1]) / 1000, UTC).date().isoformat()
    return value[:10]


def same(left: Any, right: Any) -> bool:
    """Equal as business values: ``000010`` = ``10``, ``20.0`` = ``20``, a day however it is written."""
    if left == right:
        return True
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return False
    first, second = str(left), str(right)
    try:
        return Decimal(first) == Decimal(second)
    except InvalidOperation:
        return iso_day(first) == iso_day(second) and ("Date" in first or "Date" in second)


def _date(kind: str, value: str, old: bool) -> str:
    if _V2_DATE.fullmatch(value) and old:
        return value
    try:
        instant = datetime.fromisoformat(iso_day(value)).replace(tzinfo=UTC)
    except ValueError:
        return value
    if kind == "Edm.Date":
        return instant.date().isoformat()
    if not old:
        return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
    offset = "+0000" if kind == "Edm.DateTimeOffset" else ""
    return f"/Date({int(instant.timestamp() * 1000)}{offset})/"


def _numeric(kind: str, value: str, old: bool) -> Any:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if kind in ("Edm.Decimal", "Edm.Int64") and old:
        return value
    if number == number.to_integral_value() and (kind in INTEGER_TYPES or "." not in value):
        return int(number)
    return value if kind in INTEGER_TYPES else float(number)


def _number_text(value: Any) -> Any:
    return format(Decimal(str(value)), "f") if isinstance(value, int | float) and not isinstance(value, bool) else value
