"""EndpointContract -> JSON Schema: the gate through which most bodies pass without a walk (jsonschema-rs).

The schema accepts only what ``payload.PayloadWalker`` accepts; what it refuses, the walker judges and explains. So it may be
stricter (references, control information and deep nests take the walk), never laxer. Draft 4, because there 1.0 is no integer.
"""

from collections import deque
from typing import Any

import jsonschema_rs

from odata.plans import NavigationPlan, Plans, PropertyPlan, TypePlan
from odata.primitives import INTEGER_RANGES, parse_bound
from wire.endpoint import Cardinality, Property

_NEVER: dict[str, Any] = {"not": {}}
# Deeper nests are rare; their bodies take the walk.
_DEPTH = 2
_DIGITS = "[0-9]"
_GUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
# Days up to the 28th exist in every month; the walker judges the others.
_SAFE_DAY = (
    f"(000[1-9]|00[1-9]{_DIGITS}|0[1-9]{_DIGITS}{{2}}|[1-9]{_DIGITS}{{3}})-(0[1-9]|1[0-2])-(0[1-9]|1{_DIGITS}|2[0-8])"
)
_CLOCK = f"([01]{_DIGITS}|2[0-3]):[0-5]{_DIGITS}(:[0-5]{_DIGITS})?"

_PATTERNS_V2 = {
    "Edm.DateTime": f"^(/Date\\(-?{_DIGITS}{{1,9}}000\\)/|/Date\\(1{_DIGITS}{{9}}000\\)/|{_SAFE_DAY}T{_CLOCK})$",
    "Edm.Time": f"^PT(0?{_DIGITS}|1{_DIGITS}|2[0-3])H([0-5]?{_DIGITS}M)?([0-5]?{_DIGITS}S)?$",
}
_PATTERNS_V4 = {
    "Edm.Date": f"^{_SAFE_DAY}$",
    "Edm.DateTimeOffset": f"^{_SAFE_DAY}T{_CLOCK}Z$",
    "Edm.TimeOfDay": f"^{_CLOCK}$",
}


def body_schema(plans: Plans, root: TypePlan) -> dict[str, Any]:
    """The JSON Schema of a body: an object of the root type, nested types as definitions."""
    builder = _Builder(plans)
    reference = builder.reference(root, 0)
    builder.build()
    return {**reference, "definitions": builder.definitions}


def compile_gate(schema: dict[str, Any]) -> jsonschema_rs.Draft4Validator:
    """The compiled form; ``is_valid`` takes some microseconds."""
    return jsonschema_rs.Draft4Validator(schema)


class _Builder:
    def __init__(self, plans: Plans) -> None:
        self._plans, self._model = plans, plans.model
        self.definitions: dict[str, Any] = {}
        self._names: dict[tuple[str, str | None], str] = {}
        self._open: deque[tuple[str, TypePlan, int]] = deque()

    def build(self) -> None:
        """Make the definitions, nearest types first, so that every type gets as many levels below it as allowed."""
        while self._open:
            name, plan, depth = self._open.popleft()
            self.definitions[name] = self._object(plan, depth)

    def reference(self, plan: TypePlan, depth: int) -> dict[str, Any]:
        """A ``$ref`` to the definition of a type; ``not {}`` for a new type too deep down."""
        key = (plan.type.name, plan.at_set)
        if key not in self._names:
            if depth > _DEPTH:
                return _NEVER
            self._names[key] = f"t{len(self._names)}"
            self._open.append((self._names[key], plan, depth))
        return {"$ref": f"#/definitions/{self._names[key]}"}

    def _object(self, plan: TypePlan, depth: int) -> dict[str, Any]:
        if plan.type.abstract:
            return _NEVER
        properties: dict[str, Any] = {}
        for name, prop in plan.properties.items():
            value = self._property(prop, depth)
            if value is not _NEVER or plan.open:
                properties[name] = value
        for name, nav in plan.navigations.items():
            value = self._navigation(nav, depth)
            if value is not _NEVER or plan.open:
                properties[name] = value
        if not plan.open:
            return {"type": "object", "properties": properties, "additionalProperties": False}
        return {"type": "object", "properties": properties, "patternProperties": {"@|^__metadata$": _NEVER}}

    def _property(self, member: PropertyPlan, depth: int) -> dict[str, Any]:
        if member.denied is not None:
            return _NEVER
        single = self._value(member, depth)
        nullable = member.property.nullable and not member.identifies
        if single is _NEVER:
            return _NEVER
        if member.property.collection:
            if member.property.min_items is not None or member.property.max_items is not None:
                return _NEVER
            return {"type": "array", "items": _or_null(single) if nullable else single}
        return _or_null(single) if nullable else single

    def _value(self, member: PropertyPlan, depth: int) -> dict[str, Any]:
        if member.complex_type is None:
            return value_schema(
                self._model.underlying(member.property), self._model.v4, member.property.type in self._model.enums
            )
        inner = self._plans.of(member.complex_type, None)
        return _NEVER if inner is None else self.reference(inner, depth)

    def _navigation(self, member: NavigationPlan, depth: int) -> dict[str, Any]:
        inner = self._plans.of(member.navigation.target_type, member.target_set)
        if member.denied is not None or inner is None:
            return _NEVER
        entity = self.reference(inner, depth + 1)
        if entity is _NEVER:
            return _NEVER
        if member.navigation.cardinality is not Cardinality.MANY:
            return entity
        array = {"type": "array", "items": entity}
        if self._model.v4:
            return array
        wrapped = {
            "type": "object",
            "required": ["results"],
            "properties": {"results": array},
            "additionalProperties": False,
        }
        return {"anyOf": [array, wrapped]}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if not schema:
        return schema
    if isinstance(schema.get("type"), str):
        choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [schema["type"], "null"], **choices}
    return {"anyOf": [schema, {"type": "null"}]}


