"""Query options in both versions: what binds and types passes, what does not has its rule."""

import pytest

from odata.validation import compile_validator
from tests.unit.odata.contracts import orders, people
from wire.call import ProposedCall
from wire.endpoint import Verb


def rules(v4: bool, name: str, value: str, **more: str) -> set[str]:
    contract = (people if v4 else orders)(Verb.READ)
    query = {f"${name}": value, **{n if n.startswith("@") else f"${n}": v for n, v in more.items()}}
    call = ProposedCall(method="GET", service=contract.service, endpoint=contract.endpoint, query=query)
    return {f.rule for f in compile_validator(contract).validate(call).findings}


V4_FILTERS = [
    "First eq 'O''Neil' and (Age gt 3 or not contains(First,'a'))",
    "not First eq 'a'",
    "Age add 5 mul 2 gt -3",
    "Age in (1,2) and First in ('a','b')",
    "Mails/any(m:endswith(m,'x')) and Friends/all(f:f/Boss/Age lt Age) and Trips/any()",
    "Friends/$count gt 1",
    "Home/Name eq 'x' and Home ne null and Boss eq null",
    "Gender eq P.Gender'Female' and Likes has P.Likes'Tea'",
    "isof(P.Manager) and P.Manager/Budget gt 5",
    "year(Day) eq 2026 and Moment lt now() and date(Moment) ge 2026-01-31",
    "Moment sub Moment gt duration'PT1H' and Moment add duration'P1D' gt now()",
    "Clock ge 12:30:00 and Span lt duration'PT1H'",
    "startswith(First,'a') eq true and null ne First",
    "$it/First eq 'and or not ('",
    "Link eq 'x'",
]
V2_FILTERS = [
    "substringof('a',tolower(Org)) eq true and startswith(Org,'1')",
    "Amount gt 32.38M or Amount le 5 or Ratio gt 1.5d",
    "Header/Id eq 5 and not endswith(Org,'0')",
    "Big eq 5L and Done eq true",
    "Uid eq guid'6d3b3f0e-6d5c-4a0e-9a42-7b8c7a9f1e01'",
    "Changed ge datetimeoffset'2026-01-31T00:00:00Z' and At lt time'PT12H'",
    "replace(Org,' ','') eq 'x' and length(Org) eq 3",
]
WRONG = [
    (True, "First", {"R46"}),
    (True, "First eq 5", {"R46"}),
    (True, "Age eq 'five'", {"R46"}),
    (True, "Firts eq 'a'", {"R46"}),
    (True, "First eq 'a' and", {"R46"}),
    (True, "First eq 'O'Neil'", {"R46"}),
    (True, "First == 'a'", {"R46"}),
    (True, "(Age gt 3", {"R46"}),
    (True, "", {"R46"}),
    (True, "not " * 31 + "Age gt 3", {"R46"}),
    (True, "Friends/First eq 'a'", {"R46"}),
    (True, "Mails eq 'a'", {"R46"}),
    (True, "First/any(x:x eq 'a')", {"R46"}),
    (True, "Friends/any(f:f/Nope eq 1)", {"R46"}),
    (True, "substringof('a',First)", {"R46"}),
    (True, "contains(First)", {"R46"}),
    (True, "length(Age) eq 3", {"R46"}),
    (True, "Gender eq 'Female'", {"R46"}),
    (True, "Gender eq P.Gender'Alien'", {"R46"}),
    (True, "Gender eq P.Nope'Female'", {"R46"}),
    (True, "First eq @p", {"R46"}),
    (True, "Age gt 5L", {"R45"}),
    (True, "Moment gt 2026-01-31T00:00:00", {"R45"}),
    (True, "Day eq 2026-02-30", {"R45"}),
    (True, "Day eq '2026-02-28'", {"R46"}),
    (False, "Items/Material eq 'a'", {"R46"}),
    (False, "Items/any(i:i/Material eq 'a')", {"R46"}),
    (False, "contains(Org,'1')", {"R46"}),
    (False, "Org in ('1')", {"R46"}),
    (False, "Changed ge 2026-01-31T00:00:00Z", {"R45"}),
    (False, "Changed ge datetimeoffset'2026-02-30T00:00:00Z'", {"R45"}),
    (False, "Uid eq 6d3b3f0e-6d5c-4a0e-9a42-7b8c7a9f1e01", {"R45"}),
    (False, "Org eq 1710", {"R46"}),
    (False, "Ordered eq null", {"R46"}),
    (True, "(" * 200 + "true" + ")" * 200, {"R46"}),
]


