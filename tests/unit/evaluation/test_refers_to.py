"""Precision and recall of derived edges over a small world with a carry-over table of its own."""

import json
from pathlib import Path

import pytest

from evaluation.refers_to import Figure, lines_of, main
from tests.unit.graph.world import FILES
from tests.unit.odata.csdl_samples import v4

_SHIP = """<EntityType Name="Delivery"><Key><PropertyRef Name="Delivery"/></Key>
<Property Name="Delivery" Type="Edm.String" MaxLength="10"/><Property Name="OrderNo" Type="Edm.String" MaxLength="10"/>
<Property Name="Site" Type="Edm.String"/></EntityType>
<EntityContainer Name="C"><EntitySet Name="Deliveries" EntityType="Self.Delivery"/></EntityContainer>"""
_ORDERS = """<EntityType Name="Order"><Key><PropertyRef Name="OrderNo"/></Key>
<Property Name="OrderNo" Type="Edm.String" MaxLength="10"/></EntityType>
<EntityContainer Name="C"><EntitySet Name="Orders" EntityType="Self.Order"/></EntityContainer>"""
_HEAD = "process_id,from_node,from_service,from_entity,from_property,to_node,to_service,to_entity_or_operation,"
_TABLE = f"""{_HEAD}to_property_or_parameter
P,T1,ORDERS.edmx,Orders,OrderNo,T2,SHIP.edmx,Deliveries,OrderNo
P,T1,ORDERS.edmx,Orders,OrderNo,T2,SHIP.edmx,Deliveries,Site
"""


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "ORDERS.xml").write_bytes(v4(_ORDERS))
    (tmp_path / "metadata" / "SHIP.xml").write_bytes(v4(_SHIP))
    (tmp_path / "processes").mkdir()
    (tmp_path / "processes" / "sell.bpmn").write_bytes(FILES["sell.bpmn"] or b"")
    (tmp_path / "bindings.csv").write_bytes(FILES["bindings.csv"].replace(b",ID\n", b",OrderNo\n"))
    (tmp_path / "carryover.csv").write_text(_TABLE, encoding="utf-8")
    return tmp_path


def test_the_command_counts_and_names_edges(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = bench / "out.json"
    assert main(["--bench", str(bench), "--metadata", str(bench / "metadata"), "--json", str(out), "--edges"]) == 0
    found = json.loads(out.read_text("utf-8"))
    assert (found["gold"], found["gold_derivable"], found["right"]) == (2, 1, 1)
    assert (found["precision"], found["recall"], found["recall_derivable"]) == (1.0, 0.5, 1.0)
    assert "not derived: ORDERS Orders/OrderNo -> SHIP Deliveries/Site" in capsys.readouterr().out


def test_a_missing_table_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--bench", str(tmp_path), "--metadata", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_nothing_derived_divides_by_nothing() -> None:
    figure = Figure(frozenset(), 0, frozenset())
    assert (figure.precision, figure.recall, len(lines_of(figure, edges=True))) == (0.0, 0.0, 5)
