"""Bindings: the rows of bindings.csv against what the graph made of them. A row resolves when both its ends were read."""

import csv
import io
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path

from pyoxigraph import NamedNode, Store

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.stored import StoredGraph, name_of
from graph.iris import GRAPH
from graph.vocabulary import OD, PROV, RDF

_MODES = ("read", "create", "update", "delete", "action")
_NOTES = ("note", "reference_property", "author", "reviewed_by")


def reference_bindings(file: Path, ends: Mapping[str, set[str]], nodes: set[tuple[str, str]], table: FactTable) -> None:
    """Facts of one table. ``ends``: service -> names of its endpoints; ``nodes``: (process, node) without gateways."""
    table.key = sha256(file.read_bytes()).hexdigest()[:16]
    rows = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline=""))
    for row in rows:
        cells = {name.strip(): (value or "").strip() for name, value in row.items() if isinstance(name, str)}
        if not any(cells.values()):
            continue
        place = (str(rows.line_num),)
        service = _service(cells.get("service_file", ""))
        wanted = (cells.get("process_id", ""), cells.get("node_id", ""))
        names = (*wanted, service, cells.get("endpoint", ""), cells.get("mode", ""))
        table.add("bindings", *place, "row", *names)
        said = ((name, cells.get(name, "")) for name in _NOTES)
        table.add_all("bindings", place, ((name, value) for name, value in said if value))
        if _confidence(cells.get("confidence", "")):
            table.add("bindings", *place, "confidence", _confidence(cells["confidence"]))
        if wanted in nodes and names[3] in ends.get(service, set()) and names[4] in _MODES:
            table.add("bindings", *place, "resolves", *wanted, service, names[3])


def _service(file_name: str) -> str:
    return file_name.rpartition(".")[0] if file_name.lower().endswith((".edmx", ".xml")) else file_name


def _confidence(text: str) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return ""
    return format(value.normalize(), "f") if value.is_finite() and 0 <= value <= 1 else ""


def held_bindings(store: Store) -> FactTable:
    """Facts of all binding graphs of a snapshot."""
    table = FactTable()
    for graph in store.named_graphs():
        iri = graph.value if isinstance(graph, NamedNode) else ""
        if iri.startswith(f"{GRAPH}bindings/"):
            table.key = name_of(iri)
            held = StoredGraph(store, iri)
            for row in held.of_type(OD.Binding):
                _row(store, held, row, table)
    return table


def _row(store: Store, held: StoredGraph, row: str, table: FactTable) -> None:
    place = (held.text(row, OD.row),)
    terms = (OD.processId, OD.nodeId, OD.serviceName, OD.endpointName, OD.mode)
    table.add("bindings", *place, "row", *(held.text(row, term) for term in terms))
    people = ((OD.reviewedBy, "reviewed_by"), (PROV.wasAttributedTo, "author"))
    for term, what in ((OD.note, "note"), (OD.referenceProperty, "reference_property")):
        table.add_all("bindings", place, ((what, value) for value in held.all(row, term)))
    for term, what in people:
        table.add_all("bindings", place, ((what, name_of(value)) for value in held.all(row, term)))
    table.add_all("bindings", place, (("confidence", _confidence(value)) for value in held.all(row, OD.confidence)))
    for endpoint in held.all(row, OD.endpoint):
        for node in held.all(row, OD.node):
            if endpoint in held.all(node, OD.binds) and _exists(store, endpoint) and _exists(store, node):
                process, service = name_of(node.rpartition("/")[0]), name_of(endpoint.rpartition("/endpoint/")[0])
                table.add("bindings", *place, "resolves", process, name_of(node), service, name_of(endpoint))


def _exists(store: Store, iri: str) -> bool:
    """Whether a node or endpoint is in the store at all, as more than the end of a binding."""
    return next(store.quads_for_pattern(NamedNode(iri), NamedNode(RDF.type), None, None), None) is not None
