"""Endpoint summaries for retrieval: names, labels and members of every endpoint, without building contracts.

Only the predicates that a summary shows are read, since the whole graph is an order of magnitude larger.
"""

from collections.abc import Iterator, Mapping

from pyoxigraph import NamedNode, Store

from graph.contract_sets import type_name
from graph.facts import Facts
from graph.iris import service_iri
from graph.views import EndpointSummary
from graph.vocabulary import DCTERMS, OD, RDF, RDFS
from wire.endpoint import EndpointKind, ODataVersion, Verb

_SHOWN = (
    OD.endpoint, OD.name, OD.entityType, OD.property, OD.navigation, OD.parameter, OD.operation, OD.baseType, OD.position,
    OD.httpMethod, OD.boundTo, OD.version, OD.qualifiedName, OD.creatable, OD.updatable, OD.deletable, OD.readable,
    RDFS.label, DCTERMS.title, DCTERMS.description,
)  # fmt: skip
_CLASSES = (OD.EntitySet, OD.Singleton, OD.FunctionImport, OD.Action, OD.Function)
_KINDS: tuple[tuple[str, EndpointKind], ...] = (
    (OD.EntitySet, "EntitySet"),
    (OD.Singleton, "Singleton"),
    (OD.FunctionImport, "FunctionImport"),
    (OD.Action, "Action"),
    (OD.Function, "Function"),
)


def read_summaries(store: Store, services: Mapping[str, list[str]]) -> tuple[EndpointSummary, ...]:
    """All endpoints of all services, by IRI."""
    facts = Facts()
    for predicate in _SHOWN:
        for quad in store.quads_for_pattern(None, NamedNode(predicate), None, None):
            facts.add(quad)
    for class_iri in _CLASSES:
        for quad in store.quads_for_pattern(None, NamedNode(RDF.type), NamedNode(class_iri), None):
            facts.add(quad)
    members = _Members(facts)
    found = [
        _summary(facts, members, service, iri)
        for service in services
        for iri in facts.all(service_iri(service), OD.endpoint)
    ]
    return tuple(sorted(found, key=lambda item: item.iri))


class _Members:
    """Properties and navigations of a type with those of its base types, cached per type."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._cache: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def of_type(self, node: str, predicate: str) -> tuple[tuple[str, str], ...]:
        """(name, label) in declared order."""
        key = (node, predicate)
        if key not in self._cache:
            self._cache[key] = tuple(pair for part in self._lineage(node) for pair in self.linked(part, predicate))
        return self._cache[key]

    def linked(self, owner: str, predicate: str) -> Iterator[tuple[str, str]]:
        """(name, label) of what one node links to."""
        for iri in self.facts.ordered(owner, predicate, OD.position):
            yield self.facts.text(iri, OD.name), self.facts.label(iri)

    def _lineage(self, node: str) -> list[str]:
        found: list[str] = []
        current: str | None = node
        while current is not None and current not in found:
            found.append(current)
            current = self.facts.one(current, OD.baseType)
        return found[::-1]


def _summary(facts: Facts, members: _Members, service: str, iri: str) -> EndpointSummary:
    node = service_iri(service)
    kind = next(kind for class_iri, kind in _KINDS if facts.is_a(iri, class_iri))
    entity_type = facts.one(iri, OD.entityType)
    operations = facts.all(iri, OD.operation)
    if entity_type:
        properties = members.of_type(entity_type, OD.property)
    else:
        owners = (iri, *operations)
        properties = tuple(dict.fromkeys(pair for owner in owners for pair in members.linked(owner, OD.parameter)))
    bound = next((bound for operation in operations for bound in facts.all(operation, OD.boundTo)), None)
    version: ODataVersion = facts.text(node, OD.version)  # type: ignore[assignment]
    return EndpointSummary(
        iri=iri,
        service=service,
        endpoint=facts.text(iri, OD.name),
        kind=kind,
        version=version,
        label=facts.label(iri) or (facts.label(entity_type) if entity_type else ""),
        description=facts.text(iri, DCTERMS.description) or _type_text(facts, entity_type),
        service_title=facts.text(node, DCTERMS.title) or service,
        entity_type=type_name(facts, entity_type),
        properties=properties,
        navigations=members.of_type(entity_type, OD.navigation) if entity_type else (),
        verbs=_verbs(facts, iri, kind),
        http_method=facts.one(iri, OD.httpMethod),
        bound_to=facts.one(bound, OD.qualifiedName) if bound else None,
    )


def _type_text(facts: Facts, entity_type: str | None) -> str:
    return facts.text(entity_type, DCTERMS.description) if entity_type else ""


def _verbs(facts: Facts, iri: str, kind: EndpointKind) -> tuple[Verb, ...]:
    """Verbs that nothing denies; an operation has one, by whether it has effects."""
    if kind == "Action" or (kind == "FunctionImport" and facts.text(iri, OD.httpMethod) != "GET"):
        return (Verb.ACTION,)
    if kind in ("Function", "FunctionImport"):
        return (Verb.READ,)
    candidates = [(Verb.READ, OD.readable), (Verb.CREATE, OD.creatable), (Verb.UPDATE, OD.updatable)]
    candidates.append((Verb.DELETE, OD.deletable))
    if kind == "Singleton":
        candidates = [pair for pair in candidates if pair[0] in (Verb.READ, Verb.UPDATE)]
    return tuple(verb for verb, predicate in candidates if facts.text(iri, predicate) != OD.Denied)
