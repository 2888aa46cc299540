"""Contracts as read from the graph of a small world."""

import pytest

from graph.errors import UnknownEndpoint, UnknownService
from graph.reader import SnapshotReader
from tests.unit.graph.world import read_world
from wire.endpoint import Cardinality, Code, EndpointContract, Permission, Property, Verb


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> SnapshotReader:
    return read_world(tmp_path_factory.mktemp("world"))


def _create(reader: SnapshotReader, service: str, endpoint: str) -> EndpointContract:
    return reader.contract(service, endpoint, Verb.CREATE)


def _property(contract: EndpointContract, type_name: str, name: str) -> Property:
    found = contract.type(type_name)
    assert found is not None
    prop = found.property(name)
    assert prop is not None
    return prop


def test_identity(reader: SnapshotReader) -> None:
    contract = _create(reader, "ORDERS", "Orders")
    assert (contract.kind, contract.version, contract.entity_type) == ("EntitySet", "2.0", "Shop.Order")
    assert contract.graph_hash == reader.graph_hash
    assert len(contract.metadata_digest) == 64


def test_v2_navigation_nests_in_results(reader: SnapshotReader) -> None:
    order = _create(reader, "ORDERS", "Orders").type("Shop.Order")
    assert order is not None
    items = order.navigation("Items")
    assert items is not None
    assert (items.cardinality, items.nesting, items.target_set) == (Cardinality.MANY, "results", "Items")
    assert [(c.dependent, c.principal) for c in items.target_constraints] == [("OrderID", "ID")]


@pytest.mark.parametrize(
    ("service", "endpoint", "navigation", "way"),
    [
        ("ORDERS", "Orders", "Items", "__metadata.uri"),
        ("SHIP", "Deliveries", "Parcels", None),
        ("SHIP", "Deliveries", "Twin", "@odata.bind"),
    ],
)
def test_how_an_existing_entity_is_named(
    reader: SnapshotReader, service: str, endpoint: str, navigation: str, way: str | None
) -> None:
    found = (item.navigation(navigation) for item in _create(reader, service, endpoint).types)
    assert {item.reference for item in found if item is not None} == {way}


def test_v4_containment_nests_in_an_array(reader: SnapshotReader) -> None:
    delivery = _create(reader, "SHIP", "Deliveries").type("Shop.Delivery")
    assert delivery is not None
    parcels = delivery.navigation("Parcels")
    assert parcels is not None
    assert (parcels.nesting, parcels.contained, parcels.target_set) == ("array", True, None)


def test_target_sets_and_types_are_closed_over_navigation(reader: SnapshotReader) -> None:
    contract = _create(reader, "ORDERS", "Orders")
    assert contract.target_sets == (("Orders/Items", "Items"), ("Items/Order", "Orders"))
    assert {item.name for item in contract.types} == {"Shop.Order", "Shop.Item"}
    assert dict(contract.sets)["Items"] == "Shop.Item"


def test_key_is_required_where_nothing_else_is_said(reader: SnapshotReader) -> None:
    key = _property(_create(reader, "ORDERS", "Orders"), "Shop.Order", "ID")
    assert (key.key, key.required, key.required_source) == (True, True, "key")


def test_curated_rows_are_the_whole_list_of_their_set(reader: SnapshotReader) -> None:
    contract = _create(reader, "ORDERS", "Items")
    number, order = _property(contract, "Shop.Item", "No"), _property(contract, "Shop.Item", "OrderID")
    assert (number.required, number.required_source, number.required_unless) == (True, "curated: expert", "OrderID")
    assert (order.key, order.required) == (True, False)


def test_curated_rows_reach_the_nested_type(reader: SnapshotReader) -> None:
    assert _property(_create(reader, "ORDERS", "Orders"), "Shop.Item", "No").required_source == "curated: expert"


def test_required_by_annotation(reader: SnapshotReader) -> None:
    weight = _property(_create(reader, "SHIP", "Deliveries"), "Shop.Delivery", "Weight")
    assert weight.required_source == "Capabilities.InsertRestrictions/RequiredProperties"
    assert (weight.minimum, weight.exclusive_minimum, weight.scale) == ("0", True, 0)


def test_required_below_a_complex_property(reader: SnapshotReader) -> None:
    city = _property(_create(reader, "SHIP", "Deliveries"), "Shop.Address", "City")
    assert city.required_source == "Capabilities.InsertRestrictions/RequiredProperties"


