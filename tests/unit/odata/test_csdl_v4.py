"""CSDL V4 and 4.01: navigation by type, operations, several schemas, inheritance, facets."""

import pytest

from odata.csdl_checks import effective_properties
from odata.csdl_model import ServiceDocument
from tests.unit.odata.csdl_samples import read, v4

_PEOPLE = """
<EntityType Name="Base" Abstract="true"><Key><PropertyRef Name="ID"/></Key>
 <Property Name="ID" Type="Edm.Guid" Nullable="false"/></EntityType>
<EntityType Name="Person" BaseType="Self.Base" OpenType="true" HasStream="true">
 <Property Name="Tags" Type="Collection(Edm.String)" MaxLength="max"/>
 <Property Name="Rate" Type="Edm.Decimal" Precision="9" Scale="variable"/>
 <NavigationProperty Name="Friends" Type="Collection(Self.Person)" Partner="Friends"/>
 <NavigationProperty Name="Boss" Type="Self.Person" Nullable="false">
  <ReferentialConstraint Property="BossID" ReferencedProperty="ID"/><OnDelete Action="Cascade"/></NavigationProperty>
 <NavigationProperty Name="Trips" Type="Collection(Self.Person)" ContainsTarget="true"/></EntityType>
<TypeDefinition Name="Name" UnderlyingType="Edm.String" MaxLength="40"/>
<Action Name="Move" IsBound="true"><Parameter Name="it" Type="Self.Person"/>
 <Parameter Name="Place" Type="Edm.String"/></Action>
<Action Name="Move" IsBound="true"><Parameter Name="it" Type="Collection(Self.Person)"/></Action>
<Function Name="Near"><Parameter Name="Lat" Type="Edm.Double"/><ReturnType Type="Self.Person"/></Function>
<EntityContainer Name="C"><EntitySet Name="People" EntityType="Self.Person">
  <NavigationPropertyBinding Path="Self.Person/Friends" Target="Self.C/People"/></EntitySet>
 <Singleton Name="Me" Type="Self.Person"/>
 <FunctionImport Name="Near" Function="Self.Near" EntitySet="People"/></EntityContainer>"""


@pytest.fixture(scope="module")
def people() -> ServiceDocument:
    return read(v4(_PEOPLE, "4.01"))


def test_version_and_clean_reading(people: ServiceDocument) -> None:
    assert people.version == "4.01"
    assert [str(finding) for finding in people.findings] == [
        "line 12, NavigationProperty Shop.Person/Boss: constraint names 'BossID', no property"
    ]


def test_navigation_multiplicities(people: ServiceDocument) -> None:
    found = {item.name: (item.multiplicity, item.contained) for item in people.types["Shop.Person"].navigations}
    assert found == {"Friends": ("*", False), "Boss": ("1", False), "Trips": ("*", True)}


def test_members_come_through_the_base_type(people: ServiceDocument) -> None:
    assert list(effective_properties(people.types, "Shop.Person")) == ["ID", "Tags", "Rate"]
    person = people.types["Shop.Person"]
    assert (person.base, person.open, person.has_stream) == ("Shop.Base", True, True)


def test_facets(people: ServiceDocument) -> None:
    tags, rate = people.types["Shop.Person"].properties
    assert (tags.collection, tags.type, tags.max_length) == (True, "Edm.String", None)
    assert (rate.precision, rate.scale) == (9, "variable")
    assert people.type_definitions["Shop.Name"].facets.max_length == 40


def test_overloads_have_signatures_of_their_own(people: ServiceDocument) -> None:
    assert [operation.signature for operation in people.operations] == [
        "Shop.Move(Shop.Person)",
        "Shop.Move(Collection(Shop.Person))",
        "Shop.Near(Edm.Double)",
    ]


def test_aliases_go_from_bindings_and_imports(people: ServiceDocument) -> None:
    assert people.entity_sets[0].bindings == (("Shop.Person/Friends", "People"),)
    assert people.entity_sets[1].kind == "Singleton"
    assert people.imports[0].operation == "Shop.Near"


def test_same_name_in_two_schemas() -> None:
    more = '<Schema Namespace="Other" xmlns="http://docs.oasis-open.org/odata/ns/edm"><ComplexType Name="A"/></Schema>'
    document = read(v4('<EntityType Name="A"/>', more=more))
    assert {name: item.kind for name, item in document.types.items()} == {"Shop.A": "entity", "Other.A": "complex"}


def test_base_type_cycle_ends() -> None:
    document = read(v4('<EntityType Name="A" BaseType="Self.B"/><EntityType Name="B" BaseType="Self.A"/>'))
    assert effective_properties(document.types, "Shop.A") == {}


def test_wrong_facet_is_reported_and_ignored() -> None:
    document = read(v4('<EntityType Name="A"><Property Name="P" Type="Edm.String" MaxLength="ten"/></EntityType>'))
    assert document.types["Shop.A"].properties[0].max_length is None
    assert "MaxLength='ten' is no number" in str(document.findings[0])


def test_second_property_of_a_name_is_reported() -> None:
    twice = '<Property Name="P" Type="Edm.Int32"/><Property Name="P" Type="Edm.String"/>'
    document = read(v4(f'<EntityType Name="A">{twice}</EntityType>'))
    assert [item.type for item in document.types["Shop.A"].properties] == ["Edm.Int32"]
    assert "occurs twice" in str(document.findings[0])
