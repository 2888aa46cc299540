"""EndpointContract -> JSON Schema for constrained decoding: a server that honours it cannot write a wrong key or code.

The strict subset that OpenAI-compatible servers accept: every property in ``required``, optional ones nullable, no other
properties, enumerations for codes. No ``pattern``: servers differ in it. Texts have a length, so that a decoder ends.
"""

from typing import Any

from odata.model import Model
from odata.plans import Mode, NavigationPlan, Plans, PropertyPlan, TypePlan
from odata.primitives import INTEGER_RANGES
from odata.requirements import requirements
from wire.endpoint import Cardinality, EndpointContract, Property, Verb

_LONGEST = 1000
_LEVELS = 2
_ROWS = 100
_MODES: dict[Verb, Mode] = {Verb.CREATE: "create", Verb.UPDATE: "update"}


def decoding_schema(contract: EndpointContract) -> dict[str, Any]:
    """The schema of ``{"key": …, "payload": …}``, whichever of the two a call of the contract's verb has."""
    model = Model(contract)
    members: dict[str, Any] = {}
    entity = model.types.get(contract.entity_type or "")
    if entity is not None and contract.kind == "EntitySet" and contract.verb in (Verb.UPDATE, Verb.DELETE):
        keys = {p.name: _value(model, p) for p in entity.properties if p.name in entity.keys}
        members["key"] = _closed(keys)
    mode = _MODES.get(contract.verb)
    if entity is not None and mode is not None:
        plans = Plans(model, mode)
        plan = plans.of(entity.name, contract.endpoint)
        if plan is not None:
            members["payload"] = _entity(plans, plan, mode, _LEVELS, frozenset())
    if entity is None and contract.operations:
        parameters = max(contract.operations, key=lambda op: len(op.parameters)).parameters
        members["payload"] = _closed({p.name: _optional(_value(model, p), p.nullable) for p in parameters})
    return _closed(members)


def without_nulls(value: Any) -> Any:
    """An answer without the nulls that strict decoding forces a model to write for what it leaves out."""
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value


def _entity(plans: Plans, plan: TypePlan, mode: Mode, levels: int, supplied: frozenset[str]) -> dict[str, Any]:
    needed = {need.name for need in requirements(plans.model, plan, mode) if not need.unless} - supplied
    members: dict[str, Any] = {}
    for name, prop in plan.properties.items():
        if prop.denied is None and prop.property.type != "Edm.Stream":
            members[name] = _optional(_property(plans, prop, levels), name not in needed)
    for name, nav in plan.navigations.items():
        inner = _nested(plans, plan, nav, mode, levels)
        if inner is not None:
            members[name] = inner
    return _closed(members)


def _property(plans: Plans, member: PropertyPlan, levels: int) -> dict[str, Any]:
    single = _value(plans.model, member.property)
    if member.complex_type is not None:
        inner = plans.of(member.complex_type, None) if levels > 0 else None
        single = _entity(plans, inner, "update", levels - 1, frozenset()) if inner is not None else _closed({})
    if member.property.collection:
        return {"type": "array", "items": single, "maxItems": _ROWS}
    return single


def _nested(plans: Plans, owner: TypePlan, member: NavigationPlan, mode: Mode, levels: int) -> dict[str, Any] | None:
    if mode != "create" or member.denied is not None or levels == 0:
        return None
    inner = plans.of(member.navigation.target_type, member.target_set)
    if inner is None or inner.type.abstract or inner.type.name == owner.type.name:
        return None
    entity = _entity(plans, inner, mode, levels - 1, frozenset(inner.type.keys))
    if member.navigation.cardinality is Cardinality.MANY:
        return {"type": ["array", "null"], "items": entity, "maxItems": _ROWS}
    return {"anyOf": [entity, {"type": "null"}]}


def _value(model: Model, declared: Property) -> dict[str, Any]:
    prop = model.underlying(declared)
    enum = model.enums.get(prop.type)
    if enum is not None and not enum.flags:
        return {"type": "string", "enum": [name for name, _ in enum.members]}
    codes = prop.allowed or (prop.code_list.codes if prop.code_list is not None and prop.code_list.fixed else ())
    if codes and prop.type == "Edm.String":
        return {"type": "string", "enum": [c.code for c in codes]}
    if prop.type == "Edm.Boolean":
        return {"type": "boolean"}
    if prop.type in INTEGER_RANGES and (model.v4 or prop.type != "Edm.Int64"):
        return {"type": "integer"}
    if prop.type in ("Edm.Double", "Edm.Single") or (prop.type == "Edm.Decimal" and model.v4):
        return {"type": "number"}
    return {"type": "string", "maxLength": min(prop.max_length or _LONGEST, _LONGEST)}


def _optional(schema: dict[str, Any], nullable: bool) -> dict[str, Any]:
    if not nullable:
        return schema
    if isinstance(schema.get("type"), str):
        choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [schema["type"], "null"], **choices}
    return {"anyOf": [schema, {"type": "null"}]}


def _closed(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
