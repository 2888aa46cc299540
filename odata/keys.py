"""Key predicates: the key of a call (JSON values), keys written in references, and their URL form (R44)."""

import re
from typing import Any

from odata.facets import compile_check
from odata.findings import Report, did_you_mean, escape
from odata.model import Model
from odata.primitives import is_number
from odata.url_literals import NUMERIC, Literal, format_literal, literal_at
from wire.endpoint import Property, StructuredType

_NAME = re.compile(r"\s*([A-Za-z_][\w./]*)\s*=\s*")
_ENUM = re.compile(r"[A-Za-z_][\w.]*'[^']*'")
_STRINGS = frozenset({"Edm.Int64", "Edm.Decimal"})


def check_key(model: Model, entity: StructuredType, key: dict[str, Any], report: Report) -> None:
    """The names and values of the key of a call; ``Core.AlternateKeys`` count as keys."""
    if (alternate := alternate_key(entity, key)) is not None:
        for name, path in alternate.items():
            _check_value(model, entity, path, key[name], f"/key/{escape(name)}", report)
        return
    for name in entity.keys:
        if name not in key:
            report.add("R44", f"/key/{escape(name)}", f"the key of {entity.name} needs {name}", None, entity.keys)
    for name, value in key.items():
        pointer = f"/key/{escape(name)}"
        prop = model.properties[entity.name].get(name)
        if name not in entity.keys:
            what = "is no key property of" if prop is not None else "is unknown to"
            report.add(
                "R44", pointer, f"{name} {what} {entity.name}", value, entity.keys, did_you_mean(name, entity.keys)
            )
        else:
            _check_value(model, entity, name, value, pointer, report)


def alternate_key(entity: StructuredType, key: dict[str, Any]) -> dict[str, str] | None:
    """The alternate key whose names are those of ``key``, as name -> path of the property; None for any other key."""
    if tuple(key) == entity.keys:
        return None
    return next((dict(parts) for parts in entity.alternate_keys if {name for name, _ in parts} == set(key)), None)


def _property_at(model: Model, entity: StructuredType, path: str) -> Property | None:
    """The property at a path of complex properties."""
    owner, prop = entity.name, None
    for segment in path.split("/"):
        prop = model.properties.get(owner, {}).get(segment)
        owner = prop.type if prop is not None else ""
    return prop


def _check_value(model: Model, entity: StructuredType, name: str, value: Any, pointer: str, report: Report) -> None:
    prop = _property_at(model, entity, name)
    if value is None:
        report.add("R44", pointer, f"{name} is a key property and cannot be null")
    elif prop is not None:
        fault = compile_check(_as_key(prop), model)(_key_value(model, prop, value))
        if fault is not None:
            report.add_fault(fault, pointer, value, rule="R44")


def _as_key(prop: Property) -> Property:
    """A key may address anything that exists: codes and bounds of today do not bind it."""
    return prop.model_copy(update={"code_list": None, "minimum": None, "maximum": None, "pattern": None})


def _key_value(model: Model, prop: Property, value: Any) -> Any:
    """V2 bodies carry Int64 and Decimal as strings; a key may say them as numbers, because the URL does."""
    if not model.v4 and model.underlying(prop).type in _STRINGS and is_number(value):
        return format(value, "f") if not isinstance(value, int) else str(value)
    return value


def key_problem(model: Model, entity: StructuredType, predicate: str) -> str:
    """Why the text between the parentheses is no key of the entity type, or an empty string."""
    parts = _split(predicate, model.v4)
    if isinstance(parts, str):
        return parts
    keys = entity.keys
    if len(parts) == 1 and parts[0][0] == "":
        if len(keys) != 1:
            return f"the key of {entity.name} has the parts {', '.join(keys)}: name each"
        parts = [(keys[0], parts[0][1], parts[0][2])]
    if sorted(name for name, _, _ in parts) != sorted(keys):
        return f"the key of {entity.name} is {', '.join(keys)}"
    for name, literal, type_name in parts:
        prop = model.properties[entity.name].get(name)
        if prop is not None and not literal_fits(type_name, model.underlying(prop).type):
            return f"{name} is {prop.type}, {literal} is not"
    return ""


def _split(predicate: str, v4: bool) -> list[tuple[str, str, str]] | str:
    """Parts as (name or empty, literal, type), or what is wrong."""
    parts: list[tuple[str, str, str]] = []
    position = 0
    while True:
        named = _NAME.match(predicate, position)
        name = named[1] if named else ""
        position = named.end() if named else position
        literal = literal_at(predicate, position, v4) or _enum_at(predicate, position)
        if literal is None:
            return f"{predicate[position:] or 'nothing'} is no literal; strings stand in quotes, quotes inside doubled"
        if literal.problem:
            return f"{literal.text}: {literal.problem}"
        parts.append((name, literal.text, literal.type))
        position += len(literal.text)
        if position >= len(predicate):
            return parts
        if predicate[position] != ",":
            return f"expected a comma before {predicate[position:]}"
        position += 1


def _enum_at(text: str, position: int) -> Literal | None:
    match = _ENUM.match(text, position)
    return Literal(match[0], match[0].split("'", 1)[0]) if match else None


def literal_fits(literal_type: str, declared: str) -> bool:
    """Whether a literal of one type can stand for a value of the declared type (numeric promotion included)."""
    if literal_type == declared or literal_type == "null":
        return True
    return literal_type in NUMERIC and declared in NUMERIC


def key_predicate(model: Model, entity: StructuredType, key: dict[str, Any]) -> str:
    """``('O''Neil')`` or ``(OrderID=1,ProductID=2)`` in the order of the declared key, not yet percent-encoded."""

    def literal(name: str, value: Any) -> str:
        prop = _property_at(model, entity, name)
        type_name = model.underlying(prop).type if prop is not None else "Edm.String"
        return format_literal(type_name, value, model.v4)

    if (alternate := alternate_key(entity, key)) is not None:
        return "(" + ",".join(f"{name}={literal(path, key[name])}" for name, path in alternate.items()) + ")"
    names = [name for name in entity.keys if name in key]
    if len(names) == 1:
        return f"({literal(names[0], key[names[0]])})"
    return "(" + ",".join(f"{name}={literal(name, key[name])}" for name in names) + ")"
