"""What annotations of a derived type say holds for that type only; what a container extends is its own."""

from pathlib import Path

import pytest

from graph.ingest import ingest
from graph.reader import open_snapshot
from tests.unit.odata.csdl_samples import v4
from wire.endpoint import Verb

_TYPES = """
<EntityType Name="Base"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/>
 <Property Name="Sum" Type="Edm.Decimal"><Annotation Term="Common.Label" String="Total"/></Property></EntityType>
<EntityType Name="Bill" BaseType="Self.Base"/>
<EntityContainer Name="C"><EntitySet Name="Bases" EntityType="Self.Base"/><EntitySet Name="Bills" EntityType="Self.Bill"/>
</EntityContainer>
<Annotations Target="Self.Bill/Sum"><Annotation Term="Core.Computed"/></Annotations>"""


@pytest.mark.parametrize(("endpoint", "computed"), [("Bases", False), ("Bills", True)])
def test_a_computed_property_of_one_type(tmp_path: Path, endpoint: str, computed: bool) -> None:
    (tmp_path / "SHOP.xml").write_bytes(v4(_TYPES))
    ingest([tmp_path / "SHOP.xml"], tmp_path / "graph")
    contract = open_snapshot(tmp_path / "graph").contract("SHOP", endpoint, Verb.CREATE)
    found = next(item for item in contract.type(contract.entity_type).properties if item.name == "Sum")
    assert (found.computed, found.label) == (computed, "Total")


def test_members_of_an_extended_container_need_no_prefix(tmp_path: Path) -> None:
    inside = """<EntityType Name="A"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/></EntityType>
    <EntityContainer Name="Old"><EntitySet Name="As" EntityType="Self.A"/></EntityContainer>
    <EntityContainer Name="New" Extends="Self.Old"><EntitySet Name="More" EntityType="Self.A"/></EntityContainer>"""
    (tmp_path / "SHOP.xml").write_bytes(v4(inside))
    ingest([tmp_path / "SHOP.xml"], tmp_path / "graph")
    assert [item.endpoint for item in open_snapshot(tmp_path / "graph").endpoints()] == ["As", "More"]
