"""Whom of policy an OS user is, in which role."""

import getpass

import pytest

from cli.context import actor_of, operator_of, requester_of
from cli.errors import CommandError
from policies.lint import find_errors, find_warnings
from tests.unit.ledger.world import NOON, make_policy
from wire.policy import Policy

ME = getpass.getuser()


def policy_with(**users: str) -> Policy:
    """The world's policy, where these persons have these OS users."""
    policy = make_policy()
    people = (p.model_copy(update={"os_users": tuple(users.get(p.id, "").split())}) for p in policy.persons)
    return policy.model_copy(update={"persons": tuple(people)})


def test_one_user_is_the_requester_who_runs_and_the_operator_who_acts():
    policy = policy_with(rita="*", olga="*")
    assert (requester_of(policy)[0].id, operator_of(policy)[0].id) == ("rita", "olga")
    assert find_errors(policy) == ()


def test_who_is_an_operator_by_name_is_no_other():
    policy = policy_with(olga="*", carl=ME).model_copy(update={"operators": ("olga", "carl")})
    assert operator_of(policy)[0].id == "carl"


def test_who_maps_to_nobody_of_a_role_is_said_to_be_none():
    with pytest.raises(CommandError, match="rita is no operator"):
        operator_of(policy_with(rita="*"))
    with pytest.raises(CommandError, match="maps no person"):
        requester_of(policy_with(rita="somebody-else"))


@pytest.mark.parametrize(("asked_by", "acts"), [("rita", ("rita", "requester")), ("carl", ("olga", "operator"))])
def test_the_requester_of_a_run_acts_as_that_and_nobody_elses(asked_by: str, acts: tuple[str, str]):
    person, source, role = actor_of(policy_with(rita="*", olga="*"), asked_by)
    assert ((person.id, role), source) == (acts, f"os-user:{ME}")


def test_one_user_for_two_persons_of_a_role_is_an_error():
    policy = policy_with(olga="joe", carl="joe").model_copy(update={"operators": ("olga", "carl")})
    (error,) = find_errors(policy)
    assert "OS user 'joe' is both carl and olga among the operators" in error.message


def test_a_user_who_asks_and_approves_is_a_warning():
    policy = policy_with(rita="joe", ann="joe")
    found = find_warnings(policy, now=NOON, zones=("UTC",), languages=("en",))
    assert [f.message for f in found if "joe" in f.message] == ["OS user 'joe' asks as rita and is the approver ann"]
