"""A small world on disk: two services, one process, tables. Tests change one file and ingest again."""

from pathlib import Path

from graph.ingest import ingest
from graph.ingest_report import IngestReport
from graph.reader import SnapshotReader, open_snapshot
from tests.unit.odata.csdl_samples import ORDERS_V2, v2, v4

SHIP = """
<EnumType Name="State"><Member Name="Open"/><Member Name="Gone"/></EnumType>
<TypeDefinition Name="Text" UnderlyingType="Edm.String" MaxLength="40"/>
<ComplexType Name="Address"><Property Name="City" Type="Self.Text"/></ComplexType>
<EntityType Name="Thing" Abstract="true"><Key><PropertyRef Name="Delivery"/></Key>
 <Property Name="Delivery" Type="Edm.String" Nullable="false" MaxLength="10"/></EntityType>
<EntityType Name="Delivery" BaseType="Self.Thing"><Property Name="State" Type="Self.State"/>
 <Property Name="To" Type="Self.Address"/>
 <Property Name="Weight" Type="Edm.Decimal" Precision="9"><Annotation Term="Validation.Minimum" Int="0">
   <Annotation Term="Validation.Exclusive" Bool="true"/></Annotation></Property>
 <Property Name="Unit" Type="Edm.String" MaxLength="3"><Annotation Term="Validation.AllowedValues"><Collection>
   <Record><PropertyValue Property="Value" String="KG"/><Annotation Term="Core.Description" String="Kilogram"/></Record>
 </Collection></Annotation></Property>
 <Property Name="Net" Type="Edm.Decimal"><Annotation Term="Core.Computed"/></Property>
 <NavigationProperty Name="Parcels" Type="Collection(Self.Parcel)" ContainsTarget="true"/></EntityType>
<EntityType Name="Express" BaseType="Self.Delivery"><NavigationProperty Name="Twin" Type="Self.Delivery"/></EntityType>
<EntityType Name="Parcel"><Key><PropertyRef Name="No"/></Key><Property Name="No" Type="Edm.Int32"/></EntityType>
<Action Name="Send" IsBound="true"><Parameter Name="it" Type="Self.Delivery"/>
 <Parameter Name="On" Type="Edm.Date"><Annotation Term="Core.OptionalParameter"/></Parameter>
 <ReturnType Type="Self.Delivery"/></Action>
<EntityContainer Name="C"><Annotation Term="Core.Description" String="Shipping"/>
 <EntitySet Name="Deliveries" EntityType="Self.Delivery">
  <NavigationPropertyBinding Path="Self.Express/Twin" Target="Deliveries"/></EntitySet></EntityContainer>
<Annotations Target="Self.C/Deliveries"><Annotation Term="Capabilities.InsertRestrictions"><Record>
  <PropertyValue Property="Insertable" Bool="true"/>
  <PropertyValue Property="RequiredProperties"><Collection><PropertyPath>Weight</PropertyPath>
   <PropertyPath>To/City</PropertyPath></Collection></PropertyValue>
 </Record></Annotation><Annotation Term="Capabilities.DeleteRestrictions"><Record>
  <PropertyValue Property="Deletable" Bool="false"/></Record></Annotation>
 <Annotation Term="Capabilities.SortRestrictions"><Record><PropertyValue Property="Sortable" Bool="false"/></Record>
 </Annotation></Annotations>"""

SELL = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="P" name="Sell">
 <startEvent id="S"/><task id="T1" name="Take order"/><exclusiveGateway id="G" name="In stock?"/>
 <task id="T2" name="Ship"/><endEvent id="E"/>
 <sequenceFlow id="f1" sourceRef="S" targetRef="T1"/><sequenceFlow id="f2" sourceRef="T1" targetRef="G"/>
 <sequenceFlow id="f3" name="yes" sourceRef="G" targetRef="T2"/><sequenceFlow id="f4" name="no" sourceRef="G" targetRef="E"/>
 <sequenceFlow id="f5" sourceRef="T2" targetRef="E"/></process></definitions>"""

FILES: dict[str, bytes] = {
    "ORDERS.edmx": v2(ORDERS_V2),
    "SHIP.xml": v4(SHIP),
    "sell.bpmn": SELL.encode(),
    "bindings.csv": b"process_id,node_id,service_file,endpoint_kind,endpoint,mode,note,reference_property\n"
    b"P,T1,ORDERS.edmx,EntitySet,Orders,create,with items,ID\nP,T2,SHIP.xml,EntitySet,Deliveries,create,,\n",
    "codes.csv": b"service_file,entity_type,property,code,text\nORDERS.edmx,Item,No,10,first\nORDERS.edmx,Item,No,20,\n",
    "required.csv": b"service_file,entity_set,property,why,unless\nORDERS.edmx,Items,No,expert,OrderID\n",
}


def write_world(folder: Path, changes: dict[str, bytes | None] | None = None) -> Path:
    """The files with some replaced, added, or (None) left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {**FILES, **(changes or {})}.items():
        if data is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).write_bytes(data)
    return folder


def ingest_world(tmp_path: Path, changes: dict[str, bytes | None] | None = None) -> IngestReport:
    """Write the world and ingest it under ``tmp_path/graph``."""
    return ingest([write_world(tmp_path / "sources", changes)], tmp_path / "graph")


def read_world(tmp_path: Path, changes: dict[str, bytes | None] | None = None) -> SnapshotReader:
    """Ingest the world and open the snapshot."""
    report = ingest_world(tmp_path, changes)
    return open_snapshot(tmp_path / "graph", report.graph_hash)
