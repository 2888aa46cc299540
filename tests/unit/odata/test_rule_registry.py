"""The rule table is whole: every rule has an id, a source, a case that breaks it and one that does not.

Rules about requests (headers, change sets, sessions) are not broken by calls; their pairs stand here.
"""

import re
from collections.abc import Callable, Sequence

import pytest

from odata.prepare import with_if_match
from odata.request_rules import check_change_set, check_headers
from odata.rules import RULES
from odata.session import TokenPair
from tests.unit.odata.contracts import orders, restricted
from tests.unit.odata.rule_cases import CASES
from tests.unit.odata.test_rules import DATA
from wire.call import Finding, PreparedRequest
from wire.endpoint import Verb

JSON = (("Content-Type", "application/json"),)
WRITE = PreparedRequest(method="POST", service="S", path="Orders", headers=JSON, body="{}")
DELETE = PreparedRequest(method="DELETE", service="S", path="Orders('1')")
READ = PreparedRequest(method="GET", service="S", path="Orders")
GUARDED = orders(Verb.DELETE, **restricted(concurrency=True))
Check = Callable[[], Sequence[Finding]]

REQUESTS: dict[str, tuple[Check, Check]] = {
    "R53": (lambda: check_headers(DELETE, GUARDED), lambda: check_headers(with_if_match(DELETE, "x"), GUARDED)),
    "R55": (
        lambda: check_headers(WRITE.model_copy(update={"headers": ()}), orders()),
        lambda: check_headers(WRITE, orders()),
    ),
    "R57": (lambda: check_change_set([WRITE, READ]), lambda: check_change_set([WRITE, DELETE])),
}
ONLY_ACCEPTS = {rule.id for rule in RULES.values() if rule.decided == "accepts"}
# R41 is broken by a call to an endpoint that the service does not have: test_contained_entities_have_no_set_of_their_own.
BROKEN_ELSEWHERE = {"R41", "R54"}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_rule_names_its_specification(rule: str) -> None:
    assert RULES[rule].id == rule
    assert RULES[rule].text
    assert re.search(r"OData|SAP|com\.sap|Org\.", RULES[rule].source)


def test_there_are_sixty_rules() -> None:
    assert sorted(RULES) == [f"R{number:02}" for number in range(1, 61)]


@pytest.mark.parametrize("rule", sorted(set(RULES) - ONLY_ACCEPTS - BROKEN_ELSEWHERE))
def test_rule_has_a_case_that_breaks_it(rule: str) -> None:
    assert rule in {c.rule for c in CASES if c.breaks} | set(DATA) | set(REQUESTS)


@pytest.mark.parametrize("rule", sorted(set(RULES) - {"R54"}))
def test_rule_has_a_case_that_does_not(rule: str) -> None:
    assert rule in {c.rule for c in CASES if c.passes} | set(DATA) | set(REQUESTS)


@pytest.mark.parametrize("rule", sorted(REQUESTS))
def test_request_that_breaks_a_rule_is_found(rule: str) -> None:
    breaks, passes = REQUESTS[rule]
    assert rule in {finding.rule for finding in breaks()}
    assert list(passes()) == []


def test_token_goes_with_the_cookies_of_its_session_only() -> None:
    """R54: the pair is one value, so that no write can carry one half of it."""
    pair = TokenPair("t1", (("SID", "s1"),))
    assert pair.headers() == {"x-csrf-token": "t1", "Cookie": "SID=s1"}
    assert TokenPair(None, ()).headers() == {}
