"""What annotations of a derived type say of an inherited property holds for that type only."""

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