def value_schema(prop: Property, v4: bool, is_enum: bool) -> dict[str, Any]:
    """The schema of one non-null value; ``prop`` has its type definition resolved. ``not {}`` sends it to the walker."""
    bounds = (prop.minimum, prop.maximum, prop.multiple_of)
    if is_enum or prop.pattern is not None or any(parse_bound(b) is not None for b in bounds):
        return _NEVER
    fixed = prop.code_list.codes if prop.code_list is not None and prop.code_list.fixed else ()
    if prop.allowed or fixed:
        return _codes(prop, v4) if not (prop.allowed and fixed) and prop.type == "Edm.String" else _NEVER
    if prop.type == "Edm.String":
        return {"type": "string"} if prop.max_length is None else {"type": "string", "maxLength": prop.max_length}
    if prop.type == "Edm.Boolean":
        return {"type": "boolean"}
    if prop.type in INTEGER_RANGES and (v4 or prop.type != "Edm.Int64"):
        low, high = INTEGER_RANGES[prop.type]
        return {"type": "integer", "minimum": low, "maximum": high}
    if prop.type == "Edm.Decimal":
        return _decimal(prop, v4)
    if prop.type == "Edm.Guid":
        return {"type": "string", "pattern": _GUID}
    if prop.type == "Edm.Double":
        return {"type": "number"}
    pattern = (_PATTERNS_V4 if v4 else _PATTERNS_V2).get(prop.type)
    return _NEVER if pattern is None else {"type": "string", "pattern": pattern}


def _codes(prop: Property, v4: bool) -> dict[str, Any]:
    codes = prop.allowed or (prop.code_list.codes if prop.code_list is not None else ())
    values = [c.code for c in codes if prop.max_length is None or len(c.code) <= prop.max_length]
    return {"type": "string", "enum": values if prop.required else [*values, *([] if "" in values else [""])]}


def _decimal(prop: Property, v4: bool) -> dict[str, Any]:
    scale = (0 if v4 else None) if prop.scale is None else prop.scale
    if not isinstance(scale, int):
        return (
            _NEVER
            if prop.precision is not None
            else ({"type": "number"} if v4 else {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"})
        )
    whole = max(prop.precision - scale, 0) if prop.precision is not None else None
    if not v4:
        digits = "+" if whole is None else f"{{1,{whole}}}"
        if whole == 0:
            return _NEVER
        fraction = rf"(\.[0-9]{{1,{scale}}})?" if scale else ""
        return {"type": "string", "pattern": f"^-?[0-9]{digits}{fraction}$"}
    if whole is None or whole > 15:
        return _NEVER
    return {"type": "number", "multipleOf": float(f"1e-{scale}"), "minimum": -(10**whole) + 1, "maximum": 10**whole - 1}
