"""Checks 1 to 5, as tables."""

from datetime import UTC, datetime, timedelta

import pytest

from policies.evidence_checks import (
    Claim,
    Named,
    ReviewKey,
    Voter,
    check_kind,
    check_sender,
    check_unused,
    find_voter,
    name_request,
)
from policies.ruling import Ruling
from wire.approval import Outcome
from wire.mail import Authenticity, ParsedReply
from wire.policy import ApprovalRule, Delegation, Person, Policy

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ANN = "ann@corp.example"
REPLY = ParsedReply(
    raw_digest="r", content_digest="c", size=1, message_id="m@corp.example", from_addresses=(ANN,), answer="approve"
)
PROVEN = Authenticity(authenticated=True, address=ANN, method="dmarc")


def grant(giver: str, taker: str) -> Delegation:
    return Delegation(from_person=giver, to_person=taker, since=NOON, until=NOON + timedelta(days=1))


def policy(*delegations: Delegation) -> Policy:
    persons = tuple(
        Person(id=name, name=name, addresses=(f"{name}@corp.example", f"{name}.alias@corp.example"))
        for name in ("ann", "bob", "carl", "rita")
    )
    rule = ApprovalRule(id="all", approvers=("ann",))
    return Policy(version="1", persons=persons, rules=(rule,), requesters=("rita",), delegations=delegations)


def key(run: str, step: int = 1, review: int = 1) -> ReviewKey:
    return ReviewKey(run, step, review)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, None),
        ({"automatic": "auto-reply"}, Outcome.IGNORED),
        ({"automatic": "receipt"}, Outcome.IGNORED),
        ({"automatic": "calendar"}, Outcome.IGNORED),
        ({"automatic": "own"}, Outcome.IGNORED),
        ({"automatic": "bounce"}, Outcome.UNDELIVERABLE),
        ({"unreadable": "depth"}, Outcome.REFUSED),
        ({"automatic": "auto-reply", "unreadable": "depth"}, Outcome.IGNORED),
    ],
)
def test_check_1_kind(changes: dict[str, str], outcome: Outcome | None):
    ruling = check_kind(REPLY.model_copy(update=changes))
    assert (ruling.outcome if ruling else None) is outcome


@pytest.mark.parametrize(
    ("changes", "proof", "believed"),
    [
        ({}, {}, True),
        ({}, {"authenticated": False}, False),
        ({}, {"address": None}, False),
        ({}, {"address": "bob@corp.example"}, False),
        ({"from_addresses": ()}, {}, False),
        ({"from_addresses": (ANN, "bob@corp.example")}, {}, False),
        ({"through_list": True}, {}, False),
        ({"sender_address": ANN}, {}, True),
        ({"sender_address": "ann.alias@corp.example"}, {}, True),
        ({"sender_address": "bob@corp.example"}, {}, False),
        ({"sender_address": "stranger@other.example"}, {}, False),
    ],
)
def test_check_2_sender(changes: dict[str, object], proof: dict[str, object], believed: bool):
    ruling = check_sender(REPLY.model_copy(update=changes), PROVEN.model_copy(update=proof), policy())
    assert (ruling is None) is believed


def test_check_3_the_strongest_place_wins_within_a_run():
    named = name_request([("address", [key("a", 1, 2)]), ("thread", [key("a", 1, 1)]), ("body", [])])
    assert named == Named(key("a", 1, 2), (), ("found by address", "thread names step 1, review 1"))


def test_check_3_ids_of_two_runs_are_both_named():
    named = name_request([("address", []), ("thread", [key("a")]), ("body", [key("b"), key("b")])])
    assert named is not None
    assert (named.key, named.others) == (key("a"), (key("b"),))


def test_check_3_a_mail_without_ids_names_nothing():
    assert name_request([("address", []), ("thread", []), ("body", [])]) is None


@pytest.mark.parametrize(
    ("sender", "delegations", "voter"),
    [
        ("ann", (), Voter("ann", "ann")),
        ("Ann.Alias+x", (), Voter("ann", "ann")),
        ("bob", (), None),
        ("bob", (grant("ann", "bob"),), Voter("bob", "ann")),
        ("bob", (grant("ann", "carl"), grant("carl", "bob")), None),
        ("rita", (), None),
        ("rita", (grant("ann", "rita"),), None),
        ("ann", (grant("rita", "ann"),), None),
        ("bob", (grant("ann", "bob"), grant("rita", "bob")), None),
        ("stranger", (), None),
    ],
)
def test_check_4_approver_or_delegate_never_the_requester(
    sender: str, delegations: tuple[Delegation, ...], voter: Voter | None
):
    found = find_voter(policy(*delegations), f"{sender}@corp.example", ("ann",), "rita", NOON)
    assert (None if isinstance(found, Ruling) else found) == voter


def test_check_4_the_requester_is_excluded_though_designated():
    found = find_voter(policy(), "rita.alias@corp.example", ("ann", "rita"), "rita", NOON)
    assert isinstance(found, Ruling)


@pytest.mark.parametrize("shift", [timedelta(seconds=-1), timedelta(days=1, seconds=1)])
def test_check_4_a_delegation_must_be_in_force_at_receipt(shift: timedelta):
    found = find_voter(policy(grant("ann", "bob")), "bob@corp.example", ("ann",), "rita", NOON + shift)
    assert isinstance(found, Ruling)


@pytest.mark.parametrize(
    ("others", "claim", "outcome"),
    [
        ((), None, None),
        ((), Claim(key("a"), "c"), Outcome.IGNORED),
        ((), Claim(key("a", 2), "c"), Outcome.IGNORED),
        ((), Claim(key("a"), "other"), Outcome.COLLISION),
        ((), Claim(key("b"), "c"), Outcome.COLLISION),
        ((key("b"),), None, Outcome.COLLISION),
        ((key("b"),), Claim(key("a"), "c"), Outcome.IGNORED),
        ((key("b"),), Claim(key("b"), "c"), Outcome.COLLISION),
    ],
)
def test_check_5_unused(others: tuple[ReviewKey, ...], claim: Claim | None, outcome: Outcome | None):
    ruling = check_unused(REPLY, Named(key("a"), others), claim)
    assert (ruling.outcome if ruling else None) is outcome
