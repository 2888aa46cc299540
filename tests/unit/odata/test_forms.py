"""Forms that one version has and another has not: aliases, type names, light JSON of 3.0, forms of 4.01, alternate keys."""

from typing import Any

import pytest

from odata.validation import compile_validator
from tests.unit.odata.contracts import MANAGER, ORDER, PERSON, SHARE, orders, people, text
from tests.unit.odata.rule_cases import ORDER as ORDER_BODY
from tests.unit.odata.rule_cases import PERSON as PERSON_BODY
from wire.call import ProposedCall, Verdict
from wire.endpoint import (
    Cardinality,
    EndpointContract,
    NavigationProperty,
    Property,
    ReferentialConstraint,
    StructuredType,
    Verb,
)

ALIASED = {"aliases": (("A", "P"),)}
RUSH = ORDER.model_copy(
    update={
        "name": "S.Rush",
        "base": "S.Order",
        "properties": (*ORDER.properties, text("Fee", required=True, required_source="expert")),
    }
)
DERIVED = {"types": (ORDER.model_copy(update={"derived": ("S.Rush",)}), RUSH, *orders().types[1:])}


def validate(contract: EndpointContract, **call: Any) -> Verdict:
    fields = {"service": contract.service, "endpoint": contract.endpoint, **call}
    return compile_validator(contract).validate(ProposedCall.model_validate(fields))


def found(contract: EndpointContract, **call: Any) -> list[tuple[str, str]]:
    return [(f.rule, f.pointer) for f in validate(contract, **call).findings]


@pytest.mark.parametrize("name", ["#P.Manager", "#A.Manager", "http://host/$metadata#P.Manager", "P.Manager"])
def test_type_is_named_with_alias_or_url(name: str) -> None:
    body = {**PERSON_BODY, "@odata.type": name, "Budget": 5}
    assert found(people(**ALIASED), method="POST", payload=body) == []


def test_alias_stands_in_paths_casts_and_literals() -> None:
    share = people(Verb.ACTION, **ALIASED)
    assert found(share, method="ACTION", key={"User": "a"}, path=("A.Share",), payload={"with": "b"}) == []
    query = {"$filter": "Gender eq A.Gender'Male' and A.Manager/Budget gt 5", "$select": "A.Manager/Budget"}
    assert found(people(Verb.READ, **ALIASED), method="GET", query=query) == []


def test_required_of_a_derived_type_in_version_2() -> None:
    body = {**ORDER_BODY, "__metadata": {"type": "S.Rush"}}
    assert found(orders(**DERIVED), method="POST", payload=body) == [("R09", "/payload/Fee")]
    assert found(orders(**DERIVED), method="POST", payload={**body, "Fee": "1"}) == []


@pytest.mark.parametrize(("version", "rules"), [("2.0", ["R04", "R40"]), ("3.0", [])])
def test_light_json_is_a_form_of_version_3(version: str, rules: list[str]) -> None:
    body = {**ORDER_BODY, "odata.type": "S.Order", "Header@odata.bind": "Headers(1)"}
    assert [rule for rule, _ in found(orders(version=version), method="POST", payload=body)] == rules


def test_a_path_ends_behind_a_value() -> None:
    one = {"method": "GET", "key": {"User": "a"}}
    assert found(people(Verb.READ), **one, path=("First", "$value")) == []
    assert found(people(Verb.READ), **one, path=("First", "Nope")) == [("R01", "/path/1")]


def test_results_wrapper_is_no_entity() -> None:
    body = {**ORDER_BODY, "Header": {"results": [{"Id": 1}]}}
    assert found(orders(), method="POST", payload=body) == [("R34", "/payload/Header")]


def test_null_in_a_key_is_refused_though_its_type_lets_it_pass() -> None:
    body = {**ORDER_BODY, "Header": {"Id": None}}
    assert found(orders(), method="POST", payload=body) == [("R08", "/payload/Header/Id")]


def test_contained_entities_are_nested_not_referred_to() -> None:
    body = {**PERSON_BODY, "Trips@odata.bind": ["Things(1)"]}
    assert found(people(), method="POST", payload=body) == [("R39", "/payload/Trips@odata.bind")]


