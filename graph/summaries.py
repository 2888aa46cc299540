"""Endpoint summaries for retrieval: names, labels and members of every endpoint, without building contracts.

Only the predicates that a summary shows are read, since the whole graph is an order of magnitude larger.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields

from graph.contract_sets import type_name
from graph.facts import Facts
from graph.store import Triples
from graph.views import EndpointSummary
from graph.vocabulary import DCTERMS, OD, RDF, RDFS
from wire.endpoint import EndpointKind, ODataVersion, Verb

_SHOWN = (
    OD.endpoint, OD.name, OD.entityType, OD.property, OD.navigation, OD.parameter, OD.operation, OD.baseType, OD.position,
    OD.httpMethod, OD.boundTo, OD.targetType, OD.version, OD.qualifiedName,
    OD.creatable, OD.updatable, OD.deletable, OD.readable, RDFS.label, DCTERMS.title, DCTERMS.description,
)  # fmt: skip
_FIELDS = tuple(field.name for field in fields(EndpointSummary))
_CLASSES = (OD.EntitySet, OD.Singleton, OD.FunctionImport, OD.Action, OD.Function)
_KINDS: tuple[tuple[str, EndpointKind], ...] = (
    (OD.EntitySet, "EntitySet"),
    (OD.Singleton, "Singleton"),
    (OD.FunctionImport, "FunctionImport"),
    (OD.Action, "Action"),
    (OD.Function, "Function"),
)


def to_json(summaries: Iterable[EndpointSummary]) -> str:
    """Summaries as JSON text, for ``endpoints.json`` of a snapshot."""
    found = ({**vars_of(item), "verbs": [verb.value for verb in item.verbs]} for item in summaries)
    return json.dumps(list(found), ensure_ascii=False, separators=(",", ":"))


def vars_of(item: EndpointSummary) -> dict[str, object]:
    """The fields of a summary, shallow (``asdict`` copies every pair, which costs seconds on large graphs)."""
    return {name: getattr(item, name) for name in _FIELDS}


def load_summaries(text: str) -> tuple[EndpointSummary, ...]:
    """The inverse of ``to_json``."""
    return tuple(
        EndpointSummary(
            **{
                **item,
                "properties": tuple((name, label) for name, label in item["properties"]),
                "navigations": tuple((name, label) for name, label in item["navigations"]),
                "verbs": tuple(Verb(verb) for verb in item["verbs"]),
                "targets": tuple(item.get("targets", ())),
            }
        )
        for item in json.loads(text)
    )


def read_summaries(store: Triples) -> tuple[EndpointSummary, ...]:
    """All endpoints of all services, by IRI, read from the graph."""
    facts = Facts()
    for quad in store.matching(_SHOWN):
        facts.add(quad)
    for class_iri in _CLASSES:
        for quad in store.matching([RDF.type], class_iri):
            facts.add(quad)
    return tuple(sorted(summaries_of(facts), key=lambda item: item.iri))


def summaries_of(facts: Facts) -> list[EndpointSummary]:
    """The endpoints of the services that these facts are about."""
    members = _Members(facts)
    return [
        _summary(facts, members, service, iri)
        for service, held in facts.subjects()
        if OD.endpoint in held and OD.version in held
        for iri in facts.all(service, OD.endpoint)
    ]


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

    def targets(self, node: str) -> tuple[str, ...]:
        """The entity types that navigations lead to, in the order of ``of_type``; empty text for one that is not known."""
        facts = self.facts
        steps = (iri for part in self._lineage(node) for iri in facts.ordered(part, OD.navigation, OD.position))
        return tuple(type_name(facts, facts.one(iri, OD.targetType)) or "" for iri in steps)

    def _lineage(self, node: str) -> list[str]:
        found: list[str] = []
        current: str | None = node
        while current is not None and current not in found:
            found.append(current)
            current = self.facts.one(current, OD.baseType)
        return found[::-1]


def _summary(facts: Facts, members: _Members, node: str, iri: str) -> EndpointSummary:
    service = facts.text(node, OD.name)
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
        targets=members.targets(entity_type) if entity_type else (),
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
