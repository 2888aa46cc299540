"""Every rule of the table breaks where it should and nowhere else."""

import pytest

from odata.validation import compile_validator, unknown_endpoint
from tests.unit.odata.contracts import SHARE, orders, people, restricted
from tests.unit.odata.rule_cases import CASES, PERSON, Call, Case, order
from wire.call import ProposedCall, Verdict
from wire.endpoint import EndpointContract, Permission, Restrictions, Verb

# Only these are about the set itself, so that no call to it can pass.
_ABOUT_THE_SET = {"R02": orders(), "R03": orders(Verb.READ)}
DATA = {
    "R12": order(Note="x"),
    "R27": order(Terms="EXW"),
    "R28": order(Region="CA"),
    "R30": order(Amount="5.00"),
    "R38": order(Header={"__metadata": {"uri": "Headers(7)"}}),
}


def validate(contract: EndpointContract, call: Call) -> Verdict:
    fields = {"service": contract.service, "endpoint": contract.endpoint, **call}
    return compile_validator(contract).validate(ProposedCall.model_validate(fields))


@pytest.mark.parametrize("case", [c for c in CASES if c.breaks], ids=lambda c: c.rule)
def test_breaking_call_is_found(case: Case) -> None:
    verdict = validate(case.contract, case.breaks)
    found = {(f.rule, f.pointer) for f in verdict.findings}
    assert (case.rule, case.pointer) in found
    assert verdict.request is None


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.rule)
def test_passing_call_is_valid(case: Case) -> None:
    verdict = validate(_ABOUT_THE_SET.get(case.rule, case.contract), case.passes)
    assert verdict.findings == ()
    assert verdict.request is not None


@pytest.mark.parametrize("rule", sorted(DATA))
def test_what_only_data_decides_is_undecided(rule: str) -> None:
    verdict = validate(orders(), DATA[rule])
    assert verdict.kind == "undecided"
    assert rule in {f.rule for f in verdict.undecided}
    assert validate(orders(), order()).kind == "valid"


def test_contained_entities_have_no_set_of_their_own() -> None:
    call = ProposedCall(method="POST", service="PEOPLE", endpoint="Trips", payload={"Id": 1})
    verdict = unknown_endpoint(call, ["People", "Things"], [], [people()])
    assert {f.rule for f in verdict.findings} == {"R01", "R41"}


def test_all_findings_come_at_once_in_document_order() -> None:
    verdict = validate(orders(), order(Kind="XX", Org=1, Items=[{"Material": None, "Nope": 1}]))
    assert [f.pointer for f in verdict.findings] == [
        "/payload/Kind",
        "/payload/Org",
        "/payload/Items/0/Material",
        "/payload/Items/0/Nope",
    ]


def test_finding_tells_how_to_mend() -> None:
    (finding,) = validate(orders(), order(refernce="1")).findings
    assert finding.suggestion == "Reference"
    assert "Reference" in finding.allowed
    assert finding.source


def test_keys_of_parts_are_left_to_number_ranges_where_experts_listed_the_rest() -> None:
    verdict = validate(orders(), order(Items=[{"Material": "A"}]))
    assert (verdict.kind, [f.pointer for f in verdict.undecided]) == ("undecided", ["/payload/Items/0/Item"])


def test_empty_counts_as_missing_unless_the_condition_holds() -> None:
    assert [f.rule for f in validate(orders(), order(Org="")).findings] == ["R09"]
    assert validate(orders(), order(Org="", Reference="1")).findings == ()


def test_operation_of_another_type_is_reached_by_its_path() -> None:
    call = {"method": "ACTION", "key": {"User": "a"}, "path": ("P.Manager", "P.Hire"), "payload": {}}
    hire = SHARE.model_copy(update={"qualified_name": "P.Hire", "bound_to": "P.Manager", "parameters": ()})
    assert validate(people(Verb.ACTION, path_operations=(hire,)), call).findings == ()
    assert [f.rule for f in validate(people(Verb.ACTION), call).findings] == ["R52"]


def test_parts_are_created_below_their_document_though_their_set_is_closed() -> None:
    closed = {"set_restrictions": (("People", Restrictions(allowed=Permission.DENIED)),)}
    call = {"method": "POST", "key": {"User": "a"}, "path": ("Friends",), "payload": PERSON}
    assert validate(people(**closed), call).findings == ()


@pytest.mark.parametrize(
    ("limit", "query", "rule"),
    [
        ({"filterable": False}, {"$filter": "First eq 'a'"}, "R46"),
        ({"non_filterable": ("First",)}, {"$filter": "First eq 'a'"}, "R46"),
        ({"sortable": False}, {"$orderby": "First"}, "R48"),
        ({"non_sortable": ("First",)}, {"$orderby": "First desc"}, "R48"),
        ({"non_expandable": ("Boss",)}, {"$expand": "Boss"}, "R48"),
        ({"searchable": False}, {"$search": "x"}, "R50"),
        ({"top": False}, {"$top": "1"}, "R50"),
        ({"skip": False}, {"$skip": "1"}, "R50"),
        ({"count": False}, {"$count": "true"}, "R50"),
    ],
)
def test_query_restrictions_of_the_set(limit: Call, query: Call, rule: str) -> None:
    call = {"method": "GET", "query": query}
    assert [f.rule for f in validate(people(Verb.READ, **restricted(**limit)), call).findings] == [rule]
    assert validate(people(Verb.READ), call).findings == ()


def test_bottomless_nest_is_refused_not_crashed_on() -> None:
    nest: Call = {**PERSON, "Nope": 1}
    for _ in range(300):
        nest = {**PERSON, "Friends": [nest]}
    found = validate(people(), {"method": "POST", "payload": nest}).findings
    assert {f.rule for f in found} == {"R36"}


def test_denied_method_names_the_set() -> None:
    verdict = validate(people(**restricted(allowed=Permission.DENIED)), {"method": "POST", "payload": {}})
    assert verdict.findings[0].message.startswith("People does not allow POST")