def test_derived_types_come_along_with_their_bindings(reader: SnapshotReader) -> None:
    express = _create(reader, "SHIP", "Deliveries").type("Shop.Express")
    assert express is not None
    twin = express.navigation("Twin")
    assert twin is not None
    assert (twin.target_set, twin.nesting, twin.cardinality) == ("Deliveries", "object", Cardinality.ZERO_OR_ONE)


def test_a_set_that_cannot_be_sorted_names_all_its_properties(reader: SnapshotReader) -> None:
    restrictions = reader.contract("SHIP", "Deliveries", Verb.READ).restrictions
    assert restrictions.non_sortable == ("Delivery", "State", "To", "Weight", "Unit", "Net")
    assert restrictions.non_filterable == ()


def test_curated_codes_are_fixed_and_in_order(reader: SnapshotReader) -> None:
    codes = _property(_create(reader, "ORDERS", "Items"), "Shop.Item", "No").code_list
    assert codes is not None
    assert (codes.codes, codes.fixed, codes.source) == (
        (Code(code="10", text="first"), Code(code="20")),
        True,
        "codes.csv",
    )


def test_allowed_values_enums_and_definitions(reader: SnapshotReader) -> None:
    contract = _create(reader, "SHIP", "Deliveries")
    assert _property(contract, "Shop.Delivery", "Unit").allowed == (Code(code="KG", text="Kilogram"),)
    assert [item.members for item in contract.enums] == [(("Open", 0), ("Gone", 1))]
    assert [(item.name, item.max_length) for item in contract.type_definitions] == [("Shop.Text", 40)]


def test_members_of_the_base_type_come_first(reader: SnapshotReader) -> None:
    delivery = _create(reader, "SHIP", "Deliveries").type("Shop.Delivery")
    assert delivery is not None
    assert [item.name for item in delivery.properties][:2] == ["Delivery", "State"]
    assert (delivery.keys, delivery.base) == (("Delivery",), "Shop.Thing")


def test_writability_is_three_valued(reader: SnapshotReader) -> None:
    contract = _create(reader, "SHIP", "Deliveries")
    assert _property(contract, "Shop.Delivery", "Net").creatable is Permission.DENIED
    assert _property(contract, "Shop.Delivery", "Weight").creatable is Permission.UNDECLARED
    assert contract.restrictions.allowed is Permission.VERIFIED


@pytest.mark.parametrize(("service", "endpoint"), [("SHIP", "Deliveries"), ("ORDERS", "Orders")])
def test_denied_verb_with_its_source(reader: SnapshotReader, service: str, endpoint: str) -> None:
    restrictions = reader.contract(service, endpoint, Verb.DELETE).restrictions
    assert restrictions.allowed is Permission.DENIED
    assert dict(restrictions.sources)["delete"] in ("Capabilities.DeleteRestrictions", "sap:deletable")


def test_function_import(reader: SnapshotReader) -> None:
    contract = reader.contract("ORDERS", "Release", Verb.ACTION)
    (operation,) = contract.operations
    assert (contract.kind, operation.http_method, operation.return_set) == ("FunctionImport", "POST", "Orders")
    assert [(p.name, p.required) for p in operation.parameters] == [("ID", True), ("Note", False)]
    assert contract.type("Shop.Order") is not None


def test_bound_action_stands_on_its_set_and_by_itself(reader: SnapshotReader) -> None:
    (on_set,) = _create(reader, "SHIP", "Deliveries").operations
    (itself,) = reader.contract("SHIP", "Send", Verb.ACTION).operations
    assert on_set == itself
    assert (itself.name, itself.bound_to, itself.bound_collection) == ("Shop.Send", "Shop.Delivery", False)
    assert [(p.name, p.required) for p in itself.parameters] == [("On", False)]


def test_unknown_names_are_answered_with_near_ones(reader: SnapshotReader) -> None:
    with pytest.raises(UnknownEndpoint, match="no endpoint 'ORDERS/Order' in the graph; nearest: ORDERS/Orders"):
        _create(reader, "ORDERS", "Order")
    with pytest.raises(UnknownService, match="nearest: ORDERS"):
        _create(reader, "ORDER", "Orders")


def test_same_contract_twice_is_the_same_object(reader: SnapshotReader) -> None:
    assert _create(reader, "ORDERS", "Orders") is _create(reader, "ORDERS", "Orders")
