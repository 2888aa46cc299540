"""One service as read from the graph: types per set, cached, for all contracts of the service."""

from collections.abc import Iterator
from typing import NamedTuple

from graph.contract_sets import read_operation, read_restrictions, type_name
from graph.contract_types import permission, read_definition, read_enum, read_property, requirements_of
from graph.facts import Facts
from graph.iris import last_name, service_iri, type_iri
from graph.vocabulary import OD
from wire.endpoint import (
    Cardinality,
    EnumType,
    NavigationProperty,
    ODataVersion,
    Operation,
    Permission,
    ReferentialConstraint,
    Restrictions,
    StructuredType,
    TypeDefinition,
    Verb,
)

_CARDINALITIES = {OD.ZeroOrOne: Cardinality.ZERO_OR_ONE, OD.One: Cardinality.ONE, OD.Many: Cardinality.MANY}
# A type as it is seen through a set: (type IRI, set IRI or None, path of complex properties from the set's type).
Place = tuple[str, str | None, str]


class SetRow(NamedTuple):
    """A set: its name, the qualified name of its type, and (navigation path, set that it ends in) by path."""

    iri: str
    name: str
    type: str
    targets: tuple[tuple[str, str], ...]


class Steps(NamedTuple):
    """Where one type leads: names of the types of its properties, and the places of its relatives, parts and targets."""

    names: frozenset[str]
    places: tuple[Place, ...]


