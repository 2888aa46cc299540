"""Large inputs for the bench: a file of a given size, copies of services under other names."""

from pathlib import Path

from evaluation.bench.graph_world import entity_sets, metadata_of, open_copies, write_copies
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
    (tmp_path / "copies").mkdir()
    write_copies(tmp_path / "copies", source, 2 * entity_sets(source))
    reader = open_copies(tmp_path / "copies")
    assert reader.services() == ["ORDERS.0", "ORDERS.1", "SHIP.0", "SHIP.1"]
    assert reader.contract("SHIP.1", "Deliveries", Verb.CREATE).types
    assert entity_sets(reader.store) == 6


def test_what_is_kept_of_a_copy_is_what_its_triples_say(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    (tmp_path / "copies").mkdir()
    write_copies(tmp_path / "copies", EmbeddedStore(open_store(tmp_path / "graph")[0]), 6)
    kept = open_copies(tmp_path / "copies")
    built = SnapshotReader(kept.store, kept.graph_hash)
    name = ("ORDERS.1", "Orders", Verb.CREATE)
    assert kept.contract(*name) == built.contract(*name)
    assert kept.endpoints() == built.endpoints()
