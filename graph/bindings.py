"""Bindings: which endpoint a process node uses, and how. One row of ``bindings.csv`` each, with its provenance."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from graph.iris import GRAPH, agent_iri, member_iri
from graph.known import Known
from graph.nquads import GraphWriter
from graph.tables import Row, service_of
from graph.vocabulary import OD, PROV, RDFS
from wire.endpoint import Verb

COLUMNS = ("process_id", "node_id", "service_file", "endpoint", "mode")


@dataclass(frozen=True)
class Resolution:
    """What became of one row: the IRIs of its ends, or the reasons why one is missing."""

    nodes: tuple[str, ...]
    endpoint: str
    problems: tuple[str, ...]


def write_bindings(writer: GraphWriter, rows: list[Row], known: Known) -> list[str]:
    """All rows as triples; returns one line for each that does not resolve (it stays in the graph, marked so)."""
    unresolved: list[str] = []
    for row in rows:
        resolution = resolve_binding(row, known)
        iri = member_iri(writer.graph.replace(GRAPH, f"{GRAPH}row/"), str(row.line))
        _write_row(writer, iri, row)
        if resolution.problems:
            reason = "; ".join(resolution.problems)
            writer.text(iri, OD.unresolved, reason)
            unresolved.append(f"{row.place}: binding {row['process_id']}/{row['node_id']}: {reason}")
            continue
        writer.iri(iri, OD.endpoint, resolution.endpoint)
        endpoint = known.endpoint(service_of(row["service_file"]), row["endpoint"])
        for node in resolution.nodes:
            if endpoint is not None:
                known.bind(node, endpoint, row["mode"])
            writer.iri(iri, OD.node, node)
            writer.iri(node, OD.binds, resolution.endpoint)
    return unresolved


def resolve_binding(row: Row, known: Known) -> Resolution:
    """Look up both ends of a row and check its mode."""
    service = service_of(row["service_file"])
    nodes = known.nodes(row["process_id"], row["node_id"])
    endpoint = known.endpoint(service, row["endpoint"])
    problems: list[str] = []
    if not nodes:
        problems.append("no loaded process has this node")
    if not known.has_service(service):
        problems.append(f"service {service} is not loaded")
    elif endpoint is None:
        problems.append(f"{service} has no endpoint {row['endpoint']}")
    elif row["reference_property"] and row["reference_property"] not in endpoint.properties:
        problems.append(f"reference property {row['reference_property']} is no property of {row['endpoint']}")
    if row["mode"] not in {verb.value for verb in Verb}:
        problems.append(f"mode {row['mode']!r} is none of {', '.join(Verb)}")
    if row["confidence"] and _confidence(row["confidence"]) is None:
        problems.append(f"confidence {row['confidence']!r} is no number from 0 to 1")
    return Resolution(tuple(nodes), endpoint.iri if endpoint else "", tuple(problems))


def _write_row(writer: GraphWriter, iri: str, row: Row) -> None:
    writer.type(iri, OD.Binding)
    writer.text(iri, OD.processId, row["process_id"])
    writer.text(iri, OD.nodeId, row["node_id"])
    writer.text(iri, OD.serviceName, service_of(row["service_file"]))
    writer.text(iri, OD.endpointName, row["endpoint"])
    writer.text(iri, OD.mode, row["mode"])
    writer.text(iri, OD.note, row["note"])
    writer.text(iri, OD.referenceProperty, row["reference_property"])
    for predicate, person in ((PROV.wasAttributedTo, row["author"]), (OD.reviewedBy, row["reviewed_by"])):
        if person:
            writer.iri(iri, predicate, agent_iri(person))
            writer.text(agent_iri(person), RDFS.label, person)
    writer.decimal(iri, OD.confidence, _confidence(row["confidence"]))
    writer.text(iri, OD.file, row.file)
    writer.integer(iri, OD.row, row.line)


def _confidence(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and 0 <= value <= 1 else None
