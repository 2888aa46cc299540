"""What became of a write whose answer was lost: only what proves the effect counts."""

from typing import Any

import pytest

from odata.look_up import judge_look_up, plan_look_up
from odata.prepare import with_if_match
from tests.unit.odata.approval import validated
from tests.unit.odata.contracts import orders, people
from wire.call import CallResult, PreparedRequest, ProposedCall, ValidatedCall
from wire.endpoint import EndpointContract, Verb


def proposed(method: Any, **parts: Any) -> ProposedCall:
    return ProposedCall(method=method, service="S", endpoint="Orders", **parts)


@pytest.mark.parametrize(
    ("contract", "call", "path", "by"),
    [
        (
            orders(Verb.READ),
            proposed("POST", payload={"Reference": "run-1"}),
            "$filter=Reference%20eq%20'run-1'",
            "Reference",
        ),
        (orders(Verb.READ), proposed("ACTION", payload={"Reference": "r"}), "Reference%20eq%20'r'", "Reference"),
        (people(Verb.READ), proposed("POST", payload={"User": "ann"}), "People('ann')", "its key"),
        (orders(Verb.READ), proposed("PATCH", key={"Order": "7"}, payload={"Kind": "OR"}), "Orders('7')", "its key"),
        (orders(Verb.READ), proposed("DELETE", key={"Order": "7"}), "Orders('7')", "its key"),
    ],
)
def test_a_write_is_looked_up_by_what_it_names(
    contract: EndpointContract, call: ProposedCall, path: str, by: str
) -> None:
    planned = plan_look_up(contract, call, "Reference")
    assert planned is not None
    assert (path in planned.request.path, planned.request.method, planned.by) == (True, "GET", by)


@pytest.mark.parametrize(
    "call",
    [
        proposed("POST", payload={"Kind": "OR"}),
        proposed("POST", key={"Order": "7"}, path=("Items",), payload={"Reference": "x"}),
        proposed("ACTION", payload={"Kind": "OR"}),
        proposed("ACTION", path=("Items",), payload={"Reference": "x"}),
    ],
)
def test_what_names_nothing_cannot_be_looked_up(call: ProposedCall) -> None:
    assert plan_look_up(orders(Verb.READ), call, "Reference") is None


def call_of(method: str, payload: dict[str, Any] | None, etag: str | None = None) -> ValidatedCall:
    http = "POST" if method == "ACTION" else method
    request = PreparedRequest(method=http, service="S", path="Orders('7')")
    return validated(with_if_match(request, etag) if etag else request, proposed(method, payload=payload))


def found(data: Any, etag: str | None = None) -> CallResult:
    return CallResult(status=200, data=data, etag=etag)


SENT = {"Kind": "OR", "Amount": "2"}


@pytest.mark.parametrize(
    ("call", "seen", "took_effect"),
    [
        (call_of("POST", SENT), found({"Kind": "OR", "Amount": "2.00", "Order": "1"}), True),
        (call_of("POST", SENT), found({"Kind": "RO", "Amount": "2.00"}), False),
        (call_of("POST", SENT), None, False),
        (call_of("PATCH", SENT, "e1"), found(SENT, "e2"), True),
        (call_of("PATCH", SENT, "e1"), found(SENT, "e1"), False),
        (call_of("PATCH", SENT, "e1"), found({"Kind": "RO"}, "e2"), False),
        (call_of("PATCH", SENT, "*"), found(SENT), True),
        (call_of("ACTION", {"Reference": "x", "When": "now"}), found({"Reference": "x"}), True),
        (call_of("ACTION", {"Reference": "x"}), None, False),
        (call_of("DELETE", None, "e1"), None, True),
        (call_of("DELETE", None, "e1"), found(SENT, "e1"), False),
    ],
)
def test_only_what_proves_the_effect_counts(call: ValidatedCall, seen: CallResult | None, took_effect: bool) -> None:
    judged = judge_look_up(call, seen)
    assert (judged.took_effect, bool(judged.why)) == (took_effect, not took_effect)
