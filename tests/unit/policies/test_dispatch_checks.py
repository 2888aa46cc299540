"""The last look before a write, and check 9."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from policies.dispatch_checks import DispatchFacts, Vote, check_approvers, check_drift, refusals
from wire.call import Finding, PreparedRequest, ProposedCall, ValidatedCall
from wire.policy import ApprovalRule, Delegation, Person, Policy

FACTS = DispatchFacts(requested_digest="d", call_digest="d", quorum=2, principals=frozenset({"ann", "bob"}))
CALL = ValidatedCall(
    call=ProposedCall(method="POST", service="S", endpoint="E"),
    kind="EntitySet",
    request=PreparedRequest(method="POST", service="S", path="E"),
    digest="d",
    metadata_digest="m1",
)


def test_nothing_against_a_proven_quorum():
    assert refusals(FACTS) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"call_digest": "other"},
        {"principals": frozenset({"ann"})},
        {"broken_evidence": ("e",)},
        {"blocks": ("halt",)},
        {"live": False},
        {"newest": False},
        {"run_closed": True},
        {"other_effect": True},
    ],
)
def test_each_fact_alone_refuses(changes: dict[str, object]):
    assert len(refusals(replace(FACTS, **changes))) == 1


def test_a_new_metadata_version_that_changes_nothing_drifts_nothing():
    now = CALL.model_copy(update={"metadata_digest": "m2", "graph_hash": "g2"})
    assert check_drift(CALL, now) == ()


@pytest.mark.parametrize(
    "now",
    [
        None,
        CALL.model_copy(update={"digest": "other"}),
        CALL.model_copy(update={"undecided": (Finding(rule="R60", pointer="/x", message="?"),)}),
    ],
)
def test_check_9_names_what_drifted(now: ValidatedCall | None):
    assert len(check_drift(CALL, now)) == 1


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PEOPLE = tuple(
    Person(id=name, name=name, addresses=(f"{name}@corp.example",)) for name in ("ann", "bob", "carl", "rita")
)
STANDS = Delegation(
    from_person="ann", to_person="carl", since=NOON - timedelta(days=1), until=NOON + timedelta(hours=1)
)


def policy(*delegations: Delegation, persons: tuple[Person, ...] = PEOPLE) -> Policy:
    rule = ApprovalRule(id="all", approvers=("ann", "bob"))
    return Policy(version="1", persons=persons, rules=(rule,), requesters=("rita",), delegations=delegations)


def drifted(
    now: Policy, person: str, principal: str = "ann", approvers: tuple[str, ...] = ("ann",), quorum: int = 1
) -> int:
    return len(check_approvers(now, [Vote(person, principal, NOON)], approvers, quorum, "rita"))


def test_votes_of_those_who_may_still_approve_stand():
    assert drifted(policy(), "ann") == 0
    assert drifted(policy(STANDS), "carl") == 0


def test_a_delegation_that_ran_out_since_still_stands():
    assert drifted(policy(STANDS.model_copy(update={"until": NOON})), "carl") == 0


@pytest.mark.parametrize(
    ("now", "vote"),
    [
        (policy(), {"person": "ann", "approvers": ("bob",)}),
        (policy(), {"person": "ann", "quorum": 2}),
        (policy(), {"person": "carl"}),
        (policy(STANDS.model_copy(update={"until": NOON - timedelta(hours=1)})), {"person": "carl"}),
        (policy(persons=PEOPLE[1:]), {"person": "ann"}),
        (policy(Delegation(from_person="rita", to_person="ann", since=NOON, until=NOON)), {"person": "ann"}),
    ],
)
def test_a_revocation_bites_before_the_write(now: Policy, vote: dict[str, Any]):
    assert drifted(now, **vote) == 1
