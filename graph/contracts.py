"""The uncut contract of one endpoint and verb, read from the graph alone (design.md section 7)."""

from collections import deque

from graph.contract_sets import read_function_import, read_operation, type_name
from graph.iris import last_name, type_iri
from graph.service_model import Place, ServiceModel
from graph.vocabulary import DCTERMS, OD
from wire.endpoint import EndpointContract, EndpointKind, Operation, Restrictions, StructuredType, Verb


def endpoint_kind(model: ServiceModel, iri: str) -> EndpointKind:
    """What the endpoint is."""
    kinds: tuple[tuple[str, EndpointKind], ...] = (
        (OD.EntitySet, "EntitySet"),
        (OD.Singleton, "Singleton"),
        (OD.FunctionImport, "FunctionImport"),
        (OD.Action, "Action"),
    )
    return next((kind for class_iri, kind in kinds if model.facts.is_a(iri, class_iri)), "Function")


def build_contract(model: ServiceModel, iri: str, verb: Verb, graph_hash: str) -> EndpointContract:
    """Everything that the graph says of the endpoint ``iri`` of this service."""
    facts = model.facts
    entity_type = facts.one(iri, OD.entityType)
    operations = _operations(model, iri, entity_type)
    starts: list[Place] = [(entity_type, iri, "")] if entity_type else []
    starts += _operation_places(model, operations)
    closure = _Closure(model, starts)
    sets = closure.sets(iri if entity_type else None)
    return EndpointContract(
        service=model.service,
        endpoint=facts.text(iri, OD.name),
        kind=endpoint_kind(model, iri),
        verb=verb,
        version=model.version,
        graph_hash=graph_hash,
        metadata_digest=model.digest,
        label=facts.label(iri),
        description=facts.text(iri, DCTERMS.description),
        entity_type=type_name(facts, entity_type),
        restrictions=model.restrictions(iri, verb) if entity_type else Restrictions(),
        types=closure.types,
        enums=model.enums_of(closure.names),
        type_definitions=model.definitions_of(closure.names),
        operations=operations,
        sets=tuple((facts.text(item, OD.name), closure.name_of_type(item)) for item in sets),
        target_sets=closure.target_sets(sets),
        set_restrictions=tuple((facts.text(item, OD.name), model.restrictions(item, verb)) for item in sets),
        path_operations=closure.operations(operations) if entity_type else (),
        aliases=model.aliases,
    )


def _operations(model: ServiceModel, iri: str, entity_type: str | None) -> tuple[Operation, ...]:
    if entity_type:
        return tuple(model.bound_operations(entity_type))
    overloads = model.facts.all(iri, OD.operation)
    if not overloads:
        return (read_function_import(model.facts, iri, model.version),)
    name = model.facts.text(iri, OD.name)
    found = (read_operation(model.facts, node, name, model.version) for node in overloads)
    target_set = model.facts.one(iri, OD.entitySet)
    return tuple(item.model_copy(update={"return_set": target_set}) if target_set else item for item in found)


def _operation_places(model: ServiceModel, operations: tuple[Operation, ...]) -> list[Place]:
    """Types that operations take or give. A returned entity is seen through the set that holds it."""
    places: list[Place] = []
    for operation in operations:
        names = [parameter.type for parameter in operation.parameters]
        places += [(type_iri(model.service, name), None, "") for name in names]
        for name in (operation.return_type, operation.bound_to):
            if name:
                node = type_iri(model.service, name)
                holder = model.endpoints.get(operation.return_set or "") if name == operation.return_type else None
                places.append((node, holder or next(iter(model.sets_of(node)), None), ""))
    return places


class _Closure:
    """Types reachable from the start, breadth first; each is kept as seen through the first set that reaches it."""

    def __init__(self, model: ServiceModel, starts: list[Place]) -> None:
        self.model = model
        self.places: dict[str, Place] = {}
        self.names: set[str] = set()
        self._queue = deque(starts)
        while self._queue:
            self._visit(self._queue.popleft())
        self.types: tuple[StructuredType, ...] = tuple(model.structured(place) for place in self.places.values())

    def _visit(self, place: Place) -> None:
        node, set_iri, prefix = place
        facts = self.model.facts
        structured = facts.is_a(node, OD.EntityType) or facts.is_a(node, OD.ComplexType)
        if not structured:
            self.names.add(facts.text(node, OD.qualifiedName))
        if node in self.places or not structured:
            return
        self.places[node] = place
        found = self.model.structured(place)
        for relative in (*self.model.lineage(node)[:-1], *self.model.derived(node)):
            self._queue.append((relative, set_iri, prefix))
        for item in found.properties:
            self.names.add(item.type)
            if not item.type.startswith("Edm."):
                self._queue.append((type_iri(self.model.service, item.type), set_iri, f"{prefix}{item.name}/"))
        for navigation in found.navigations:
            target = type_iri(self.model.service, navigation.target_type)
            holder = self.model.endpoints.get(navigation.target_set or "")
            fallback = None if navigation.contained else next(iter(self.model.sets_of(target)), None)
            self._queue.append((target, holder or fallback, ""))

    def sets(self, own: str | None) -> list[str]:
        """The endpoint's own set first, then every set whose type is in the closure, by IRI."""
        others = {item for node in self.places for item in self.model.sets_of(node)} - {own}
        return ([own] if own else []) + sorted(item for item in others if item)

    def name_of_type(self, set_iri: str) -> str:
        """Qualified name of the set's entity type."""
        node = self.model.facts.text(set_iri, OD.entityType)
        return self.model.facts.text(node, OD.qualifiedName) or last_name(node)

    def operations(self, own: tuple[Operation, ...]) -> tuple[Operation, ...]:
        """Operations bound to the types of the closure, without those of the endpoint itself."""
        return tuple(item for node in self.places for item in self.model.operations_of(node) if item not in own)

    def target_sets(self, sets: list[str]) -> tuple[tuple[str, str], ...]:
        """``Set/Navigation`` -> set, for all sets of the closure."""
        named = ((self.model.facts.text(item, OD.name), item) for item in sets)
        return tuple(
            (f"{name}/{path}", target)
            for name, item in named
            for path, target in sorted(self.model.bindings(item).items())
        )
