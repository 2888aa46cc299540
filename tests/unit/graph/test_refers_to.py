"""Derived ``refersTo``: who owns a key, who can take it."""

import pytest

from graph.known import Known
from graph.nquads import GraphWriter
from graph.refers_to import owners, write_derived
from graph.vocabulary import OD
from odata.csdl import read_csdl
from tests.unit.odata.csdl_samples import v2


def _type(name: str, keys: str, *properties: str) -> str:
    refs = "".join(f'<PropertyRef Name="{key}"/>' for key in keys.split())
    members = "".join(
        f'<Property Name="{name}" Type="Edm.String" MaxLength="{length or 10}"/>'
        for name, _, length in (text.partition(":") for text in (*keys.split(), *properties))
    )
    return f'<EntityType Name="{name}"><Key>{refs}</Key>{members}</EntityType>'


def _service(types: str, sets: str) -> bytes:
    made = "".join(
        f'<EntitySet Name="{name}" EntityType="Shop.{name}" {attributes}/>'
        for name, _, attributes in (text.partition(" ") for text in sets.split(";"))
    )
    release = (
        '<FunctionImport Name="Release" m:HttpMethod="POST"><Parameter Name="Order" Type="Edm.String" MaxLength="10"/>'
    )
    return v2(f'{types}<EntityContainer Name="C">{made}{release}</FunctionImport></EntityContainer>')


def _known(**services: bytes) -> Known:
    known = Known()
    for name, data in services.items():
        known.add_service(name, read_csdl(data, f"{name}.edmx"))
    return known


def _edges(known: Known) -> set[tuple[str, str]]:
    """(owner, taker) as service/endpoint of all derived edges."""
    writer = GraphWriter("urn:derived")
    write_derived(writer, known)
    ends: dict[str, dict[str, str]] = {}
    for line in writer.lines():
        subject, predicate, value, *_ = line.split(" ")
        ends.setdefault(subject, {})[predicate.strip("<>")] = "/".join(value.strip("<>").split("/")[-3::2])
    return {(edge[OD.fromEndpoint], edge[OD.toEndpoint]) for edge in ends.values() if OD.fromEndpoint in edge}


_SALES = _service(_type("Order", "Order") + _type("OrderItem", "Order OrderItem"), "Order;OrderItem")


def test_a_set_owns_its_own_key_not_its_parents() -> None:
    found = {owner.endpoint.name: owner.keys for owner in owners(list(_known(SALES=_SALES).endpoints()))}
    assert found == {"Order": ("Order",), "OrderItem": ("OrderItem",)}


def test_code_like_keys_and_unrelated_names_are_not_owned() -> None:
    types = _type("Role", "Role:4") + _type("Report", "Customer")
    assert owners(list(_known(A=_service(types, "Role;Report")).endpoints())) == []


def test_operations_of_the_service_and_sets_of_others_take_the_key() -> None:
    shipping = _service(_type("Delivery", "Delivery", "Order"), "Delivery")
    known = _known(SALES=_SALES, SHIP=shipping)
    assert ("SALES/Order", "SALES/Release") in _edges(known)
    assert ("SALES/Order", "SHIP/Delivery") in _edges(known)


def test_length_and_writability_must_fit() -> None:
    longer = _service(_type("Delivery", "Delivery", "Order:20"), "Delivery")
    closed = _service(_type("Delivery", "Delivery", "Order"), 'Delivery sap:creatable="false"')
    takers = {taker for _, taker in _edges(_known(SALES=_SALES, LONG=longer, CLOSED=closed))}
    assert not takers & {"LONG/Delivery", "CLOSED/Delivery"}


def test_a_service_that_owns_the_key_takes_none() -> None:
    known = _known(SALES=_SALES, OTHER=_service(_type("Order", "Order"), "Order"))
    assert ("SALES/Order", "OTHER/Order") not in _edges(known)
    assert ("SALES/Order", "OTHER/Release") not in _edges(known)


@pytest.mark.parametrize(("length", "taken"), [("", True), ('MaxLength="11000"', True), ('MaxLength="4"', False)])
def test_a_parameter_takes_the_key_when_it_fits(length: str, taken: bool) -> None:
    data = _SALES.replace(
        b'Name="Order" Type="Edm.String" MaxLength="10"/></Function',
        f'Name="Order" Type="Edm.String" {length}/></Function'.encode(),
    )
    assert (("SALES/Order", "SALES/Release") in _edges(_known(SALES=data))) is taken
