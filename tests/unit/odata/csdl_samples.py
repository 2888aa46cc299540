"""Small metadata documents for the tests of the CSDL reader: ``v2`` and ``v4`` wrap the inside of a schema."""

from odata.csdl import read_csdl
from odata.csdl_model import ServiceDocument

_V2 = """<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"
  xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns:sap="http://www.sap.com/Protocols/SAPData">
 <edmx:DataServices m:DataServiceVersion="2.0">
  <Schema Namespace="Shop" Alias="Self" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">{inside}</Schema>
 </edmx:DataServices></edmx:Edmx>"""
_V4 = """<edmx:Edmx Version="{version}" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
 <edmx:Reference Uri="https://vocabularies.example/common.xml">
  <edmx:Include Namespace="com.sap.vocabularies.Common.v1" Alias="UI5Common"/></edmx:Reference>
 <edmx:DataServices>
  <Schema Namespace="Shop" Alias="Self" xmlns="http://docs.oasis-open.org/odata/ns/edm">{inside}</Schema>{more}
 </edmx:DataServices></edmx:Edmx>"""

ORDERS_V2 = """
<EntityType Name="Order"><Key><PropertyRef Name="ID"/></Key>
 <Property Name="ID" Type="Edm.String" Nullable="false" MaxLength="10"/>
 <NavigationProperty Name="Items" Relationship="Self.OrderItems" FromRole="order" ToRole="items"/></EntityType>
<EntityType Name="Item"><Key><PropertyRef Name="OrderID"/><PropertyRef Name="No"/></Key>
 <Property Name="OrderID" Type="Edm.String" Nullable="false" MaxLength="10"/>
 <Property Name="No" Type="Edm.Int32" Nullable="false"/>
 <NavigationProperty Name="Order" Relationship="Self.OrderItems" FromRole="items" ToRole="order"/></EntityType>
<Association Name="OrderItems"><End Role="order" Type="Shop.Order" Multiplicity="1"/>
 <End Role="items" Type="Shop.Item" Multiplicity="*"/>
 <ReferentialConstraint><Principal Role="order"><PropertyRef Name="ID"/></Principal>
  <Dependent Role="items"><PropertyRef Name="OrderID"/></Dependent></ReferentialConstraint></Association>
<EntityContainer Name="C" m:IsDefaultEntityContainer="true">
 <EntitySet Name="Orders" EntityType="Shop.Order" sap:deletable="false"/><EntitySet Name="Items" EntityType="Shop.Item"/>
 <AssociationSet Name="S" Association="Shop.OrderItems">
  <End Role="order" EntitySet="Orders"/><End Role="items" EntitySet="Items"/></AssociationSet>
 <FunctionImport Name="Release" m:HttpMethod="POST" ReturnType="Shop.Order" EntitySet="Orders">
  <Parameter Name="ID" Type="Edm.String" MaxLength="10"/>
  <Parameter Name="Note" Type="Edm.String" Nullable="true"/></FunctionImport>
</EntityContainer>"""


def v2(inside: str) -> bytes:
    """A V2 document around ``inside``."""
    return _V2.format(inside=inside).encode()


def v4(inside: str, version: str = "4.0", more: str = "") -> bytes:
    """A V4 document around ``inside``; ``more`` are further schemas."""
    return _V4.format(inside=inside, version=version, more=more).encode()


def read(data: bytes) -> ServiceDocument:
    """The document, read under the name of no particular file."""
    return read_csdl(data, "sample.edmx")
