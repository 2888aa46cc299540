"""Filter trees bound to a type (names and literal types checked once) and evaluated on rows.

Three-valued: comparisons with null are false except `eq null`/`ne null`, as OData defines; a null Boolean is not true.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Protocol

from embedded.odata_service import edm
from embedded.odata_service.filter_parser import Call, EnumLiteral, Lambda, Literal, Node, Path
from embedded.odata_service.schema import Collection, Service
from embedded.odata_service.store import Row
from embedded.odata_service.values import enum_value

_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "mod": operator.mod, "div": operator.truediv,
}  # fmt: skip
_MOMENTS = ("Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset", "Edm.TimeOfDay", "Edm.Time", "Edm.Duration")


class RowSource(Protocol):
    """How an evaluation follows navigations."""

    def related(self, row: Row, collection: Collection, nav: str) -> list[Row]: ...


@dataclass(slots=True)
class Scope:
    """What a name means: the row's data, its collection (None inside complex values) and lambda variables."""

    data: Mapping[str, Any]
    row: Row | None
    collection: Collection | None
    type: str
    variables: dict[str, Any]


class Evaluator:
    """Checks and evaluates filters of one service; `clock` answers `now()`."""

    def __init__(self, service: Service, source: RowSource, clock: Callable[[], datetime]) -> None:
        self._service = service
        self._source = source
        self._clock = clock

    # binding

    def check(self, node: Node, type_name: str, variables: dict[str, str] | None = None) -> str:
        """Type of the expression (empty when any). Raises ValueError for unknown names and unlike types."""
        variables = variables or {}
        if isinstance(node, Literal):
            return "" if node.type == "null" else node.type
        if isinstance(node, EnumLiteral):
            return self._service.document.resolve(node.type)
        if isinstance(node, Path):
            found, many = self.path_type(node.parts, type_name, variables)
            if many:
                raise ValueError(f"{'/'.join(node.parts)} is a collection: use any or all")
            return found
        if isinstance(node, Lambda):
            found, many = self.path_type(node.path.parts, type_name, variables)
            if not many:
                raise ValueError(f"{'/'.join(node.path.parts)} is no collection")
            if node.body is not None:
                self.check(node.body, type_name, {**variables, node.variable: found})
            return "Edm.Boolean"
        return self._check_call(node, [self.check(item, type_name, variables) for item in node.arguments])

    def _check_call(self, node: Call, types: list[str]) -> str:
        name = node.name
        if name in ("eq", "ne", "gt", "ge", "lt", "le", "in"):
            for other in types[1:]:
                self._check_alike(types[0], other, name)
            return "Edm.Boolean"
        if name in ("startswith", "endswith", "contains", "substringof"):
            for found in types:
                self._check_alike("Edm.String", found, name)
            return "Edm.Boolean"
        if name in ("and", "or", "not"):
            for found in types:
                self._check_alike("Edm.Boolean", found, name)
            return "Edm.Boolean"
        if name in ("year", "month", "day", "hour", "minute", "second"):
            self._check_among(types[0], _MOMENTS, name)
            return "Edm.Int32"
        if name in ("length", "indexof", "tolower", "toupper", "trim", "concat", "substring", "replace"):
            self._check_alike("Edm.String", types[0], name)
            return "Edm.Int32" if name in ("length", "indexof") else "Edm.String"
        if name in (*_ARITHMETIC, "neg", "round", "floor", "ceiling"):
            for found in types:
                self._check_among(found, edm.NUMBERS, name)
        if name in ("date", "time", "fractionalseconds"):
            self._check_among(types[0], _MOMENTS, name)
        return {"date": "Edm.Date", "time": "Edm.TimeOfDay", "now": "Edm.DateTimeOffset", "has": "Edm.Boolean"}.get(
            name, "Edm.Decimal"
        )

    @staticmethod
    def _check_among(found: str, allowed: tuple[str, ...], name: str) -> None:
        if found and found not in allowed:
            raise ValueError(f"{name!r} cannot take {found}")

    def _check_alike(self, one: str, other: str, name: str) -> None:
        if not one or not other or one == other or (one in edm.NUMBERS and other in edm.NUMBERS):
            return
        enums = self._service.document.enums
        if "Edm.String" in (one, other) and (one in enums or other in enums):
            return
        raise ValueError(f"{name!r} cannot compare {one} with {other}")

    def path_type(self, parts: tuple[str, ...], type_name: str, variables: Mapping[str, str]) -> tuple[str, bool]:
        """(type, is collection) at the end of a path. Raises ValueError for the first unknown part."""
        current, many = type_name, False
        for index, part in enumerate(parts):
            if index == 0 and part in (*variables, "$it"):
                current = variables.get(part, type_name)
                continue
            if part == "$count" and many:
                return "Edm.Int64", False
            if many:
                raise ValueError(f"{'/'.join(parts)}: {parts[index - 1]} is a collection: use any or all")
            current, many = self._member_type(part, current)
        return current, many

    def _member_type(self, part: str, current: str) -> tuple[str, bool]:
        if "." in part:
            cast = self._service.document.resolve(part)
            if self._service.document.is_a(cast, current):
                return cast, False
        prop = self._service.properties(current).get(part)
        if prop is not None:
            return self._service.underlying(prop.type.name), prop.type.collection
        nav = self._service.navigations(current).get(part)
        if nav is not None:
            return nav.type.name, nav.type.collection
        if self._service.document.is_open(current):
            return "", False
        raise ValueError(f"{current.rpartition('.')[2]} has no property {part!r}")

    # evaluation

    def matches(self, node: Node, row: Row, collection: Collection) -> bool:
        return self.value(node, Scope(row.data, row, collection, row.type, {})) is True

    def value(self, node: Node, scope: Scope) -> Any:
        """Raises ValueError where values that the metadata does not type cannot be combined."""
        try:
            return self._value(node, scope)
        except (TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"cannot be evaluated: {error}") from error

    def _value(self, node: Node, scope: Scope) -> Any:
        if isinstance(node, Literal):
            return edm.comparable(node.value, node.type)
        if isinstance(node, EnumLiteral):
            enum = self._service.document.enums.get(self._service.document.resolve(node.type))
            return enum_value(node.members, enum) if enum else node.members
        if isinstance(node, Path):
            return self._path(node.parts, scope)
        if isinstance(node, Lambda):
            return self._lambda(node, scope)
        return self._call(node, scope)

    def _path(self, parts: tuple[str, ...], scope: Scope) -> Any:
        first = parts[0]
        if first in scope.variables:
            held = scope.variables[first]
            if len(parts) == 1:
                return held
            if not isinstance(held, Scope):
                return None
            return self._path(parts[1:], Scope(held.data, held.row, held.collection, held.type, scope.variables))
        if first == "$it" or "." in first:
            return self._path(parts[1:], scope) if len(parts) > 1 else scope
        prop = self._service.properties(scope.type).get(first)
        if prop is None and first in self._service.navigations(scope.type):
            return self._navigate(parts, scope)
        value = scope.data.get(first)
        if len(parts) == 1:
            collection = prop is not None and prop.type.collection
            return value if collection or prop is None else self._comparable(value, prop.type.name)
        if parts[1:] == ("$count",):
            return Decimal(len(value or []))
        if not isinstance(value, dict) or prop is None:
            return None
        return self._path(parts[1:], Scope(value, None, None, prop.type.name, scope.variables))

    def _comparable(self, value: Any, type_name: str) -> Any:
        return edm.comparable(value, self._service.underlying(type_name))

    def _navigate(self, parts: tuple[str, ...], scope: Scope) -> Any:
        found = self._scopes(parts[0], scope)
        if parts[1:] == ("$count",):
            return Decimal(len(found))
        if len(parts) == 1:
            return found[0] if found else None
        return self._path(parts[1:], found[0]) if found else None

    def _scopes(self, name: str, scope: Scope) -> list[Scope]:
        if scope.row is None or scope.collection is None:
            return []
        relation = self._service.relation(scope.collection, scope.type, name)
        if relation is None:
            return []
        rows = self._source.related(scope.row, scope.collection, name)
        return [Scope(row.data, row, relation.target, row.type, scope.variables) for row in rows]

    def _elements(self, parts: tuple[str, ...], scope: Scope) -> list[Any]:
        for part in parts[:-1]:
            if isinstance(scope.variables.get(part), Scope):
                scope = scope.variables[part]
            elif part in self._service.navigations(scope.type):
                found = self._scopes(part, scope)
                if not found:
                    return []
                scope = found[0]
        last = parts[-1]
        prop = self._service.properties(scope.type).get(last)
        if prop is None:
            return list(self._scopes(last, scope))
        values = scope.data.get(last) or []
        if self._service.is_structured(prop.type.name):
            return [Scope(value, None, None, prop.type.name, scope.variables) for value in values]
        return [self._comparable(value, prop.type.name) for value in values]

    def _lambda(self, node: Lambda, scope: Scope) -> bool:
        elements = self._elements(node.path.parts, scope)
        if node.body is None:
            return bool(elements)
        body = node.body

        def holds(item: Any) -> bool:
            variables = {**scope.variables, node.variable: item}
            return self.value(body, Scope(scope.data, scope.row, scope.collection, scope.type, variables)) is True

        results = map(holds, elements)
        return any(results) if node.kind == "any" else all(results)

    def _call(self, node: Call, scope: Scope) -> Any:
        name = node.name
        if name == "and":
            return all(self.value(argument, scope) is True for argument in node.arguments)
        if name == "or":
            return any(self.value(argument, scope) is True for argument in node.arguments)
        values = [self.value(argument, scope) for argument in node.arguments]
        if name == "now":
            return self._clock().astimezone(UTC).replace(tzinfo=None)
        return apply(name, values)


