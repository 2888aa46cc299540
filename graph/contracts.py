"""The uncut contract of one endpoint and verb, read from the graph alone (design.md section 7)."""

from collections import deque
from dataclasses import dataclass

from graph.contract_sets import read_function_import, read_operation, type_name
from graph.iris import type_iri
from graph.service_model import Place, ServiceModel
from graph.vocabulary import DCTERMS, OD
from wire.endpoint import (
    EndpointContract,
    EndpointKind,
    EnumType,
    Operation,
    Restrictions,
    StructuredType,
    TypeDefinition,
    Verb,
)


@dataclass(frozen=True)
class Outline:
    """What of a contract is the same for every verb. ``sets``: IRIs, the endpoint's own set first."""

    name: str
    kind: EndpointKind
    label: str
    description: str
    entity_type: str | None
    types: tuple[StructuredType, ...]
    enums: tuple[EnumType, ...]
    definitions: tuple[TypeDefinition, ...]
    operations: tuple[Operation, ...]
    path_operations: tuple[Operation, ...]
    sets: tuple[str, ...]


def outline_of(model: ServiceModel, iri: str) -> Outline:
    """The contract of the endpoint ``iri`` without what its verb decides."""
    facts = model.facts
    entity_type = facts.one(iri, OD.entityType)
    operations = _operations(model, iri, entity_type)
    starts: list[Place] = [(entity_type, iri, "")] if entity_type else []
    starts += _operation_places(model, operations)
    closure = _Closure(model, starts)
    return Outline(
        name=facts.text(iri, OD.name),
        kind=endpoint_kind(model, iri),
        label=facts.label(iri),
        description=facts.text(iri, DCTERMS.description),
        entity_type=type_name(facts, entity_type),
        types=tuple(model.structured(place) for place in closure.places.values()),
        enums=model.enums_of(closure.names),
        definitions=model.definitions_of(closure.names),
        operations=operations,
        path_operations=closure.operations(operations) if entity_type else (),
        sets=closure.sets(iri if entity_type else None),
    )


def contract_of(model: ServiceModel, outline: Outline, verb: Verb, graph_hash: str) -> EndpointContract:
    """The contract for one verb."""
    sets = [model.set_row(iri) for iri in outline.sets]
    restrictions = tuple((row.name, model.restrictions(row.iri, verb)) for row in sets)
    return EndpointContract(
        service=model.service,
        endpoint=outline.name,
        kind=outline.kind,
        verb=verb,
        version=model.version,
        graph_hash=graph_hash,
        metadata_digest=model.digest,
        label=outline.label,
        description=outline.description,
        entity_type=outline.entity_type,
        restrictions=restrictions[0][1] if outline.entity_type else Restrictions(),
        types=outline.types,
        enums=outline.enums,
        type_definitions=outline.definitions,
        operations=outline.operations,
        sets=tuple((row.name, row.type) for row in sets),
        target_sets=tuple((f"{row.name}/{path}", target) for row in sets for path, target in row.targets),
        set_restrictions=restrictions,
        path_operations=outline.path_operations,
        aliases=model.aliases,
    )


def endpoint_kind(model: ServiceModel, iri: str) -> EndpointKind:
    """What the endpoint is."""
    kinds: tuple[tuple[str, EndpointKind], ...] = (
        (OD.EntitySet, "EntitySet"),
        (OD.Singleton, "Singleton"),
        (OD.FunctionImport, "FunctionImport"),
        (OD.Action, "Action"),
    )
    return next((kind for class_iri, kind in kinds if model.facts.is_a(iri, class_iri)), "Function")


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
        queue = deque(starts)
        while queue:
            place = queue.popleft()
            if place[0] in self.places:
                continue
            if not model.is_structured(place[0]):
                self.names.add(model.facts.text(place[0], OD.qualifiedName))
                continue
            self.places[place[0]] = place
            steps = model.steps(place)
            self.names |= steps.names
            queue.extend(steps.places)

    def sets(self, own: str | None) -> tuple[str, ...]:
        """The endpoint's own set first, then every set whose type is in the closure, by IRI."""
        others = {item for node in self.places for item in self.model.sets_of(node)} - {own}
        return ((own,) if own else ()) + tuple(sorted(item for item in others if item))

    def operations(self, own: tuple[Operation, ...]) -> tuple[Operation, ...]:
        """Operations bound to the types of the closure, without those of the endpoint itself."""
        return tuple(item for node in self.places for item in self.model.operations_of(node) if item not in own)
