"""Who may approve a call: policy names, callers narrow, requesters never."""

from datetime import UTC, datetime

import pytest

from policies.seats import Position
from policies.write_gate import Denied, approval_plan, is_write, rule_for
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Delegation, Person, Policy


def person(name):
    return Person(id=name, name=name.title(), addresses=(f"{name}@x.example",))


def policy(**changes):
    base = Policy(
        version="1",
        persons=tuple(person(n) for n in ("rita", "ann", "ben", "cora")),
        rules=(
            ApprovalRule(id="orders", services=("PURCHASE_*",), approvers=("ann", "ben")),
            ApprovalRule(id="release", endpoints=("*Release*",), methods=("ACTION",), approvers=("cora",)),
        ),
        requesters=("rita",),
    )
    return base.model_copy(update=changes)


def call(method="POST", service="PURCHASE_ORDER", endpoint="Orders", path=None):
    return ProposedCall(method=method, service=service, endpoint=endpoint, path=path)


def plan(given=None, requester="rita", narrowed=(), rules=None):
    return approval_plan(rules or policy(), given or call(), requester, narrowed, "epoch")


def test_reads_need_nobody():
    assert not is_write(call("GET"))


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE", "ACTION"])
def test_every_effect_is_a_write(method):
    assert is_write(call(method))


def test_no_rule_no_write():
    denied = plan(call(service="BILLING"))
    assert isinstance(denied, Denied)
    assert "BILLING/Orders" in denied.reason


def test_first_matching_rule_wins():
    assert rule_for(policy(), call(service="PURCHASE_X", endpoint="Y", method="ACTION")).id == "orders"


def test_a_bound_operation_matches_by_its_own_name():
    assert rule_for(policy(), call("ACTION", "SALES", "Orders", ("Ns.Release",))).id == "release"


def test_caller_narrows():
    assert [a.person for a in plan(narrowed=("ben",)).approvers] == ["ben"]


def test_caller_cannot_widen():
    assert "cora" in plan(narrowed=("cora",)).reason


def test_requester_is_barred_even_when_named():
    assert [a.person for a in plan(requester="ann").approvers] == ["ben"]


def test_requester_alone_leaves_nobody():
    assert isinstance(plan(requester="ann", narrowed=("ann",)), Denied)


def test_the_requesters_delegate_is_barred():
    year = Delegation(
        from_person="rita",
        to_person="ann",
        since=datetime(2026, 1, 1, tzinfo=UTC),
        until=datetime(2027, 1, 1, tzinfo=UTC),
    )
    assert [a.person for a in plan(rules=policy(delegations=(year,))).approvers] == ["ben"]


def test_quorum_that_cannot_be_reached_is_denied():
    two = policy(rules=(ApprovalRule(id="two", approvers=("ann", "rita"), quorum=2),))
    assert "needs 2" in plan(rules=two).reason


def test_silence_escalates_where_policy_says_so():
    rule = ApprovalRule(id="all", approvers=("ann",), escalate_to=("cora",), on_deadline="escalate")
    rules = policy(rules=(rule,))
    asked = [approval_plan(rules, call(), "rita", (), "e", position=Position(n, n)).approvers for n in (0, 1)]
    assert [[a.person for a in people] for people in asked] == [["ann"], ["cora"]]
