"""Ingestion: what is loaded, refused, reported; identity and change of snapshots."""

from pathlib import Path

import pytest

from graph.errors import NothingToIngest, SnapshotDamaged, SourceError
from graph.ingest import ingest
from graph.reader import open_snapshot
from graph.snapshot import current_hash, list_snapshots, open_store, remove_snapshots, snapshot_dir, verify_snapshot
from tests.unit.graph.world import FILES, ingest_world, write_world
from tests.unit.odata.csdl_samples import v4


def test_refused_files_do_not_stop_others(tmp_path: Path) -> None:
    report = ingest_world(tmp_path, {"bad.edmx": b"<html/>", "bad.bpmn": b"<x/>", "broken.xml": b"<a>"})
    assert [item.file for item in report.refused] == ["bad.bpmn", "bad.edmx", "broken.xml"]
    assert all("\n" not in item.reason for item in report.refused)
    assert {item.name for item in report.loaded if item.kind == "service"} == {"ORDERS", "SHIP"}


def test_hash_does_not_depend_on_place_or_order(tmp_path: Path) -> None:
    first = ingest_world(tmp_path / "a")
    files = sorted((tmp_path / "a" / "sources").iterdir(), reverse=True)
    second = ingest(files, tmp_path / "b")
    assert first.graph_hash == second.graph_hash


def test_second_ingestion_is_unchanged_and_keeps_its_report(tmp_path: Path) -> None:
    first = ingest_world(tmp_path, {"bad.edmx": b""})
    second = ingest_world(tmp_path)
    assert (first.unchanged, second.unchanged) == (False, True)
    assert (second.graph_hash, second.refused) == (first.graph_hash, first.refused)


def test_changes_against_the_snapshot_before(tmp_path: Path) -> None:
    old = ingest_world(tmp_path)
    changed = {"SHIP.xml": v4("<EntityType Name='A'/>"), "codes.csv": None, "NEW.edmx": FILES["ORDERS.edmx"]}
    new = ingest_world(tmp_path, changed)
    assert new.changes == ("removed codes codes.csv", "added service NEW", "changed service SHIP")
    assert list_snapshots(tmp_path / "graph") == sorted([old.graph_hash, new.graph_hash])


def test_binding_that_no_longer_resolves_is_reported(tmp_path: Path) -> None:
    assert ingest_world(tmp_path).unresolved == ()
    report = ingest_world(tmp_path, {"SHIP.xml": v4("<EntityType Name='A'/>")})
    assert report.unresolved == ("bindings.csv, line 3: binding P/T2: SHIP has no endpoint Deliveries",)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (b"P,T9,ORDERS.edmx,,Orders,create,,", "no loaded process has this node"),
        (b"P,T1,GONE.edmx,,Orders,create,,", "service GONE is not loaded"),
        (b"P,T1,ORDERS.edmx,,Orders,make,,", "mode 'make' is none of read, create"),
        (b"P,T1,ORDERS.edmx,,Orders,create,,Gone", "reference property Gone is no property of Orders"),
    ],
)
def test_each_end_of_a_binding_is_checked(tmp_path: Path, row: bytes, words: str) -> None:
    header = FILES["bindings.csv"].splitlines()[0]
    report = ingest_world(tmp_path, {"bindings.csv": header + b"\n" + row + b"\n"})
    assert words in report.unresolved[0]


def test_rows_of_curated_tables_that_name_nothing(tmp_path: Path) -> None:
    codes = FILES["codes.csv"] + b"ORDERS.edmx,Item,Gone,1,\n"
    report = ingest_world(tmp_path, {"codes.csv": codes})
    assert "codes.csv, line 4: code '1': no property ORDERS Item/Gone is loaded" in report.warnings


def test_a_table_of_which_no_row_matches_is_loaded_empty(tmp_path: Path) -> None:
    report = ingest_world(tmp_path, {"codes.csv": FILES["codes.csv"].replace(b"ORDERS", b"OTHERS")})
    assert any("codes.csv, line 2" in warning for warning in report.warnings)
    assert open_snapshot(tmp_path / "graph").services() == ["ORDERS", "SHIP"]


def test_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    report = ingest_world(tmp_path, {"codes.csv": b"a,b\n1,2\n"})
    assert "codes.csv, line 1, header: lacks service_file, entity_type" in report.refused[0].reason


