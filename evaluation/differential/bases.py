"""Valid calls of one endpoint: what each verb takes at least and at most."""

from collections.abc import Iterator
from typing import Any

from evaluation.differential.entities import Entities
from evaluation.differential.values import NoValue
from odata.model import Model
from odata.operations import method_of
from odata.plans import Plans, TypePlan
from wire.call import Method, ProposedCall
from wire.endpoint import Cardinality, EndpointContract, Operation, Permission, Property, Verb

OPERATIONS = ("FunctionImport", "Action", "Function")


def base_calls(contract: EndpointContract) -> list[ProposedCall]:
    """Valid calls for the contract's endpoint and verb; none where metadata denies the verb."""
    model = Model(contract)
    if contract.kind in OPERATIONS:
        return [call for op in contract.operations for call in _operation(model, op, None, ())]
    entity = contract.entity_type
    denied = contract.restrictions.allowed is Permission.DENIED or not contract.restrictions.addressable
    if entity is None or entity not in model.types or denied:
        return []
    makers = {Verb.CREATE: _creates, Verb.UPDATE: _updates, Verb.READ: _reads, Verb.DELETE: _deletes}
    if contract.verb is Verb.ACTION:
        return _bound(model)
    return _unique(makers[contract.verb](model, entity))


def _unique(calls: Iterator[ProposedCall]) -> list[ProposedCall]:
    found: list[ProposedCall] = []
    try:
        for call in calls:
            if call not in found:
                found.append(call)
    except NoValue:
        pass
    return found


def make_call(contract: EndpointContract, method: Method, **fields: Any) -> ProposedCall:
    """A call to the contract's endpoint."""
    return ProposedCall(method=method, service=contract.service, endpoint=contract.endpoint, **fields)


def _creates(model: Model, entity: str) -> Iterator[ProposedCall]:
    contract = model.contract
    plans = Plans(model, "create")
    plan, entities = plans.of(entity, contract.endpoint), Entities(model, plans)
    if plan is None or plan.type.has_stream or contract.kind == "Singleton" or _asks_much(plan):
        return
    yield make_call(contract, "POST", payload=entities.least(plan))
    yield make_call(contract, "POST", payload=entities.whole(plan, nested=False))
    yield make_call(contract, "POST", payload=entities.whole(plan))


def _asks_much(plan: TypePlan) -> bool:
    """Whether experts list alternatives to what is required: the least body is then a choice, which is not made here."""
    return any(p.property.required_unless for p in plan.properties.values())


def _updates(model: Model, entity: str) -> Iterator[ProposedCall]:
    contract = model.contract
    plans = Plans(model, "update")
    plan, entities = plans.of(entity, contract.endpoint), Entities(model, plans)
    if plan is None or contract.restrictions.draft:
        return
    key = None if contract.kind == "Singleton" else entities.key(entity)
    body: dict[str, Any] = {}
    for name, prop in plan.properties.items():
        if prop.denied is None and prop.property.type != "Edm.Stream":
            try:
                body[name] = entities.value(prop, 4)
            except NoValue:
                continue
    if body and key != {}:
        yield make_call(contract, "PATCH", key=key, payload=body)
        first = next(iter(body))
        yield make_call(contract, "PATCH", key=key, payload={first: body[first]})


def _deletes(model: Model, entity: str) -> Iterator[ProposedCall]:
    contract = model.contract
    if contract.kind != "Singleton" and (key := Entities(model, Plans(model, "create")).key(entity)):
        yield make_call(contract, "DELETE", key=key)


def _reads(model: Model, entity: str) -> Iterator[ProposedCall]:
    contract = model.contract
    entities = Entities(model, Plans(model, "create"))
    try:
        key = None if contract.kind == "Singleton" else entities.key(entity)
        if key == {}:
            raise NoValue("no key")
        yield make_call(contract, "GET", key=key)
        for nav in model.types[entity].navigations[:1]:
            yield make_call(contract, "GET", key=key, path=(nav.name,))
    except NoValue:
        pass
    limits = contract.restrictions
    needs = limits.required_filters or limits.requires_filter
    properties = model.types[entity].properties
    if contract.kind == "Singleton" or needs or any(p.required_in_filter for p in properties):
        return
    yield make_call(contract, "GET")
    yield make_call(contract, "GET", query=_query(model, entity))


def _query(model: Model, entity: str) -> dict[str, str]:
    limits = model.contract.restrictions
    plain = [p for p in model.types[entity].properties if p.type == "Edm.String" and not p.collection]
    query: dict[str, str] = {}
    by = next((p for p in plain if p.filterable and p.name not in limits.non_filterable), None)
    if by is not None and limits.filterable:
        query["$filter"] = f"{by.name} eq 'A'"
    order = next((p for p in plain if p.sortable and p.name not in limits.non_sortable), None)
    if order is not None and limits.sortable:
        query["$orderby"] = f"{order.name} desc"
    if plain:
        query["$select"] = plain[0].name
    expandable = [n for n in model.types[entity].navigations if n.name not in limits.non_expandable]
    nav = next((n for n in expandable if n.cardinality is Cardinality.MANY), None)
    if nav is not None:
        query["$expand"] = nav.name
        query["$select"] = f"{plain[0].name},{nav.name}" if plain else nav.name
    query.update({"$top": "2"} if limits.top else {})
    return query


def _operation(
    model: Model, operation: Operation, key: dict[str, Any] | None, path: tuple[str, ...]
) -> Iterator[ProposedCall]:
    entities = Entities(model, Plans(model, "parameters"))

    def value(parameter: Property) -> Any:
        return entities.value(entities.plans.parameter(parameter), 3)

    try:
        full = {p.name: value(p) for p in operation.parameters}
    except NoValue:
        return
    method: Method = "GET" if method_of(operation) == "GET" else "ACTION"
    yield make_call(model.contract, method, key=key, path=path or None, payload=full or None)


def _bound(model: Model) -> list[ProposedCall]:
    contract = model.contract
    entities = Entities(model, Plans(model, "create"))
    found: list[ProposedCall] = []
    for operation in contract.operations:
        if operation.bound_collection and contract.kind == "Singleton":
            continue
        try:
            single = not operation.bound_collection and contract.kind != "Singleton"
            key = entities.key(contract.entity_type or "") if single else None
        except NoValue:
            continue
        found += _operation(model, operation, key, (operation.qualified_name,))
    return found
