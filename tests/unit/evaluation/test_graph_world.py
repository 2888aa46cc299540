"""Large inputs for the bench: a file of a given size, copies of services under other names."""

from pathlib import Path

from pyoxigraph import Store

from evaluation.bench.graph_world import bulk_load, copied_lines, entity_sets, metadata_of, service_names
from graph.reader import SnapshotReader
from graph.snapshot import open_store
from graph.store import EmbeddedStore
from odata.csdl import read_csdl
from tests.unit.graph.world import ingest_world
from wire.endpoint import Verb


def test_a_file_of_a_given_size_reads_without_a_finding() -> None:
    data = metadata_of(100_000)
    document = read_csdl(data, "big.edmx")
    assert 100_000 <= len(data) < 120_000
    assert (document.findings, len(document.entity_sets) == len(document.types)) == ((), True)


def test_copies_are_services_of_their_own(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    source = EmbeddedStore(open_store(tmp_path / "graph")[0])
    store = Store()
    for copy in range(2):
        bulk_load(store, copied_lines(source, service_names(source), copy))
    reader = SnapshotReader(EmbeddedStore(store), "h")
    assert reader.services() == ["ORDERS.0", "ORDERS.1", "SHIP.0", "SHIP.1"]
    assert reader.contract("SHIP.1", "Deliveries", Verb.CREATE).types
    assert entity_sets(EmbeddedStore(store)) == 6


def test_bulk_load_stops_where_it_is_told(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    source = EmbeddedStore(open_store(tmp_path / "graph")[0])
    store = Store()
    assert bulk_load(store, copied_lines(source, service_names(source), 0), 50) == len(store) == 50
