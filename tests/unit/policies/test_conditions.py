"""Rules on content: amounts with currency, any property, and what cannot be told."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.conditions import evaluate
from policies.write_gate import Denied, approval_plan, rule_for
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Condition, Person, Policy, Role

PEOPLE = tuple(Person(id=n, name=n, addresses=(f"{n}@x.example",)) for n in ("rita", "ann", "ben", "cora"))


def policy(*rules: ApprovalRule, **more) -> Policy:
    fields = {"base_currency": "EUR", "rates": {"USD": Decimal("0.9")}} | more
    return Policy(version="1", persons=PEOPLE, rules=rules, requesters=("rita",), **fields)


def call(payload, key=None) -> ProposedCall:
    return ProposedCall(method="POST", service="S", endpoint="Orders", payload=payload, key=key)


def over(limit="1000", **more) -> Condition:
    fields = {
        "property": "Amount",
        "op": ">=",
        "value": Decimal(limit),
        "currency": "EUR",
        "currency_property": "Currency",
    }
    return Condition(**(fields | more))


def holds(condition, payload, **more):
    return evaluate(policy(**more), condition, call(payload)).holds


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"Amount": "1000.00", "Currency": "EUR"}, True),
        ({"Amount": 999.99, "Currency": "EUR"}, False),
        ({"Amount": "1111.12", "Currency": "usd"}, True),
        ({"Amount": "1111.10", "Currency": "USD"}, False),
        ({"Amount": "5000", "Currency": "JPY"}, None),
        ({"Amount": "5000"}, None),
        ({"Currency": "EUR"}, None),
        ({"Amount": "5,000", "Currency": "EUR"}, None),
        ({"Amount": None, "Currency": "EUR"}, None),
        ({"Amount": True, "Currency": "EUR"}, None),
    ],
)
def test_an_amount_with_its_currency(payload, expected):
    assert holds(over(), payload) is expected


@pytest.mark.parametrize(("of", "expected"), [("any", False), ("all", False), ("sum", True)])
def test_items_one_by_one_or_in_sum(of, expected):
    items = {"Currency": "EUR", "to_Item": [{"Amount": "600"}, {"Amount": "500"}]}
    assert holds(over(property="to_Item.Amount", of=of), items) is expected
    assert (
        holds(over(property="to_Item.Amount", of=of), {"Currency": "EUR", "to_Item": {"results": items["to_Item"]}})
        is expected
    )


def test_an_item_without_its_amount_leaves_the_sum_untold():
    assert holds(over(property="I.Amount", of="sum"), {"Currency": "EUR", "I": [{"Amount": "600"}, {}]}) is None


@pytest.mark.parametrize(
    ("condition", "payload", "expected"),
    [
        (Condition(property="Plant", op="in", values=("1010", "1020")), {"Plant": 1010}, True),
        (Condition(property="Plant", op="not in", values=("1010",)), {"Plant": "1010"}, False),
        (Condition(property="Plant", op="=="), {}, None),
        (Condition(property="Urgent", op="==", value=True), {"Urgent": True}, True),
        (Condition(property="Urgent", op="!=", value="x"), {"Urgent": "y"}, True),
        (Condition(property="Note", op="missing"), {"Other": 1}, True),
        (Condition(property="Note", op="present"), {"Note": ""}, True),
    ],
)
def test_any_property(condition, payload, expected):
    assert holds(condition, payload) is expected


def test_a_key_value():
    condition = Condition(property="@key.Company", op="==", value="1000")
    assert evaluate(policy(), condition, call({}, {"Company": "1000"})).holds is True
    assert evaluate(policy(), condition, call({})).holds is None


BIG = ApprovalRule(id="big", approvers=("role:board",), quorum="two-person", when=(over(),))
SMALL = ApprovalRule(id="small", approvers=("ann",))
BOARD = (Role(id="board", members=("ann", "ben", "rita")),)


def test_the_amount_picks_the_rule_and_its_quorum():
    rules = policy(BIG, SMALL, roles=BOARD)
    plan = approval_plan(rules, call({"Amount": 2000, "Currency": "EUR"}), "rita", (), "e")
    assert (plan.rule_id, plan.quorum, [a.person for a in plan.approvers]) == ("big", 2, ["ann", "ben"])
    assert rule_for(rules, call({"Amount": 10, "Currency": "EUR"})).id == "small"


def test_what_cannot_be_told_is_denied_in_whatever_order_the_rules_stand():
    lax_first = ApprovalRule(id="lax", approvers=("ann",), when=(over(op="<"),))
    for rules in (policy(BIG, SMALL, roles=BOARD), policy(lax_first, BIG, roles=BOARD)):
        denied = approval_plan(rules, call({"Currency": "EUR"}), "rita", (), "e")
        assert isinstance(denied, Denied)
        assert "cannot be judged" in denied.reason


@given(st.decimals("0", "1e9", places=2, allow_nan=False), st.sampled_from(["EUR", "USD"]))
def test_a_threshold_splits_all_amounts_in_two(amount, currency):
    payload = {"Amount": str(amount), "Currency": currency}
    assert holds(over(), payload) is not holds(over(op="<"), payload)


def test_all_means_everybody_asked_and_is_not_lowered_by_narrowing():
    rules = policy(ApprovalRule(id="r", approvers=("ann", "ben", "cora"), quorum="all"))
    assert approval_plan(rules, call({}), "rita", (), "e").quorum == 3
    assert isinstance(approval_plan(rules, call({}), "rita", ("ann",), "e"), Denied)