class ServiceModel:
    """Look-ups over the facts of one service. Nothing here changes, so results are shared between contracts."""

    def __init__(self, service: str, facts: Facts) -> None:
        self.service = service
        self.facts = facts
        self.iri = service_iri(service)
        self.version: ODataVersion = facts.text(self.iri, OD.version) or "4.0"  # type: ignore[assignment]
        self.digest = facts.text(self.iri, OD.metadataDigest)
        self.endpoints = {facts.text(iri, OD.name): iri for iri in facts.all(self.iri, OD.endpoint)}
        self._types: dict[Place, StructuredType] = {}
        self._restrictions: dict[tuple[str, Verb], Restrictions] = {}
        self._operations: dict[str, tuple[Operation, ...]] = {}
        self._bindings: dict[str, dict[str, str]] = {}
        self._rows: dict[str, SetRow] = {}
        self._steps: dict[Place, Steps] = {}
        self._derived: dict[str, list[str]] = {}
        self._by_type: dict[str, list[str]] = {}
        for subject, members in facts.subjects():
            for base in members.get(OD.baseType, ()):
                self._derived.setdefault(base, []).append(subject)
        for iri in self.endpoints.values():
            for entity_type in facts.all(iri, OD.entityType):
                self._by_type.setdefault(entity_type, []).append(iri)
        self._bound = self._bound_operations()
        schemas = facts.all(self.iri, OD.schema)
        named = ((facts.text(iri, OD.alias), facts.text(iri, OD.namespace)) for iri in schemas)
        self.aliases = tuple(sorted((alias, namespace) for alias, namespace in named if alias))

    def is_set(self, iri: str) -> bool:
        """Whether the endpoint holds entities."""
        return self.facts.is_a(iri, OD.EntitySet) or self.facts.is_a(iri, OD.Singleton)

    def lineage(self, type_node: str) -> list[str]:
        """The type and its base types, base first; a cycle ends where it closes."""
        found: list[str] = []
        current: str | None = type_node
        while current is not None and current not in found:
            found.append(current)
            current = self.facts.one(current, OD.baseType)
        return found[::-1]

    def derived(self, type_node: str) -> list[str]:
        """Types derived from it directly."""
        return sorted(self._derived.get(type_node, ()))

    def sets_of(self, type_node: str) -> list[str]:
        """Sets whose declared type it is."""
        return self._by_type.get(type_node, [])

    def bindings(self, set_iri: str | None) -> dict[str, str]:
        """Navigation path -> name of the set that it ends in, by path; cached."""
        if set_iri is None:
            return {}
        found = self._bindings.get(set_iri)
        if found is None:
            facts = self.facts
            nodes = facts.all(set_iri, OD.binding)
            pairs = {facts.text(node, OD.bindingPath): facts.text(node, OD.bindingTarget) for node in nodes}
            found = self._bindings[set_iri] = dict(sorted(pairs.items()))
        return found

    def set_row(self, set_iri: str) -> SetRow:
        """What contracts say of a set that is in reach, cached."""
        found = self._rows.get(set_iri)
        if found is None:
            node = self.facts.text(set_iri, OD.entityType)
            found = self._rows[set_iri] = SetRow(
                iri=set_iri,
                name=self.facts.text(set_iri, OD.name),
                type=self.facts.text(node, OD.qualifiedName) or last_name(node),
                targets=tuple(self.bindings(set_iri).items()),
            )
        return found

    def restrictions(self, set_iri: str, verb: Verb) -> Restrictions:
        """Restrictions of a set, cached."""
        found = self._restrictions.get((set_iri, verb))
        if found is None:
            found = self._restrictions[set_iri, verb] = self._restricted(set_iri, verb)
        return found

    def _restricted(self, set_iri: str, verb: Verb) -> Restrictions:
        """A set that cannot be filtered (or sorted) at all is one where no property can."""
        found, facts = read_restrictions(self.facts, set_iri, verb), self.facts
        names = self._property_names(facts.text(set_iri, OD.entityType))
        closed = {
            name: names
            for name, predicate in (("non_filterable", OD.filterable), ("non_sortable", OD.sortable))
            if not facts.flag(set_iri, predicate, True)
        }
        if not facts.flag(set_iri, OD.expandable, True):
            closed["non_expandable"] = self._navigation_names(facts.text(set_iri, OD.entityType))
        return found.model_copy(update=closed) if closed else found

    def _navigation_names(self, type_node: str) -> tuple[str, ...]:
        facts = self.facts
        return tuple(
            facts.text(iri, OD.name)
            for part in self.lineage(type_node)
            for iri in facts.ordered(part, OD.navigation, OD.position)
        )

    def _property_names(self, type_node: str) -> tuple[str, ...]:
        facts = self.facts
        return tuple(
            facts.text(iri, OD.name)
            for part in self.lineage(type_node)
            for iri in facts.ordered(part, OD.property, OD.position)
        )

    def structured(self, place: Place) -> StructuredType:
        """The type as seen through a set, cached."""
        found = self._types.get(place)
        if found is None:
            found = self._types[place] = self._structured(place)
        return found

    def _structured(self, place: Place) -> StructuredType:
        node, set_iri, prefix = place
        facts, lineage = self.facts, self.lineage(place[0])
        keys = tuple(facts.text(key, OD.path) for part in lineage for key in facts.ordered(part, OD.key, OD.position))
        needed = requirements_of(facts, set_iri, prefix)
        properties: dict[str, str] = {}
        navigations: dict[str, str] = {}
        for part in lineage:
            properties.update((facts.text(iri, OD.name), iri) for iri in facts.ordered(part, OD.property, OD.position))
            properties.update((facts.text(iri, OD.name), iri) for iri in facts.all(part, OD.refinement))
            navigations.update(
                (facts.text(iri, OD.name), iri) for iri in facts.ordered(part, OD.navigation, OD.position)
            )
        return StructuredType(
            name=facts.text(node, OD.qualifiedName),
            kind="entity" if facts.is_a(node, OD.EntityType) else "complex",
            label=facts.label(node),
            base=type_name(facts, facts.one(node, OD.baseType)),
            derived=tuple(facts.text(child, OD.qualifiedName) for child in self.derived(node)),
            abstract=facts.flag(node, OD.abstract),
            open=any(facts.flag(part, OD.openType) for part in lineage),
            has_stream=any(facts.flag(part, OD.hasStream) for part in lineage),
            keys=keys,
            alternate_keys=self._alternate_keys(lineage),
            properties=tuple(
                read_property(facts, iri, name in keys, needed, self.version) for name, iri in properties.items()
            ),
            navigations=tuple(self._navigation(iri, place) for iri in navigations.values()),
        )

    def _alternate_keys(self, lineage: list[str]) -> tuple[tuple[tuple[str, str], ...], ...]:
        facts = self.facts
        nodes = [node for part in lineage for node in facts.ordered(part, OD.alternateKey, OD.position)]
        found = [self._named_parts(facts.ordered(node, OD.key, OD.position)) for node in nodes]
        own = self._named_parts([key for part in lineage for key in facts.ordered(part, OD.key, OD.position)])
        if any(name != path for name, path in own):
            # The key itself, by the names that its predicate takes: an alias where a part stands in a complex property.
            found.insert(0, own)
        return tuple(found)

    def _named_parts(self, nodes: list[str]) -> tuple[tuple[str, str], ...]:
        facts = self.facts
        return tuple((facts.text(n, OD.alias) or facts.text(n, OD.path), facts.text(n, OD.path)) for n in nodes)

    def _navigation(self, iri: str, place: Place) -> NavigationProperty:
        facts = self.facts
        _, set_iri, prefix = place
        name, target = facts.text(iri, OD.name), facts.text(iri, OD.targetType)
        cardinality = _CARDINALITIES[facts.text(iri, OD.cardinality)]
        many = "results" if self.version == "2.0" else "array"
        target_set, contained = self._target_set(place, name), facts.flag(iri, OD.contains)
        by_name = "@odata.bind" if self.version.startswith("4") else "__metadata.uri"
        return NavigationProperty(
            name=name,
            target_type=facts.text(target, OD.qualifiedName) or last_name(target),
            cardinality=cardinality,
            label=facts.label(iri),
            target_set=target_set,
            nesting=many if cardinality is Cardinality.MANY else "object",
            reference=by_name if target_set and not contained else None,
            contained=contained,
            nullable=facts.flag(iri, OD.nullable, True),
            partner=facts.one(iri, OD.partner),
            deep_insert=self._deep_insert(iri, set_iri, f"{prefix}{name}"),
            constraints=self._constraints(iri, OD.constraint),
            target_constraints=self._constraints(iri, OD.targetConstraint),
        )

    def _target_set(self, place: Place, name: str) -> str | None:
        """The binding of a navigation; a derived type's stands under a path with a type cast."""
        node, set_iri, prefix = place
        bindings = self.bindings(set_iri)
        casts = (f"{self.facts.text(part, OD.qualifiedName)}/" for part in self.lineage(node))
        found = (bindings.get(f"{prefix}{cast}{name}") for cast in ("", *casts))
        return next((target for target in found if target), None)

    def _constraints(self, iri: str, predicate: str) -> tuple[ReferentialConstraint, ...]:
        facts = self.facts
        return tuple(
            ReferentialConstraint(dependent=facts.text(node, OD.dependent), principal=facts.text(node, OD.principal))
            for node in facts.ordered(iri, predicate, OD.position)
        )

    def _deep_insert(self, iri: str, set_iri: str | None, path: str) -> Permission:
        """The most particular statement wins: of the set about this path, of the navigation, of the set at large."""
        facts = self.facts
        if set_iri is not None:
            if path in facts.all(set_iri, OD.nonInsertableNavigation):
                return Permission.DENIED
            for node in facts.all(set_iri, OD.navigation):
                if facts.text(node, OD.path) == path:
                    return permission(facts, node, OD.deepInsert)
        own = permission(facts, iri, OD.deepInsert)
        if own is Permission.UNDECLARED and set_iri is not None:
            return permission(facts, set_iri, OD.deepInsert)
        return own

    def is_structured(self, type_node: str) -> bool:
        """Whether it is an entity or complex type of the document."""
        return self.facts.is_a(type_node, OD.EntityType) or self.facts.is_a(type_node, OD.ComplexType)

    def steps(self, place: Place) -> Steps:
        """Where the type at ``place`` leads, cached: hundreds of contracts of a service go the same ways."""
        found = self._steps.get(place)
        if found is None:
            found = self._steps[place] = self._stepped(place)
        return found

    def _stepped(self, place: Place) -> Steps:
        node, set_iri, prefix = place
        found = self.structured(place)
        relatives = (*self.lineage(node)[:-1], *self.derived(node))
        places: list[Place] = [(relative, set_iri, prefix) for relative in relatives]
        for item in found.properties:
            if not item.type.startswith("Edm."):
                places.append((type_iri(self.service, item.type), set_iri, f"{prefix}{item.name}/"))
        for navigation in found.navigations:
            target = type_iri(self.service, navigation.target_type)
            holder = self.endpoints.get(navigation.target_set or "")
            fallback = None if navigation.contained else next(iter(self.sets_of(target)), None)
            places.append((target, holder or fallback, ""))
        return Steps(frozenset(item.type for item in found.properties), tuple(dict.fromkeys(places)))

    def enums_of(self, names: set[str]) -> tuple[EnumType, ...]:
        """Enumerations among these type names."""
        found = (type_iri(self.service, name) for name in sorted(names) if not name.startswith("Edm."))
        return tuple(read_enum(self.facts, iri) for iri in found if self.facts.is_a(iri, OD.EnumType))

    def definitions_of(self, names: set[str]) -> tuple[TypeDefinition, ...]:
        """Type definitions among these type names."""
        found = (type_iri(self.service, name) for name in sorted(names) if not name.startswith("Edm."))
        return tuple(
            read_definition(self.facts, iri, self.version) for iri in found if self.facts.is_a(iri, OD.TypeDefinition)
        )

    def _bound_operations(self) -> dict[str, list[tuple[str, str]]]:
        """Type IRI -> (name in URLs, operation IRI) of what is bound to it."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, iri in sorted(self.endpoints.items()):
            for operation in self.facts.all(iri, OD.operation):
                bound_to = self.facts.one(operation, OD.boundTo)
                if bound_to:
                    found.setdefault(bound_to, []).append((name, operation))
        return found

    def bound_operations(self, type_node: str) -> Iterator[Operation]:
        """Operations bound to the type or its base types."""
        for part in self.lineage(type_node):
            yield from self.operations_of(part)

    def operations_of(self, type_node: str) -> tuple[Operation, ...]:
        """Operations bound to exactly this type, cached."""
        found = self._operations.get(type_node)
        if found is None:
            bound = self._bound.get(type_node, ())
            found = tuple(read_operation(self.facts, operation, name, self.version) for name, operation in bound)
            self._operations[type_node] = found
        return found
