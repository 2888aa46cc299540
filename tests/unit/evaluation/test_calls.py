"""Judging call cases: what counts as right, and what a broken file says."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.calls import Judge, call_of, evaluate, judge_case, read_cases
from tests.unit.odata.contracts import orders, people
from wire.call import Finding, Verdict
from wire.endpoint import EndpointContract, Verb

ORDER = {"Kind": "OR", "Org": "1710"}


class Contracts:
    """Two sets, and how often each contract was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Verb]] = []

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        self.asked.append((endpoint, verb))
        return orders(verb) if endpoint == "Orders" else people(verb)


def case(**fields: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": "1",
        "service": "ORDERS",
        "method": "POST",
        "endpoint": "Orders",
        "want": "valid",
        "rules": [],
        "pointer": None,
    }
    return {**base, "payload": ORDER, **fields}


def judge(contracts: Contracts | None = None) -> Judge:
    return Judge(contracts or Contracts(), [("ORDERS", "Orders"), ("PEOPLE", "People"), ("PEOPLE", "P.Share")])


INVALID = {"want": "invalid", "rules": ["R26", "R14"], "pointer": "/payload/Kind"}


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({}, True),
        ({"payload": {**ORDER, "Partner": "1"}}, True),
        ({"payload": {**ORDER, "Kind": "XX"}}, False),
        ({"payload": {**ORDER, "Kind": "XX"}, **INVALID}, True),
        ({"payload": {**ORDER, "Kind": "XX"}, **INVALID, "rules": ["R14"]}, False),
        ({"payload": {**ORDER, "Kind": "XX"}, **INVALID, "pointer": "/payload/Org"}, False),
        ({**INVALID}, False),
        ({"endpoint": "orders", "want": "invalid", "rules": ["R01"], "pointer": "/endpoint"}, True),
    ],
)
def test_right_means_verdict_rule_and_pointer(fields: dict[str, Any], right: bool) -> None:
    assert evaluate([case(**fields)], judge())["right"] == int(right)


def test_contained_and_bound_names_are_explained() -> None:
    trips = case(service="PEOPLE", endpoint="Trips", want="invalid", rules=["R41"], pointer="/endpoint")
    share = case(service="PEOPLE", endpoint="Share", want="invalid", rules=["R52"], pointer="/endpoint")
    assert evaluate([trips, share], judge())["wrong"] == []


def test_each_contract_is_compiled_once() -> None:
    contracts = Contracts()
    evaluate([case(), case(), case(method="DELETE", payload=None, key={"Order": "1"})], judge(contracts))
    assert contracts.asked == [("Orders", Verb.CREATE), ("Orders", Verb.DELETE)]


def test_wrong_case_tells_want_got_and_findings() -> None:
    finding = Finding(rule="R04", pointer="/payload/X", message="no")
    wrong = judge_case(case(), Verdict(kind="invalid", findings=(finding,)))
    assert wrong is not None
    assert (wrong["id"], wrong["got"], wrong["findings"][0]["rule"]) == ("1", "invalid", "R04")


def test_decimals_keep_their_digits(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"id": "1", "service": "S", "method": "POST", "endpoint": "E", "want": "valid", "payload": {"a": 1.10}}\n\n'
    )
    (read,) = read_cases(file)
    assert str((call_of(read).payload or {})["a"]) == "1.10"


def test_broken_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n{broken\n")
    with pytest.raises(ValueError, match=r"cases\.jsonl, line 2"):
        read_cases(file)
