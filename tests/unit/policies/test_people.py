"""Addresses to persons."""

from datetime import UTC, datetime, timedelta

import pytest

from policies.people import person_of, represented_by, requester_persons
from wire.policy import ApprovalRule, Delegation, Person, Policy

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
POLICY = Policy(
    version="1",
    persons=(
        Person(id="ann", name="Ann", addresses=("ann@corp.example", "a.smith@corp.example")),
        Person(id="bob", name="Bob", addresses=("team+bob@corp.example",)),
        Person(id="cat", name="Cat", addresses=("team+cat@corp.example",)),
        Person(id="dan", name="Dan", addresses=("shared@corp.example",)),
        Person(id="eve", name="Eve", addresses=("shared@corp.example",)),
    ),
    rules=(ApprovalRule(id="all", approvers=("ann",)),),
    requesters=("rita",),
    delegations=(Delegation(from_person="ann", to_person="bob", since=NOON, until=NOON + timedelta(days=1)),),
)


@pytest.mark.parametrize(
    ("address", "person"),
    [
        ("ann@corp.example", "ann"),
        ("ANN@Corp.Example", "ann"),
        (" <ann@corp.example> ", "ann"),
        ("a.smith@corp.example", "ann"),
        ("ann+phone@corp.example", "ann"),
        ("team+bob@corp.example", "bob"),
        ("team+cat@corp.example", "cat"),
        ("team+dog@corp.example", None),
        ("team@corp.example", None),
        ("shared@corp.example", None),
        ("ann@corp.example.evil.example", None),
        ("ann@c0rp.example", None),
        ("ann", None),
        ("", None),
    ],
)
def test_person_of_an_address(address: str, person: str | None):
    found = person_of(POLICY, address)
    assert (found.id if found else None) == person


@pytest.mark.parametrize("requester", ["ann", "ann@corp.example", "A.Smith+x@corp.example"])
def test_a_requester_is_every_person_that_it_may_stand_for(requester: str):
    assert "ann" in requester_persons(POLICY, requester)


def test_an_unknown_requester_is_nobody_else():
    assert requester_persons(POLICY, "zoe") == {"zoe"}


@pytest.mark.parametrize(("hours", "expected"), [(-1, ()), (0, ("ann",)), (24, ("ann",)), (25, ())])
def test_a_delegation_is_in_force_from_since_to_until(hours: int, expected: tuple[str, ...]):
    assert represented_by(POLICY, "bob", NOON + timedelta(hours=hours)) == expected
