"""Whom a review asks: by line of the chain, by what mail reaches, and who stands in where it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.seats import Candidates, Position, after_silence, position_of, seated
from policies.write_gate import Denied, approval_plan
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Person, Policy

NAMES = ("ann", "ben", "cora", "dan", "eve", "rita")
CALL = ProposedCall(method="POST", service="S", endpoint="Orders", payload={})


def people(second: bool = False) -> tuple[Person, ...]:
    more = [f"{n}@corp.example" for n in NAMES], [f"{n}@home.example" for n in NAMES]
    return tuple(
        Person(id=name, name=name.title(), addresses=(main, other) if second else (main,))
        for name, main, other in zip(NAMES, *more, strict=True)
    )


def rule(**changes) -> ApprovalRule:
    base = {"id": "all", "approvers": ("ann", "ben"), "escalate_to": ("cora",), "escalate_further": (("dan",),)}
    return ApprovalRule.model_validate(base | changes)


def asked(given: ApprovalRule, *dead: str, second: bool = False):
    """Who is asked at which address, or why nobody is; ``dead``: people whose first address takes no mail."""
    policy = Policy(version="1", persons=people(second), rules=(given,), requesters=("rita",))
    gone = frozenset(f"{name}@corp.example" for name in dead)
    plan = approval_plan(policy, CALL, "rita", (), "e", unreachable=gone)
    return plan.reason if isinstance(plan, Denied) else [a.address.partition("@")[0] for a in plan.approvers]


@pytest.mark.parametrize(
    ("changes", "dead", "wanted"),
    [
        ({}, ("ann",), ["ben"]),
        ({}, ("ann", "ben"), ["cora"]),
        ({}, ("ann", "ben", "cora"), ["dan"]),
        ({"quorum": 2}, ("ben",), ["ann", "cora"]),
        ({"quorum": 2}, ("ann", "ben"), ["cora", "dan"]),
        ({"quorum": "all"}, ("ben",), ["cora"]),
        ({"quorum": "all"}, ("ben", "cora"), ["dan"]),
        ({"escalate_to": (), "escalate_further": (), "deputies": ("eve",)}, ("ann", "ben"), ["eve"]),
        ({"escalate_to": (), "escalate_further": (), "deputies": ("ann", "eve")}, ("ann", "ben"), ["eve"]),
        ({"on_undeliverable": "operator"}, ("ann",), ["ben"]),
    ],
)
def test_the_next_of_the_chain_stand_in_for_whom_no_mail_reaches(changes, dead, wanted):
    assert asked(rule(**changes), *dead) == wanted


@pytest.mark.parametrize(
    ("changes", "dead", "why"),
    [
        ({"on_undeliverable": "operator"}, ("ann", "ben"), "policy leaves it to an operator"),
        ({}, ("ann", "ben", "cora", "dan"), "names nobody else"),
        ({"escalate_to": (), "escalate_further": ()}, ("ann", "ben"), "no mail reaches ann, ben"),
        (
            {"quorum": "all", "escalate_to": (), "escalate_further": (), "deputies": ("eve",)},
            ("ann",),
            "names nobody else",
        ),
    ],
)
def test_where_nobody_is_left_the_run_waits_for_an_operator(changes, dead, why):
    assert why in asked(rule(**changes), *dead)


def test_the_requester_never_stands_in():
    assert asked(rule(escalate_to=("rita", "cora")), "ann", "ben") == ["cora"]
    assert "nobody else" in asked(rule(escalate_to=("rita",), escalate_further=()), "ann", "ben")


def test_too_few_approvers_by_policy_are_no_matter_of_mail():
    assert "1 remain" in asked(rule(approvers=("ann", "rita"), quorum=2))


def test_another_address_of_the_same_person_comes_before_another_person():
    policy = Policy(version="1", persons=people(second=True), rules=(rule(),), requesters=("rita",))
    gone = frozenset({"ann@corp.example", "ben@corp.example", "ben@home.example"})
    plan = approval_plan(policy, CALL, "rita", (), "e", unreachable=gone)
    assert [a.address for a in plan.approvers] == ["ann@home.example"]


def test_other_addresses_are_not_tried_where_policy_leaves_it_to_an_operator():
    assert "operator" in asked(rule(on_undeliverable="operator"), "ann", "ben", second=True)


@pytest.mark.parametrize(
    ("changes", "start", "wanted"),
    [
        ({}, Position(), Position()),
        ({"on_deadline": "escalate"}, Position(), Position(1, 1)),
        ({"on_deadline": "escalate"}, Position(1, 1), Position(2, 2)),
        ({"on_deadline": "escalate"}, Position(0, 1), Position(2, 2)),
        ({"on_deadline": "escalate"}, Position(2, 2), Position(2, 2)),
        ({"on_deadline": "expire"}, Position(), Position()),
    ],
)
def test_silence_goes_on_to_the_next_line_only_where_the_rule_escalates(changes, start, wanted):
    policy = Policy(version="1", persons=people(), rules=(rule(**changes),), requesters=("rita",))
    assert after_silence(policy, policy.rules[0], start) == wanted


def test_a_plan_without_lines_is_placed_by_how_often_nobody_answered():
    policy = Policy(version="1", persons=people(), rules=(rule(on_deadline="escalate"),), requesters=("rita",))
    plan = approval_plan(policy, CALL, "rita", (), "e", position=Position(1, 1))
    assert not isinstance(plan, Denied)
    assert position_of(plan, 0) == Position(1, 1)
    assert position_of(plan.model_copy(update={"first_line": None}), 2) == Position(2, 2)


@given(
    st.sets(st.sampled_from(NAMES)),
    st.sampled_from([1, 2, "two-person", "all"]),
    st.sampled_from(["escalate", "operator"]),
    st.sets(st.sampled_from(NAMES)),
)
def test_nobody_is_asked_whom_policy_does_not_name_or_no_mail_reaches(dead, quorum, mode, out):
    given = rule(quorum=quorum, on_undeliverable=mode, deputies=("eve",))
    policy = Policy(version="1", persons=people(), rules=(given,), requesters=("rita",))
    gone = frozenset(f"{name}@corp.example" for name in dead)
    seats = seated(policy, given, Position(), Candidates(frozenset(out), (), gone))
    reached = {seat.person.id for seat in seats.reached}
    assert reached <= set(seats.named) - dead - out
    assert set(seats.named) <= {"ann", "ben", "cora", "dan", "eve"}
    assert mode == "escalate" or seats.position == Position()
