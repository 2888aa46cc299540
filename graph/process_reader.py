"""Processes, bindings and carry-overs as plain values, read from their triples."""

from urllib.parse import unquote

from graph.facts import Facts
from graph.iris import BASE
from graph.views import Binding, Follows, ProcessNode
from graph.vocabulary import DCTERMS, OD, PROV
from wire.context import CarryOver
from wire.endpoint import Verb

_ENDPOINTS = f"{BASE}service/"


def read_process_nodes(facts: Facts) -> tuple[ProcessNode, ...]:
    """All nodes but gateways, by IRI."""
    found = []
    for iri, members in facts.subjects():
        if OD.nodeId in members and facts.is_a(iri, OD.ProcessNode):
            process = facts.text(iri, OD.process)
            found.append(
                ProcessNode(
                    iri=iri,
                    process_id=facts.text(process, OD.processId),
                    process=facts.label(process),
                    node_id=facts.text(iri, OD.nodeId),
                    kind=facts.text(iri, OD.kind),
                    label=facts.label(iri),
                    documentation=facts.text(iri, OD.documentation),
                    lane=facts.text(iri, OD.lane),
                    position=facts.integer(iri, OD.position) or 0,
                    process_documentation=facts.text(process, DCTERMS.description),
                )
            )
    return tuple(sorted(found, key=lambda node: node.iri))


def read_follows(facts: Facts) -> tuple[Follows, ...]:
    """All edges, by source, target and condition."""
    found = (
        Follows(facts.text(iri, OD.source), facts.text(iri, OD.target), facts.text(iri, OD.condition))
        for iri, _ in facts.subjects()
        if facts.is_a(iri, OD.Follows)
    )
    return tuple(sorted(found, key=lambda edge: (edge.source, edge.target, edge.condition)))


def read_bindings(facts: Facts) -> tuple[Binding, ...]:
    """Bindings that resolve, one for each node of their row."""
    found = [
        Binding(
            node=node,
            endpoint=facts.text(iri, OD.endpoint),
            verb=Verb(facts.text(iri, OD.mode)),
            note=facts.text(iri, OD.note),
            reference_property=facts.text(iri, OD.referenceProperty),
            author=facts.label(facts.text(iri, PROV.wasAttributedTo)),
            reviewed_by=facts.label(facts.text(iri, OD.reviewedBy)),
            confidence=_confidence(facts.one(iri, OD.confidence)),
        )
        for iri, _ in facts.subjects()
        if facts.is_a(iri, OD.Binding) and facts.one(iri, OD.unresolved) is None
        for node in facts.all(iri, OD.node)
    ]
    return tuple(sorted(found, key=lambda item: (item.node, item.endpoint, item.verb)))


def _confidence(text: str | None) -> float | None:
    return None if text is None else float(text)


def read_carries(facts: Facts) -> tuple[CarryOver, ...]:
    """Carry-overs without repetition: what is declared hides the same one derived."""
    found: dict[tuple[str, ...], CarryOver] = {}
    for iri, _ in facts.subjects():
        if not facts.is_a(iri, OD.CarryOver):
            continue
        source, target = facts.text(iri, OD.fromEndpoint), facts.text(iri, OD.toEndpoint)
        from_property, to_property = facts.text(iri, OD.fromPropertyName), facts.text(iri, OD.toPropertyName)
        declared = facts.text(iri, OD.origin) == "declared"
        key = (source, from_property, target, to_property)
        if declared or key not in found:
            (from_service, from_endpoint), (to_service, to_endpoint) = _address(source), _address(target)
            found[key] = CarryOver(
                from_service=from_service,
                from_endpoint=from_endpoint,
                from_property=from_property,
                to_service=to_service,
                to_endpoint=to_endpoint,
                to_property=to_property,
                source="declared" if declared else "derived",
            )
    ordered = sorted(found.items(), key=lambda item: (item[1].source != "declared", item[0]))
    return tuple(carry for _, carry in ordered)


def _address(endpoint: str) -> tuple[str, str]:
    """(service, endpoint) of an endpoint's IRI, the inverse of ``graph.iris.endpoint_iri``."""
    service, _, name = endpoint.removeprefix(_ENDPOINTS).partition("/endpoint/")
    return unquote(service), unquote(name)
