"""What an agent may see of one endpoint and verb, before a goal ranks and a budget cuts it: the uncut view, and the links."""

from typing import Literal

from graph.context_fields import fields_of, keys_of, main_operation, nested_of
from wire.context import EndpointView, Link
from wire.endpoint import EndpointContract, NavigationProperty, StructuredType, Verb

Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE", "ACTION"]


def view_of(contract: EndpointContract) -> EndpointView:
    """Everything that the contract has to show; rank, reasons and clause are the goal's to add."""
    return EndpointView(
        service=contract.service,
        endpoint=contract.endpoint,
        kind=contract.kind,
        verb=contract.verb,
        version=contract.version,
        label=contract.label,
        description=contract.description,
        method=_method(contract),
        keys=keys_of(contract),
        fields=fields_of(contract),
        nested=nested_of(contract),
        bound_path=_bound_path(contract),
    )


def links_of_set(contract: EndpointContract) -> tuple[Link, ...]:
    """Navigations of the contract's set that end in a set, as declared; none of an operation."""
    owner, targets = contract.type(contract.entity_type), dict(contract.target_sets)
    found = ((item, targets.get(f"{contract.endpoint}/{item.name}") or item.target_set) for item in _navigations(owner))
    return tuple(
        Link(
            service=contract.service,
            endpoint=contract.endpoint,
            navigation=item.name,
            target=target,
            cardinality=item.cardinality,
        )
        for item, target in found
        if target
    )


def _navigations(owner: StructuredType | None) -> tuple[NavigationProperty, ...]:
    return owner.navigations if owner else ()


def _method(contract: EndpointContract) -> Method:
    operation = main_operation(contract)
    if operation is not None:
        return "GET" if contract.verb is Verb.READ or operation.http_method == "GET" else "ACTION"
    match contract.verb:
        case Verb.READ:
            return "GET"
        case Verb.CREATE:
            return "POST"
        case Verb.UPDATE:
            return "PUT" if contract.restrictions.update_method == "PUT" else "PATCH"
        case Verb.DELETE:
            return "DELETE"
    return "ACTION"


def _bound_path(contract: EndpointContract) -> str | None:
    """``Set/Namespace.Operation`` of a V4 operation bound to the entity type of that set: a call goes by way of the set."""
    operation = main_operation(contract)
    if operation is None or operation.bound_to is None or operation.kind == "FunctionImport":
        return None
    sets = sorted(name for name, entity_type in contract.sets if entity_type == operation.bound_to)
    return f"{sets[0]}/{operation.qualified_name}" if sets else None
