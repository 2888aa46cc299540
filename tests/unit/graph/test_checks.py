"""The graph's own rules: a world that keeps them all, and one for each that breaks it."""

from pathlib import Path

import pytest

from graph.reachability import Node, unreachable
from tests.unit.graph.world import FILES, SELL, ingest_world
from tests.unit.odata.csdl_samples import v4

_SET = '<EntityContainer Name="C">\n<EntitySet Name="As" EntityType="Self.{}"/></EntityContainer>'
_A = '<EntityType Name="A"><Key><PropertyRef Name="K"/></Key><Property Name="K" Type="Edm.String"/>{}</EntityType>'


def broken(tmp_path: Path, **changes: bytes) -> tuple[str, ...]:
    """The rules that the world breaks with one file added."""
    return ingest_world(tmp_path, {name.replace("_", "."): data for name, data in changes.items()}).violations


def test_a_sound_world_breaks_none(tmp_path: Path) -> None:
    assert broken(tmp_path) == ()


def test_an_entity_set_without_its_type(tmp_path: Path) -> None:
    found = broken(tmp_path, BAD_xml=v4(_A.format("") + _SET.format("Gone")))
    assert found == ("BAD.xml, line 6, EntitySet As: lacks an entity type: no loaded Shop.Gone",)


def test_an_entity_set_of_a_complex_type(tmp_path: Path) -> None:
    found = broken(tmp_path, BAD_xml=v4('<ComplexType Name="Gone"/>' + _SET.format("Gone")))
    assert found == ("BAD.xml, line 6, EntitySet As: lacks an entity type: no loaded Shop.Gone",)


def test_a_to_many_navigation_without_a_target(tmp_path: Path) -> None:
    navigation = '<NavigationProperty Name="Bs" Type="Collection(Self.B)"/>'
    found = broken(tmp_path, BAD_xml=v4(_A.format(navigation) + _SET.format("A")))
    assert len(found) == 1
    assert found[0].endswith("NavigationProperty Shop.A/Bs: lacks a target entity type: no loaded Shop.B")
    assert found[0].startswith("BAD.xml, line ")


def test_a_binding_without_an_endpoint(tmp_path: Path) -> None:
    table = FILES["bindings.csv"] + b"P,T1,ORDERS.edmx,EntitySet,Gone,create,,\n"
    found = ingest_world(tmp_path, {"bindings.csv": table}).violations
    assert found == ("bindings.csv, line 4, binding P/T1 -> ORDERS Gone: ORDERS has no endpoint Gone",)


def test_a_process_node_that_nothing_leads_to(tmp_path: Path) -> None:
    island = '<task id="T3" name="Alone"/><sequenceFlow id="f9" sourceRef="T3" targetRef="E"/></process>'
    found = ingest_world(tmp_path, {"sell.bpmn": SELL.replace("</process>", island).encode()}).violations
    assert found == ("sell.bpmn, line 6, task P/T3 (Alone): nothing leads to it",)


def test_what_an_event_starts_needs_no_flow(tmp_path: Path) -> None:
    island = '<subProcess id="U" triggeredByEvent="true"><startEvent id="V"/></subProcess></process>'
    assert ingest_world(tmp_path, {"sell.bpmn": SELL.replace("</process>", island).encode()}).violations == ()


def test_rules_that_are_broken_stay_in_the_report_of_an_unchanged_ingestion(tmp_path: Path) -> None:
    changes: dict[str, bytes | None] = {"BAD.xml": v4(_A.format("") + _SET.format("Gone"))}
    first, second = ingest_world(tmp_path, changes), ingest_world(tmp_path, changes)
    assert (second.unchanged, second.violations) == (True, first.violations)


_START, _TASK, _SUB = Node("s", "P", "startEvent"), Node("t", "P", "task"), Node("u", "P", "subProcess")


@pytest.mark.parametrize(
    ("nodes", "edges", "lost"),
    [
        ([_START, _TASK], [("s", "t")], []),
        ([_START, _TASK], [], ["t"]),
        ([_TASK, _SUB], [], []),
        ([_START, _TASK, _SUB], [("t", "u"), ("u", "t")], ["t", "u"]),
        ([_TASK, _SUB], [("t", "u"), ("u", "t")], ["t", "u"]),
        ([_START, _TASK], [("t", "t")], ["t"]),
        ([_START, Node("u", "P", "subProcess", by_event=True), Node("e", "P", "startEvent", "u")], [], []),
        ([_START, _SUB, Node("e", "P", "startEvent", "u")], [("u", "e")], ["u"]),
        ([_START, Node("o", "Q", "task")], [], []),
    ],
)
def test_reachability(nodes: list[Node], edges: list[tuple[str, str]], lost: list[str]) -> None:
    assert unreachable(nodes, edges) == lost
