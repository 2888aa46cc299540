"""CSDL V2 and V3: associations resolved into navigation, function imports, SAP attributes."""

from tests.unit.odata.csdl_samples import ORDERS_V2, read, v2


def test_navigation_takes_target_and_multiplicity_from_the_association() -> None:
    document = read(v2(ORDERS_V2))
    (items,) = document.types["Shop.Order"].navigations
    (order,) = document.types["Shop.Item"].navigations
    assert (items.target, items.multiplicity) == ("Shop.Item", "*")
    assert (order.target, order.multiplicity, order.nullable) == ("Shop.Order", "1", False)


def test_constraint_belongs_to_the_dependent_side() -> None:
    document = read(v2(ORDERS_V2))
    (items,) = document.types["Shop.Order"].navigations
    (order,) = document.types["Shop.Item"].navigations
    assert order.constraints == (("OrderID", "ID"),)
    assert items.constraints == ()
    assert items.target_constraints == (("ID", "OrderID"),)


def test_association_sets_bind_navigation_to_sets() -> None:
    bindings = {item.name: item.bindings for item in read(v2(ORDERS_V2)).entity_sets}
    assert bindings == {"Orders": (("Items", "Items"),), "Items": (("Order", "Orders"),)}


def test_function_import_with_parameters() -> None:
    (release,) = read(v2(ORDERS_V2)).imports
    assert (release.http_method, release.entity_set) == ("POST", "Orders")
    assert [(p.name, p.nullable) for p in release.parameters] == [("ID", False), ("Note", True)]
    assert release.returns is not None
    assert release.returns.type == "Shop.Order"


def test_dangling_relationship_is_kept_without_target_and_said() -> None:
    inside = '<EntityType Name="A"><NavigationProperty Name="N" Relationship="Shop.None" ToRole="x"/></EntityType>'
    document = read(v2(inside))
    assert [item.target for item in document.types["Shop.A"].navigations] == [""]
    assert "NavigationProperty N: no end 'x' of association 'Shop.None'" in str(document.findings[0])


def test_dangling_sap_text_is_reported() -> None:
    inside = '<EntityType Name="A"><Property Name="P" Type="Edm.String" sap:text="Gone"/></EntityType>'
    assert "sap:text names Gone, which does not exist" in str(read(v2(inside)).findings[0])


def test_v3_is_told_by_its_namespace_and_knows_enums() -> None:
    data = v2('<EnumType Name="E"><Member Name="A"/><Member Name="B" Value="5"/><Member Name="C"/></EnumType>')
    document = read(data.replace(b"2008/09", b"2009/11"))
    assert document.version == "3.0"
    assert document.enums["Shop.E"].members == (("A", 0), ("B", 5), ("C", 6))


def test_v3_side_effects_give_the_method() -> None:
    inside = '<EntityContainer Name="C"><FunctionImport Name="F" IsSideEffecting="true"/></EntityContainer>'
    assert read(v2(inside)).imports[0].http_method == "POST"


def test_unknown_method_is_taken_for_one_with_effects() -> None:
    inside = '<EntityContainer Name="C"><FunctionImport Name="F" m:HttpMethod="FETCH"/></EntityContainer>'
    document = read(v2(inside))
    assert document.imports[0].http_method == "POST"
    assert "HttpMethod='FETCH', taken as POST" in str(document.findings[0])


def test_documentation_becomes_a_description() -> None:
    inside = '<EntityType Name="A"><Documentation><Summary> What it is </Summary></Documentation></EntityType>'
    (annotation,) = read(v2(inside)).annotations["Shop.A"]
    assert (annotation.term, annotation.value) == ("Org.OData.Core.V1.Description", "What it is")


def test_unqualified_type_is_looked_for_in_all_schemas() -> None:
    other = '<Schema Namespace="Sets" xmlns="http://schemas.microsoft.com/ado/2008/09/edm"><EntityContainer Name="C">'
    other += '<EntitySet Name="As" EntityType="A"/></EntityContainer></Schema></edmx:DataServices>'
    data = v2('<EntityType Name="A"/>').replace(b"</edmx:DataServices>", other.encode())
    document = read(data)
    assert document.entity_sets[0].entity_type == "Shop.A"
    assert "taken as Shop.A" in str(document.findings[0])
