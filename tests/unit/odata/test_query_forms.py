"""$search, $compute, $apply, forms of 4.01 and restrictions of single filters."""

import pytest

from odata.search import search_problem
from odata.validation import compile_validator
from tests.unit.odata.contracts import ORDER, orders, people, restricted
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, Verb

NEW = people(Verb.READ, version="4.01")


def rules(contract: EndpointContract, **query: str) -> set[str]:
    named = {name if name.startswith("_") else f"${name}": value for name, value in query.items()}
    given = {name.removeprefix("_"): value for name, value in named.items()}
    call = ProposedCall(method="GET", service=contract.service, endpoint=contract.endpoint, query=given)
    return {f.rule for f in compile_validator(contract).validate(call).findings}


@pytest.mark.parametrize("text", ["a", "a b", 'a AND "b c"', "(a OR b) AND NOT c", 'NOT "x \\" y"'])
def test_search_passes(text: str) -> None:
    assert search_problem(text) == ""


@pytest.mark.parametrize("text", ["", "  ", "a AND", "OR a", "(a", "a)", "()", 'a "b', "NOT"])
def test_search_breaks(text: str) -> None:
    assert search_problem(text)
    assert rules(people(Verb.READ), search=text) == {"R50"}


def test_computed_names_may_be_used() -> None:
    query = {"compute": "Age mul 2 as Twice", "select": "First,Twice", "orderby": "Twice desc", "filter": "Twice gt 4"}
    assert rules(people(Verb.READ), **query) == set()
    assert rules(people(Verb.READ), filter="Twice gt 4") == {"R46"}


@pytest.mark.parametrize(
    "text",
    [
        "groupby((First),aggregate(Age with sum as Total))",
        "filter(Age gt 5)/aggregate($count as N,Age with max as Oldest)",
        "groupby((Home/Name,rollup($all,First,Phone)))/orderby(First desc)/top(3)",
        "concat(aggregate($count as N),groupby((Boss/First)))",
        "topcount(2,Age)/compute(Age add 1 as Next)",
        "aggregate(Friends/$count as N,Custom)",
        "identity",
    ],
)
def test_apply_passes(text: str) -> None:
    assert rules(people(Verb.READ), apply=text) == set()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("groupby((Nope))", "R48"),
        ("groupby(First)", "R50"),
        ("aggregate(Nope with sum as T)", "R48"),
        ("aggregate(Age with sum)", "R50"),
        ("aggregate(Age with total as T)", "R50"),
        ("aggregate($count)", "R50"),
        ("sum(Age)", "R50"),
        ("filter(Nope eq 1)", "R46"),
        ("filter(Age", "R50"),
        ("compute(Age add 1)", "R50"),
        ("compute(Nope add 1 as X)", "R48"),
    ],
)
def test_apply_breaks(text: str, rule: str) -> None:
    assert rules(people(Verb.READ), apply=text) == {rule}


def test_aggregates_may_be_sorted_by() -> None:
    assert rules(people(Verb.READ), apply="aggregate(Age with sum as Total)", orderby="Total") == set()


@pytest.mark.parametrize(
    "text", ["First EQ 'a' AND Age gt 1", "CONTAINS(First,'a')", "case(Age gt 1:'a',true:'b') eq 'a'"]
)
def test_words_in_capitals_and_case_are_forms_of_401(text: str) -> None:
    assert rules(NEW, filter=text) == set()
    assert rules(people(Verb.READ), filter=text) == {"R46"}


def test_options_without_dollar_are_forms_of_401() -> None:
    assert rules(NEW, _filter="First eq 'a'", _TOP="1") == set()
    assert rules(NEW, _filter="Nope eq 'a'") == {"R46"}
    assert rules(NEW, _top="x") == {"R50"}


@pytest.mark.parametrize(
    "text",
    [
        "First has 'x'",
        "Age in 5",
        "Likes has 1",
        "(Age div duration'PT1H') gt 1",
        "length(Mails) gt 1",
        "First in Phone",
        "Friends/all()",
        "Age has P.Likes'Tea'",
    ],
)
def test_operators_on_the_wrong_things(text: str) -> None:
    assert rules(people(Verb.READ), filter=text) == {"R46"}


def test_all_navigations_may_be_expanded_as_references() -> None:
    assert rules(people(Verb.READ), expand="*/$ref") == set()


@pytest.mark.parametrize(
    ("kind", "text", "right"),
    [
        ("single-value", "Org eq '1'", True),
        ("single-value", "Org eq '1' and Kind eq 'OR'", True),
        ("single-value", "Org eq '1' or Org eq '2'", False),
        ("single-value", "startswith(Org,'1')", False),
        ("multi-value", "Org eq '1' or Org eq '2'", True),
        ("multi-value", "Org gt '1'", False),
        ("interval", "Org ge '1' and Org le '2'", True),
        ("interval", "Org eq '1'", True),
        ("interval", "Org eq '1' or Org eq '2'", False),
        ("interval", "Org ne '1'", False),
        ("", "Org ne '1' or startswith(Org,'1')", True),
    ],
)
def test_filter_restriction_of_a_property(kind: str, text: str, right: bool) -> None:
    changed = tuple(
        p.model_copy(update={"filter_restriction": kind}) if p.name == "Org" else p for p in ORDER.properties
    )
    order = ORDER.model_copy(update={"properties": changed})
    contract = orders(Verb.READ, types=(order, *orders().types[1:]))
    assert rules(contract, filter=text) == (set() if right else {"R47"})


def test_filter_expressions_of_a_set() -> None:
    limited = people(
        Verb.READ, **restricted(filter_expressions=(("Age", "SingleRange"), ("First", "SearchExpression")))
    )
    assert rules(limited, filter="Age gt 1 and Age lt 5 and startswith(First,'a')") == set()
    assert rules(limited, filter="Age ne 1") == {"R47"}