def test_deep_nesting_is_read(tmp_path: Path) -> None:
    deep = '<Record><PropertyValue Property="V">' * 600 + "</PropertyValue></Record>" * 600
    data = v4(f'<EntityType Name="A"><Annotation Term="Core.Description">{deep}</Annotation></EntityType>')
    report = ingest_world(tmp_path, {"deep.edmx": data})
    assert (report.refused, "deep.edmx" in {item.file for item in report.loaded}) == ((), True)


def test_same_name_for_other_content_is_told_apart_by_its_folder(tmp_path: Path) -> None:
    write_world(tmp_path / "sources" / "sub", dict.fromkeys(FILES) | {"ORDERS.xml": v4("<EntityType Name='A'/>")})
    report = ingest_world(tmp_path)
    names = {item.file: item.name for item in report.loaded}
    assert (names["ORDERS.edmx"], names["sub/ORDERS.xml"], report.refused) == ("ORDERS", "sub.ORDERS", ())


def test_nothing_to_ingest_leaves_the_current_snapshot(tmp_path: Path) -> None:
    before = ingest_world(tmp_path).graph_hash
    bad = tmp_path / "bad.edmx"
    bad.write_bytes(b"")
    with pytest.raises(NothingToIngest, match=r"bad.edmx: the file is empty"):
        ingest([bad], tmp_path / "graph")
    assert current_hash(tmp_path / "graph") == before


def test_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file or folder; check the path"):
        ingest([tmp_path / "gone"], tmp_path / "graph")


def test_progress_is_told_of_every_file(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    ingest([write_world(tmp_path / "s")], tmp_path / "g", progress=lambda *step: seen.append(step))
    assert [number for _, number, _ in seen] == list(range(1, len(FILES) + 1))
    assert {total for _, _, total in seen} == {len(FILES)}


def test_stored_quads_hash_to_the_name(tmp_path: Path) -> None:
    report = ingest_world(tmp_path)
    assert verify_snapshot(tmp_path / "graph", report.graph_hash) == report.quads


def test_changed_summaries_are_noticed_and_lost_ones_read_from_the_store(tmp_path: Path) -> None:
    digest = ingest_world(tmp_path).graph_hash
    beside = snapshot_dir(tmp_path / "graph", digest) / "endpoints.json"
    kept = open_snapshot(tmp_path / "graph").endpoints()
    beside.write_text(beside.read_text("utf-8").replace("Release", "Delete"), "utf-8")
    with pytest.raises(SnapshotDamaged, match="ingest the sources again"):
        verify_snapshot(tmp_path / "graph", digest)
    beside.unlink()
    assert open_snapshot(tmp_path / "graph").endpoints() == kept


@pytest.mark.parametrize("name", ["endpoints.json", "contracts.jsonl"])
def test_ingesting_again_mends_what_stands_beside_the_store(tmp_path: Path, name: str) -> None:
    digest = ingest_world(tmp_path).graph_hash
    beside = snapshot_dir(tmp_path / "graph", digest) / name
    whole = beside.read_bytes()
    beside.write_bytes(whole[: len(whole) // 2])
    assert ingest_world(tmp_path).graph_hash == digest
    assert beside.read_bytes() == whole


def test_no_blank_nodes_and_no_default_graph(tmp_path: Path) -> None:
    report = ingest_world(tmp_path)
    store, _ = open_store(tmp_path / "graph", report.graph_hash)
    assert all(type(quad.subject).__name__ == "NamedNode" for quad in store)
    assert all(type(quad.graph_name).__name__ == "NamedNode" for quad in store)


def test_leftover_of_a_killed_build_is_swept(tmp_path: Path) -> None:
    left = tmp_path / "graph" / "building-1-x"
    left.mkdir(parents=True)
    ingest_world(tmp_path)
    assert not left.exists()


def test_removal_keeps_current_and_cited(tmp_path: Path) -> None:
    cited = ingest_world(tmp_path).graph_hash
    stale = ingest_world(tmp_path, {"required.csv": None}).graph_hash
    current = ingest_world(tmp_path, {"codes.csv": None}).graph_hash
    assert remove_snapshots(tmp_path / "graph", [cited]) == [stale]
    assert list_snapshots(tmp_path / "graph") == sorted([cited, current])
