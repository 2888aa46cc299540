"""The request that an approval binds: exact bytes, the same for the same call."""

from decimal import Decimal
from typing import Any

import pytest

from odata.prepare import call_digest, prepare, with_if_match
from odata.request_rules import check_change_set, check_headers
from tests.unit.odata.contracts import NEAREST, RELEASE, orders, people, restricted
from wire.call import PreparedRequest, ProposedCall
from wire.endpoint import EndpointContract, Verb


def request(contract: EndpointContract, method: str, **more: Any) -> PreparedRequest:
    fields = {"method": method, "service": contract.service, "endpoint": contract.endpoint, **more}
    return prepare(contract, ProposedCall.model_validate(fields))


def test_partial_update_of_v2_is_merge_of_v4_patch() -> None:
    assert request(orders(Verb.UPDATE), "PATCH", key={"Order": "1"}, payload={}).method == "MERGE"
    assert request(people(Verb.UPDATE), "PATCH", key={"User": "a"}, payload={}).method == "PATCH"


def test_path_is_quoted_then_encoded() -> None:
    prepared = request(people(Verb.READ), "GET", key={"User": "O'N /é"}, path=("Trips",))
    assert prepared.path == "People('O''N%20%2F%C3%A9')/Trips"


def test_query_is_encoded_and_ordered() -> None:
    prepared = request(orders(Verb.READ), "GET", query={"$top": "5", "$filter": "Kind eq 'a&b+c'"})
    assert prepared.path == "Orders?$filter=Kind%20eq%20'a%26b%2Bc'&$top=5"


def test_body_is_the_same_whatever_the_order() -> None:
    one = request(orders(), "POST", payload={"Kind": "OR", "Items": [{"Material": "é", "Item": "1"}]})
    two = request(orders(), "POST", payload={"Items": [{"Item": "1", "Material": "é"}], "Kind": "OR"})
    assert one.body == '{"Items":[{"Item":"1","Material":"é"}],"Kind":"OR"}'
    assert call_digest(one) == call_digest(two)


def test_v2_dates_get_their_wire_form_everywhere() -> None:
    payload = {"Ordered": "2026-01-31T00:00:00", "Changed": "2026-01-31T01:00:00+01:00", "Note": "2026-01-31T00:00:00"}
    body = request(orders(), "POST", payload=payload).body
    assert body == (
        '{"Changed":"/Date(1769817600000+0000)/","Note":"2026-01-31T00:00:00","Ordered":"/Date(1769817600000)/"}'
    )


def test_decimals_keep_every_digit() -> None:
    body = request(people(), "POST", payload={"Score": Decimal("0.10"), "Level": 2**60}).body
    assert body == '{"Level":1152921504606846976,"Score":0.10}'


def test_digest_changes_with_every_part() -> None:
    base = request(orders(), "POST", payload={"Kind": "OR"})
    others = [
        base.model_copy(update={"method": "PUT"}),
        base.model_copy(update={"path": "Orders2"}),
        base.model_copy(update={"body": "{}"}),
        with_if_match(base, 'W/"1"'),
        with_if_match(base, None),
    ]
    assert len({call_digest(r) for r in (base, *others)}) == 6
    assert len(call_digest(base)) == 64


def test_if_match_replaces_an_earlier_one() -> None:
    bound = with_if_match(with_if_match(request(orders(), "POST", payload={}), "a"), "b")
    assert [v for n, v in bound.headers if n == "If-Match"] == ["b"]


@pytest.mark.parametrize(
    ("contract", "method", "payload", "path", "body"),
    [
        (
            people(Verb.READ, endpoint="Nearest", kind="Function", entity_type=None, operations=(NEAREST,)),
            "GET",
            {"lat": 1.5},
            "Nearest(lat=1.5)",
            None,
        ),
        (
            orders(Verb.ACTION, endpoint="Release", kind="FunctionImport", entity_type=None, operations=(RELEASE,)),
            "ACTION",
            {"Order": "4'1"},
            "Release?Order='4''1'",
            None,
        ),
    ],
)
def test_parameters_stand_where_the_version_wants_them(
    contract: EndpointContract, method: str, payload: dict[str, Any], path: str, body: str | None
) -> None:
    prepared = request(contract, method, payload=payload)
    assert (prepared.path, prepared.body) == (path, body)


def test_bound_action_takes_its_parameters_in_the_body() -> None:
    prepared = request(people(Verb.ACTION), "ACTION", key={"User": "a"}, path=("P.Share",), payload={"with": "b"})
    assert (prepared.method, prepared.path, prepared.body) == ("POST", "People('a')/P.Share", '{"with":"b"}')


def test_headers_that_bind_a_version_are_demanded() -> None:
    contract = orders(Verb.DELETE, **restricted(concurrency=True))
    bare = request(contract, "DELETE", key={"Order": "1"})
    assert [f.rule for f in check_headers(bare, contract)] == ["R53"]
    assert check_headers(with_if_match(bare, "x"), contract) == ()


def test_headers_of_the_other_version_are_refused() -> None:
    bare = request(orders(), "POST", payload={})
    foreign = bare.model_copy(update={"headers": (("OData-Version", "4.0"),)})
    assert [f.rule for f in check_headers(foreign, orders())] == ["R55", "R55"]
    assert check_headers(bare, orders()) == ()


def test_change_set_holds_writes_of_one_service() -> None:
    write, read = request(orders(), "POST", payload={}), request(orders(Verb.READ), "GET")
    assert check_change_set([write, write]) == ()
    assert [f.pointer for f in check_change_set([write, read])] == ["/1/method"]
    assert [f.rule for f in check_change_set([write, write], maximum=1)] == ["R57"]