def apply(name: str, values: list[Any]) -> Any:
    """One operator or function on evaluated arguments."""
    if name == "eq":
        return values[0] == values[1]
    if name == "ne":
        return values[0] != values[1]
    if name == "in":
        return values[0] in values[1:]
    if any(value is None for value in values):
        return None
    if name == "not":
        return not values[0]
    if name == "has":
        return set(str(values[1]).split(",")) <= set(str(values[0]).split(","))
    if name in _ORDER:
        return _ORDER[name](*values)
    if name in _ARITHMETIC:
        return _arithmetic(name, values)
    return _function(name, values)


def _arithmetic(name: str, values: list[Any]) -> Any:
    if any(isinstance(value, float) for value in values):
        values = [float(value) for value in values]
    if name in ("div", "mod") and not values[1]:
        raise ValueError("division by zero")
    return _ARITHMETIC[name](*values)


_TEXT: dict[str, Callable[..., Any]] = {
    "startswith": lambda text, start: text.startswith(start),
    "endswith": lambda text, end: text.endswith(end),
    "contains": lambda text, part: part in text,
    "substringof": lambda part, text: part in text,
    "length": lambda text: Decimal(len(text)),
    "indexof": lambda text, part: Decimal(text.find(part)),
    "substring": lambda text, start, count=None: text[int(start) : None if count is None else int(start + count)],
    "tolower": lambda text: text.lower(),
    "toupper": lambda text: text.upper(),
    "trim": lambda text: text.strip(),
    "concat": lambda one, other: one + other,
    "replace": lambda text, old, new: text.replace(old, new),
    "neg": lambda value: -value,
    "round": lambda value: Decimal(value).quantize(Decimal(1), "ROUND_HALF_UP"),
    "floor": lambda value: Decimal(math.floor(value)),
    "ceiling": lambda value: Decimal(math.ceil(value)),
    "date": lambda moment: moment.date() if isinstance(moment, datetime) else moment,
    "time": lambda moment: moment.time(),
    "fractionalseconds": lambda moment: Decimal(moment.microsecond) / 1_000_000,
}


def _function(name: str, values: list[Any]) -> Any:
    if name in ("year", "month", "day", "hour", "minute", "second"):
        part = getattr(values[0], name, None)
        if part is None or not isinstance(values[0], date) and name in ("year", "month", "day"):
            raise ValueError(f"{name} needs a date")
        return Decimal(part)
    return _TEXT[name](*values)
