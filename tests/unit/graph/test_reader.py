"""The snapshot as retrieval sees it: endpoints, processes, bindings, carry-overs."""

from pathlib import Path

import pytest

from graph.errors import SnapshotMissing
from graph.reader import SnapshotReader, open_snapshot
from tests.unit.graph.world import read_world
from wire.endpoint import Verb

_CARRY = (
    b"process_id,from_node,from_service,from_entity,from_property,to_node,to_service,to_entity_or_operation,"
    b"to_property_or_parameter\nP,T1,ORDERS.edmx,Orders,ID,T2,ORDERS.edmx,Release,ID\n"
    b"P,T1,ORDERS.edmx,Orders,Gone,T2,ORDERS.edmx,Release,ID\n"
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> SnapshotReader:
    return read_world(tmp_path_factory.mktemp("world"), {"carryover.csv": _CARRY})


def test_endpoints_by_iri(reader: SnapshotReader) -> None:
    found = [(item.service, item.endpoint, item.kind) for item in reader.endpoints()]
    assert found == [
        ("ORDERS", "Items", "EntitySet"),
        ("ORDERS", "Orders", "EntitySet"),
        ("ORDERS", "Release", "FunctionImport"),
        ("SHIP", "Deliveries", "EntitySet"),
        ("SHIP", "Shop.Send", "Action"),
    ]


def test_summary_of_a_set(reader: SnapshotReader) -> None:
    summary = reader.endpoints()[3]
    assert summary.service_title == "Shipping"
    assert [name for name, _ in summary.properties][:2] == ["Delivery", "State"]
    assert summary.verbs == (Verb.READ, Verb.CREATE, Verb.UPDATE)


def test_summary_of_operations(reader: SnapshotReader) -> None:
    release, send = reader.endpoints()[2], reader.endpoints()[4]
    assert (release.verbs, release.http_method, release.properties) == (
        (Verb.ACTION,),
        "POST",
        (("ID", ""), ("Note", "")),
    )
    assert (send.bound_to, send.verbs) == ("Shop.Delivery", (Verb.ACTION,))


def test_process_nodes_and_edges(reader: SnapshotReader) -> None:
    labels = {node.iri: node.label or node.kind for node in reader.process_nodes()}
    edges = {(labels[edge.source], labels[edge.target], edge.condition) for edge in reader.follows()}
    assert edges == {
        ("startEvent", "Take order", ""),
        ("Take order", "Ship", "In stock? yes"),
        ("Take order", "endEvent", "In stock? no"),
        ("Ship", "endEvent", ""),
    }


def test_bindings_join_nodes_and_endpoints(reader: SnapshotReader) -> None:
    endpoints = {item.iri: item.endpoint for item in reader.endpoints()}
    nodes = {item.iri: item.node_id for item in reader.process_nodes()}
    found = [
        (nodes[item.node], endpoints[item.endpoint], item.verb, item.reference_property) for item in reader.bindings()
    ]
    assert found == [("T1", "Orders", Verb.CREATE, "ID"), ("T2", "Deliveries", Verb.CREATE, "")]


def test_provenance_of_a_binding(tmp_path: Path) -> None:
    table = (
        b"process_id,node_id,service_file,endpoint,mode,author,reviewed_by,confidence\n"
        b"P,T1,ORDERS.edmx,Orders,create,a@x.example,Process office,0.90\n"
    )
    (binding,) = read_world(tmp_path, {"bindings.csv": table}).bindings()
    assert (binding.author, binding.reviewed_by, binding.confidence) == ("a@x.example", "Process office", 0.9)


def test_declared_carry_over(reader: SnapshotReader) -> None:
    declared = [item for item in reader.carries() if item.source == "declared"]
    assert [(item.from_endpoint, item.from_property, item.to_endpoint, item.to_property) for item in declared] == [
        ("Orders", "ID", "Release", "ID")
    ]


def test_no_snapshot_yet(tmp_path: Path) -> None:
    with pytest.raises(SnapshotMissing, match="run the ingestion first"):
        open_snapshot(tmp_path)
    with pytest.raises(SnapshotMissing, match="no snapshot abc"):
        open_snapshot(tmp_path, "abc")