@pytest.mark.parametrize(
    ("member", "pointer"),
    [({"Boss": {**PERSON_BODY, "User": "bob"}}, "/payload/Boss/User"),
     ({"Boss@odata.bind": "People('bob')"}, "/payload/Boss@odata.bind"),
     ({"Boss@odata.bind": "People(User='bob')"}, "/payload/Boss@odata.bind")],
)  # fmt: skip
def test_foreign_key_beside_its_entity(member: dict[str, Any], pointer: str) -> None:
    assert found(people(), method="POST", payload={**PERSON_BODY, **member, "BossUser": "eve"}) == [("R37", pointer)]
    assert found(people(), method="POST", payload={**PERSON_BODY, **member, "BossUser": "bob"}) == []


def test_guids_agree_in_either_case() -> None:
    guid = "6d3b3f0e-6d5c-4a0e-9a42-7b8c7a9f1e01"
    key = Property(name="Id", type="Edm.Guid", key=True)
    header = StructuredType(name="S.Header", kind="entity", keys=("Id",), properties=(key,))
    nav = NavigationProperty(
        name="Header",
        target_type="S.Header",
        cardinality=Cardinality.ZERO_OR_ONE,
        target_set="Headers",
        constraints=(ReferentialConstraint(dependent="Uid", principal="Id"),),
    )
    order = ORDER.model_copy(update={"navigations": (nav,)})
    contract = orders(types=(order, header))
    elsewhere = {"__metadata": {"uri": f"Headers(guid'{guid[:-1]}2')"}}
    body = {**ORDER_BODY, "Uid": guid}
    assert found(contract, method="POST", payload={**body, "Header": {"Id": guid.upper()}}) == []
    assert found(contract, method="POST", payload={**body, "Header": {"Id": guid[:-1] + "2"}}) == [
        ("R37", "/payload/Header/Id")
    ]
    assert found(contract, method="POST", payload={**body, "Header": elsewhere}) == [
        ("R37", "/payload/Header/__metadata/uri")
    ]


def test_alternate_key_addresses_as_the_key_does() -> None:
    person = PERSON.model_copy(update={"alternate_keys": ((("Mail", "First"),),)})
    contract = people(Verb.READ, types=(person, MANAGER))
    assert found(contract, method="GET", key={"Mail": 5}) == [("R44", "/key/Mail")]
    verdict = validate(contract, method="GET", key={"Mail": "x"})
    assert verdict.request is not None
    assert verdict.request.path == "People(Mail='x')"


def test_property_with_a_computed_default_may_be_left_out() -> None:
    thing = StructuredType(
        name="S.Order", kind="entity", properties=(text("A", nullable=False, computed_default=True),)
    )
    assert found(orders(types=(thing,)), method="POST", payload={}) == []


def test_nested_entities_of_an_update_are_told_apart_by_key_in_401() -> None:
    call: dict[str, Any] = {"method": "PATCH", "key": {"User": "a"}, "payload": {"Trips": [{"Id": 1}]}}
    assert found(people(Verb.UPDATE, version="4.01"), **call) == []
    assert found(people(Verb.UPDATE), **call) == [("R36", "/payload/Trips")]


def test_members_of_complex_parameters_are_required() -> None:
    city = SHARE.model_copy(
        update={"parameters": (*SHARE.parameters, text("in").model_copy(update={"type": "P.City"}))}
    )
    contract = people(Verb.ACTION, operations=(city,))
    call = {"method": "ACTION", "key": {"User": "a"}, "path": ("P.Share",)}
    assert found(contract, **call, payload={"with": "b", "in": {"Zip": "1"}}) == [("R07", "/payload/in/Name")]


def test_services_without_nulls_list_what_nested_entities_need() -> None:
    listed = {"required": True, "required_source": "Capabilities.InsertRestrictions/RequiredProperties"}
    part = StructuredType(
        name="S.Part", kind="entity", properties=tuple(text(name, nullable=False) for name in ("A", "B", "C"))
    )
    nav = NavigationProperty(name="Parts", target_type="S.Part", cardinality=Cardinality.MANY)

    def missing(**more: Any) -> int:
        root = StructuredType(name="S.Order", kind="entity", properties=(text("Kind", **more),), navigations=(nav,))
        body = {"Kind": "OR", "Parts": [{"A": "x"}]}
        return len(found(orders(types=(root, part)), method="POST", payload=body))

    assert (missing(**listed), missing()) == (0, 2)
