"""The audit finds each difference that is planted, and none in a graph that was left alone."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, Store

from evaluation.fidelity.__main__ import main, report_of
from evaluation.fidelity.audit import audit, ingest_by_product
from graph.vocabulary import OD, RDF
from tests.unit.evaluation.fidelity.planting import audited, failing, remove, replace
from tests.unit.graph.world import write_world


def test_a_graph_left_alone_holds_every_fact(tmp_path: Path) -> None:
    found = audited(tmp_path)
    counts = {result.name: result.reference for result in found.results}
    assert (failing(found), found.refused, found.passed) == ({}, [], True)
    assert (counts["complex_types"], counts["enum_members"], counts["bindings"]) == (1, 2, 6)


def test_a_dropped_property(tmp_path: Path) -> None:
    found = audited(tmp_path, lambda store: remove(store, "Shop.Order", "#property"))
    assert failing(found)["properties"].coverage < 1.0
    assert failing(found)["properties"].exactness == 1.0


def test_a_wrong_cardinality(tmp_path: Path) -> None:
    found = audited(tmp_path, lambda store: replace(store, "Order/Items", "#cardinality", NamedNode(OD.One)))
    result = failing(found).pop("navigation_properties")
    assert (result.reference - result.common, result.held - result.common) == (1, 1)


def test_an_invented_entity_set(tmp_path: Path) -> None:
    def plant(store: Store) -> None:
        link = next(quad for quad in store.quads_for_pattern(None, NamedNode(OD.endpoint), None, None))
        made = NamedNode(f"{link.object.value}Invented")
        store.add(Quad(link.subject, link.predicate, made, link.graph_name))
        store.add(Quad(made, NamedNode(RDF.type), NamedNode(OD.EntitySet), link.graph_name))

    result = failing(audited(tmp_path, plant))["entity_sets"]
    assert (result.coverage, result.exactness < 1.0) == (1.0, True)


def test_a_lost_condition(tmp_path: Path) -> None:
    found = audited(tmp_path, lambda store: remove(store, "", "#condition", "In stock? yes"))
    assert list(failing(found)) == ["follows_edges"]


def test_a_facet_that_was_lost(tmp_path: Path) -> None:
    found = audited(tmp_path, lambda store: remove(store, "Shop.Item/OrderID", "#maxLength"))
    assert found.examples["properties"][0][0][1:] == ("Shop.Item/OrderID", "maxLength", "10")


def test_a_binding_that_points_elsewhere(tmp_path: Path) -> None:
    found = audited(tmp_path, lambda store: remove(store, "P/T1", "#binds"))
    assert failing(found)["bindings"].coverage < 1.0


def test_a_permission_turned_round(tmp_path: Path) -> None:
    found = audited(
        tmp_path, lambda store: replace(store, "endpoint/Orders", "odata#deletable", NamedNode(OD.Verified))
    )
    assert list(failing(found)) == ["annotations"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"<!DOCTYPE a><a/>", "DOCTYPE"), (b"<a", "not well-formed"), (b"<a/>", "the root is a")],
)
def test_what_cannot_be_read_is_refused_and_costs_nothing(tmp_path: Path, data: bytes, reason: str) -> None:
    found = audited(tmp_path, changes={"bad.edmx": data})
    assert (found.passed, [item.file for item in found.refused]) == (True, ["bad.edmx"])
    assert reason in found.refused[0].reason


def test_a_file_that_is_missing_for_any_other_reason_counts_as_nothing_held(tmp_path: Path) -> None:
    def plant(store: Store) -> None:
        for graph in list(store.named_graphs()):
            if "/service/SHIP/" in graph.value:
                store.remove_graph(graph)

    found = audited(tmp_path, plant)
    assert found.refused == []
    assert failing(found)["enum_members"].coverage == 0.0


def test_a_file_that_breaks_the_ingestion_counts_as_not_held(tmp_path: Path) -> None:
    def breaking(sources: Sequence[Path], root: Path) -> dict[str, str]:
        if any(found.name == "SHIP.xml" for source in sources for found in (source, *source.rglob("*"))):
            raise KeyError("broken")
        return ingest_by_product(sources, root)

    found = audit(write_world(tmp_path / "sources"), tmp_path / "scratch", load=breaking)
    assert [(item.file, item.allowed) for item in found.refused] == [("SHIP.xml", False)]
    assert failing(found)["enum_members"].coverage == 0.0
    assert "associations" not in failing(found)


def test_files_of_one_name_in_several_folders_are_all_read(tmp_path: Path) -> None:
    world = write_world(tmp_path / "sources")
    for folder, name in (("a", "ORDERS.edmx"), ("b", "SHIP.xml")):
        (world / folder).mkdir()
        (world / folder / "metadata.xml").write_bytes((world / name).read_bytes() + b"\n")
    assert audited(tmp_path).passed


def test_the_command_writes_what_it_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    code = main([str(write_world(tmp_path / "sources")), "--json", str(out)])
    written = json.loads(out.read_text())
    assert (code, written["classes"]["keys"]) == (0, {"coverage": 1.0, "exactness": 1.0, "n": 5})
    assert "every fact is held, none invented" in capsys.readouterr().out


def test_report_names_class_and_refusal(tmp_path: Path) -> None:
    report = report_of(audited(tmp_path, changes={"bad.bpmn": b"<a/>"}))
    assert "bad.bpmn" in str(report["refused"])
