"""From the endpoint along the path of a call to what it addresses (R01, R03, R41, R42, R44, R52)."""

from dataclasses import dataclass, field
from typing import Any

from odata.findings import Report, did_you_mean, escape
from odata.keys import check_key
from odata.model import Model
from wire.call import ProposedCall
from wire.endpoint import Cardinality, NavigationProperty, Operation, StructuredType

_AFTER_VALUES = frozenset({"$value", "$count", "$ref"})
OPERATION_KINDS = frozenset({"FunctionImport", "Action", "Function"})


@dataclass
class Resource:
    """What a call addresses. ``parent``: the entity whose navigation is the last one, with its key as far as known."""

    type: StructuredType | None
    at_set: str | None
    many: bool
    singleton: bool = False
    navigated: bool = False
    operations: tuple[Operation, ...] = ()
    parent: StructuredType | None = None
    navigation: NavigationProperty | None = None
    parent_key: dict[str, Any] = field(default_factory=dict)
    broken: bool = False
    primitive: bool = False


def resolve(model: Model, call: ProposedCall, report: Report) -> Resource:
    """Follow the call's endpoint, key and path."""
    contract = model.contract
    if contract.kind in OPERATION_KINDS:
        return _unbound(model, call, report)
    entity = model.types.get(contract.entity_type or "")
    singleton = contract.kind == "Singleton"
    if call.key is not None:
        if singleton:
            report.add("R44", "/key", f"{call.endpoint} is a singleton and takes no key", call.key)
        elif entity is not None:
            check_key(model, entity, call.key, report)
    resource = Resource(entity, contract.endpoint, not singleton and call.key is None, singleton)
    resource.parent_key = dict(call.key or {})
    segments = call.path or ()
    for index, segment in enumerate(segments):
        _step(model, resource, call, segment, index, index == len(segments) - 1, report)
        if resource.broken:
            break
    return resource


def _unbound(model: Model, call: ProposedCall, report: Report) -> Resource:
    operations = tuple(op for op in model.contract.operations if op.bound_to is None)
    if not operations and (bound := next(iter(model.contract.operations), None)) is not None:
        name = bound.qualified_name
        message = f"{name} is bound to {bound.bound_to}: call it on its set, its qualified name last in the path"
        report.add("R52", "/endpoint", message, call.endpoint, (name,), name)
        return Resource(None, None, False, broken=True)
    if call.key is not None:
        report.add("R52", "/key", f"{call.endpoint} is not bound to an entity and takes no key", call.key)
    returned = operations[0] if operations else None
    entity = model.types.get(returned.return_type or "") if returned is not None else None
    resource = Resource(
        entity, returned.return_set if returned else None, bool(returned and returned.return_collection)
    )
    resource.operations = operations
    if call.path:
        report.add("R01", "/path/0", f"nothing follows {call.endpoint}", call.path[0])
    return resource


def _step(
    model: Model, resource: Resource, call: ProposedCall, segment: str, index: int, last: bool, report: Report
) -> None:
    owner = resource.type
    if owner is None:
        if resource.primitive and segment not in _AFTER_VALUES:
            report.add("R01", f"/path/{index}", f"nothing but $value follows a value, {segment} does not", segment)
            resource.broken = True
        return
    qualified = model.canonical(segment)
    if qualified in model.types:
        _cast(model, resource, owner, qualified, index, report)
        return
    nav = model.navigations.get(owner.name, {}).get(segment)
    if nav is not None:
        if resource.many:
            report.add("R44", "/key", f"{segment} is a navigation of one entity: give its key", None, owner.keys)
            for name in owner.keys if not resource.navigated else ():
                report.add("R44", f"/key/{escape(name)}", f"{name} is missing in the key", None, owner.keys)
        _navigate(model, resource, owner, nav, index)
        return
    bound = _bound_operations(model, qualified)
    if bound:
        _operation(model, resource, call, owner, bound, index, report)
        return
    _property_segment(model, resource, owner, segment, index, report)


def _cast(model: Model, resource: Resource, owner: StructuredType, segment: str, index: int, report: Report) -> None:
    if model.derives(segment, owner.name) or model.derives(owner.name, segment):
        resource.type = model.types[segment]
        return
    report.add("R43", f"/path/{index}", f"{segment} does not derive from {owner.name}", segment, owner.derived)
    resource.broken = True


def _navigate(model: Model, resource: Resource, owner: StructuredType, nav: NavigationProperty, index: int) -> None:
    if resource.navigated:
        resource.parent_key = {}
    resource.parent, resource.navigation = owner, nav
    resource.at_set = None if nav.contained else model.target_set(resource.at_set, nav)
    resource.type = model.types.get(nav.target_type)
    resource.many = nav.cardinality is Cardinality.MANY
    resource.navigated = True
    resource.singleton = False


def _bound_operations(model: Model, segment: str) -> tuple[Operation, ...]:
    return tuple(op for op in model.bound_operations if op.qualified_name == segment)


def _operation(
    model: Model,
    resource: Resource,
    call: ProposedCall,
    owner: StructuredType,
    bound: tuple[Operation, ...],
    index: int,
    report: Report,
) -> None:
    pointer = f"/path/{index}"
    on_type = tuple(op for op in bound if op.bound_to is not None and model.derives(owner.name, op.bound_to))
    if not on_type:
        bindings = tuple(op.bound_to or "" for op in bound)
        report.add("R52", pointer, f"{bound[0].qualified_name} is not bound to {owner.name}", call.path, bindings)
        resource.broken = True
        return
    fitting = tuple(op for op in on_type if op.bound_collection == resource.many)
    if not fitting:
        where = "/key" if not resource.navigated else pointer
        wants = "one entity: give its key" if resource.many else "the collection: leave the key out"
        report.add("R52", where, f"{bound[0].name} is bound to {wants}", call.key, owner.keys if resource.many else ())
        fitting = on_type
    resource.operations = fitting
    first = fitting[0]
    resource.type = model.types.get(first.return_type or "")
    resource.at_set, resource.many = first.return_set, first.return_collection


def _property_segment(
    model: Model, resource: Resource, owner: StructuredType, segment: str, index: int, report: Report
) -> None:
    prop = model.properties.get(owner.name, {}).get(segment)
    if prop is not None:
        resource.type, resource.many, resource.navigated = model.types.get(prop.type), prop.collection, True
        resource.at_set, resource.navigation = None, None
        resource.primitive = resource.type is None and prop.type.startswith("Edm.") and prop.type != "Edm.Untyped"
        return
    if segment in ("$count", "$value", "$ref"):
        resource.type = None
        return
    resource.broken = True
    pointer = f"/path/{index}"
    operations = tuple(op.qualified_name for op in model.bound_operations)
    short = next((q for q in operations if q.rsplit(".", 1)[-1] == segment), "")
    if short:
        report.add("R52", pointer, f"a bound operation is called by its qualified name {short}", segment, (), short)
    elif "." in segment:
        message = f"{segment} is no operation bound to {owner.name}"
        report.add("R52", pointer, message, segment, operations, did_you_mean(segment, operations))
    else:
        known = model.members(owner.name)
        message = f"{owner.name} has no navigation property {segment}"
        report.add("R01", pointer, message, segment, tuple(known), did_you_mean(segment, known))