@pytest.mark.parametrize(("v4", "text"), [(True, f) for f in V4_FILTERS] + [(False, f) for f in V2_FILTERS])
def test_filter_passes(v4: bool, text: str) -> None:
    assert rules(v4, "filter", text) == set()


@pytest.mark.parametrize(("v4", "text", "wanted"), WRONG)
def test_filter_breaks(v4: bool, text: str, wanted: set[str]) -> None:
    assert rules(v4, "filter", text) == wanted


def test_defined_alias_may_be_used() -> None:
    assert rules(True, "filter", "First eq @p", **{"@p": "'a'"}) == set()


@pytest.mark.parametrize(
    ("v4", "name", "value", "wanted"),
    [
        (True, "expand", "Boss($expand=Friends($select=First;$top=2;$levels=max)),Trips", set()),
        (True, "expand", "Friends/$count,*", set()),
        (True, "expand", "Friends/Trips", {"R49"}),
        (True, "expand", "First", {"R48"}),
        (True, "expand", "Friends($top=-1)", {"R50"}),
        (True, "expand", "Friends($nope=1)", {"R50"}),
        (True, "expand", "Friends($filter=Nope eq 1)", {"R46"}),
        (True, "expand", "Friends(", {"R48"}),
        (True, "expand", "Boss($top=1)", {"R50"}),
        (True, "expand", "Boss($levels=2)", set()),
        (True, "expand", "Friends($top=1;$top=2)", {"R50"}),
        (True, "expand", "Friends/$ref($top=1)", set()),
        (True, "expand", "Friends/$ref($levels=2)", {"R50"}),
        (True, "expand", "Friends/$count($filter=First eq 'a')", set()),
        (True, "expand", "Friends/$count($top=1)", {"R50"}),
        (True, "expand", "Friends/Home", {"R48"}),
        (True, "select", "Home/*", {"R48"}),
        (False, "expand", "Items,Header", set()),
        (False, "expand", "Items($select=Item)", {"R49"}),
        (False, "expand", "Items/Nope", {"R48"}),
        (True, "select", "First,Home/Zip,*,P.Share", set()),
        (True, "select", "Friends/First", {"R48"}),
        (True, "select", "Home/Nope", {"R48"}),
        (False, "select", "Kind,Items", set()),
        (False, "select", "Items/Material", {"R48"}),
        (True, "orderby", "First desc,length(First),Boss/First asc,Friends/$count", set()),
        (True, "orderby", "Friends", {"R48"}),
        (True, "orderby", "First descending", {"R48"}),
        (True, "orderby", "Nope", {"R48"}),
        (False, "orderby", "Changed", {"R48"}),
        (True, "count", "yes", {"R50"}),
        (False, "count", "true", {"R49"}),
        (False, "inlinecount", "all", {"R50"}),
        (True, "skip", "1.5", {"R50"}),
        (True, "nope", "1", {"R50"}),
        (False, "search", "x", {"R49"}),
    ],
)
def test_other_options(v4: bool, name: str, value: str, wanted: set[str]) -> None:
    assert rules(v4, name, value) == wanted


def test_select_behind_an_expanded_navigation() -> None:
    assert rules(False, "select", "Kind,Items/Material", expand="Items") == set()


def test_custom_options_pass_but_a_forgotten_dollar_is_told() -> None:
    contract = orders(Verb.READ)

    def found(name: str) -> list[str]:
        call = ProposedCall(method="GET", service="ORDERS", endpoint="Orders", query={name: "5"})
        return [f.suggestion for f in compile_validator(contract).validate(call).findings]

    assert found("sap-client") == []
    assert found("top") == ["$top"]


def test_options_of_collections_do_not_fit_one_entity() -> None:
    call = ProposedCall(method="GET", service="ORDERS", endpoint="Orders", key={"Order": "1"}, query={"$top": "1"})
    (finding,) = compile_validator(orders(Verb.READ)).validate(call).findings
    assert (finding.rule, finding.pointer) == ("R50", "/query/$top")
