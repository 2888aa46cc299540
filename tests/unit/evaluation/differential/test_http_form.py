"""The request of a call as a client without checks sends it, wrong values and all."""

from decimal import Decimal
from typing import Any
from urllib.parse import unquote

import pytest

from evaluation.differential.http_form import http_call, literal
from odata.prepare import prepare
from tests.unit.odata.contracts import orders, people
from wire.call import ProposedCall
from wire.endpoint import Verb


@pytest.mark.parametrize(
    ("type_name", "value", "v4", "text"),
    [
        ("Edm.String", "O'Neil", True, "'O''Neil'"),
        ("Edm.String", 4711, True, "4711"),
        ("Edm.Decimal", "1.5", False, "1.5M"),
        ("Edm.Int64", "5", False, "5L"),
        ("Edm.Guid", "x y", False, "guid'x y'"),
        ("Edm.Guid", "x y", True, "x y"),
        ("Edm.DateTime", "/Date(0)/", False, "datetime'2026-01-01T00:00:00'"),
        ("Edm.Duration", "PT1H", True, "duration'PT1H'"),
        ("Edm.Double", "INF", True, "INF"),
        ("Edm.Boolean", True, False, "true"),
        ("P.Gender", "Male", True, "P.Gender'Male'"),
    ],
)
def test_literal(type_name: str, value: Any, v4: bool, text: str) -> None:
    assert literal(type_name, value, v4) == text


@pytest.mark.parametrize(
    "call",
    [
        {"method": "PATCH", "key": {"Order": "O'Neil"}, "payload": {"Org": "1"}},
        {"method": "GET", "key": {"Order": "1"}, "path": ("Items",), "query": {"$filter": "Material eq 'a b'"}},
        {"method": "DELETE", "key": {"Order": "1"}},
    ],
)
def test_a_right_call_is_written_as_the_product_writes_it(call: dict[str, Any]) -> None:
    contract = orders({"PATCH": Verb.UPDATE, "GET": Verb.READ, "DELETE": Verb.DELETE}[call["method"]])
    proposed = ProposedCall.model_validate({"service": "ORDERS", "endpoint": "Orders", **call})
    ours, theirs = http_call(contract, proposed), prepare(contract, proposed)
    path = f"{ours.path}?{ours.query}" if ours.query else ours.path
    assert (ours.method, unquote(path), ours.body.decode() or None) == (
        theirs.method,
        unquote(theirs.path),
        theirs.body,
    )


def test_digits_of_decimals_are_kept() -> None:
    call = ProposedCall(method="POST", service="PEOPLE", endpoint="People", payload={"Score": Decimal("1.2300")})
    assert http_call(people(), call).body == b'{"Score":1.2300}'


def test_a_wrong_key_is_written_as_it_is() -> None:
    call = ProposedCall(method="GET", service="ORDERS", endpoint="Orders", key={"Nope": 1, "Order": 5})
    assert http_call(orders(Verb.READ), call).path == "Orders(Nope=1,Order=5)"
