"""Operators have a call asked afresh; refused mail is listed and resolved; nothing of it accepts anything."""

import pytest

from ledger.errors import ActRefused, GateRefused
from ledger.run_changes import asked_again, changes_of, window_of
from policies.run_rules import policy_for_run
from tests.unit.ledger.world import World, at, make_policy
from wire.approval import Outcome, RequestStatus


def again(world: World, kind="reissue", minutes=4, **details):
    return world.ledger.ask_again("run-a", kind, "olga", "why", details, at(minutes))


def test_a_review_that_is_asked_again_counts_no_more(world: World):
    world.open_run(quorum=2, approvers=("ann", "bob"))
    world.answer("approve")
    assert again(world).review == 1
    assert world.ledger.requests("run-a")[0].status is RequestStatus.WITHDRAWN
    assert world.answer("approve", sender="bob", minutes=7).reason == "superseded"
    with pytest.raises(GateRefused):
        world.dispatch(minutes=8)


def test_the_run_is_told_and_finds_which_review_ended(world: World):
    world.open_run()
    again(world)
    acts = world.ledger.proven_acts("run-a")
    assert asked_again(acts, 1, 1)
    assert not asked_again(acts, 1, 2)
    assert world.ledger.pending_outbox("signal")[-1].payload["evidence_id"].startswith("act-")


def test_a_no_stands_though_the_call_was_asked_again(world: World):
    world.open_run()
    again(world)
    assert world.answer("reject").outcome is Outcome.REJECTED


@pytest.mark.parametrize("before", ["decided", "rejected", "halted", "dispatched"])
def test_what_is_over_cannot_be_asked_again(world: World, before):
    world.open_run()
    if before == "halted":
        world.ledger.halt(["run-a"], "operator", "look", at(1))
    else:
        world.answer("reject" if before == "rejected" else "approve")
    if before == "dispatched":
        world.dispatch(minutes=3)
    with pytest.raises(ActRefused):
        again(world)


def test_a_run_that_asked_nobody_cannot_be_asked_again(world: World):
    world.start()
    with pytest.raises(ActRefused, match="nobody yet"):
        again(world)


def test_a_delegate_votes_for_the_seat_and_only_in_this_run(world: World):
    world.policy = make_policy()
    for run, order in (("run-a", "1"), ("run-b", "2")):
        world.open_run(run, quorum=2, approvers=("ann", "bob"), order=order)
    again(world, "delegate", **{"from": "ann", "to": "carl", "until": at(60).isoformat()})
    world.ask(review=2, minutes=5, quorum=2, approvers=("ann", "bob"))
    assert world.answer("approve", sender="carl", review=2).outcome is Outcome.ACCEPTED
    assert world.answer("approve", sender="ann", review=2).outcome is Outcome.ACCEPTED
    assert world.ledger.principals("run-a", 1, 2) == ("ann",)
    assert world.answer("approve", sender="carl", run_id="run-b").outcome is Outcome.REFUSED


def test_a_delegation_ends_with_its_time(world: World):
    world.open_run()
    again(world, "delegate", minutes=1, **{"from": "ann", "to": "carl", "until": at(2).isoformat()})
    world.ask(review=2, minutes=2)
    assert world.answer("approve", sender="carl", review=2).outcome is Outcome.REFUSED


def test_a_replaced_approver_is_nobody_any_more(world: World):
    world.open_run()
    again(world, "replace", **{"from": "ann", "to": "bob"})
    changed = policy_for_run(world.policy, changes_of(world.ledger.proven_acts("run-a")))
    assert changed.rules[0].approvers == ("bob",)


def test_who_shifted_a_seat_cannot_take_one(world: World):
    world.open_run(approvers=("ann", "bob"))
    world.ledger.ask_again("run-a", "replace", "bob", "why", {"from": "ann", "to": "carl"}, at(1))
    world.ask(review=2, minutes=2, approvers=("bob", "carl"))
    assert world.answer("approve", sender="bob", review=2).reason == "sender acted as operator in this run"


def test_a_window_given_by_an_operator_holds_for_its_step(world: World):
    world.open_run()
    again(world, "extend", window_seconds=7200)
    acts = world.ledger.proven_acts("run-a")
    assert (window_of(acts, 1), window_of(acts, 2)) == (7200, None)


def test_a_halt_is_confirmed_only_where_one_is(world: World):
    world.open_run()
    with pytest.raises(ActRefused, match="not halted"):
        world.ledger.confirm("run-a", "olga", "so it is", at(1))
    world.ledger.halt(["run-a"], "operator", "look", at(2))
    world.ledger.confirm("run-a", "olga", "so it is", at(3))
    assert [block.kind for block in world.ledger.blocks("run-a")] == ["operator", "cancel"]


def test_refused_mail_is_listed_until_it_is_resolved(world: World):
    world.open_run()
    refused = world.mail("approve", sender="dora")
    world.judge(refused)
    assert [row.raw_digest for row in world.ledger.refused_mails()] == [refused.parsed.raw_digest]
    world.ledger.remark("run-a", "resolve", "olga", "operator", "spam", {"mail": refused.parsed.raw_digest}, at(9))
    assert world.ledger.refused_mails("run-a") == ()
    assert len(world.ledger.refused_mails("run-a", resolved=True)) == 1


def test_judging_a_refused_mail_again_records_nothing(world: World):
    world.open_run()
    refused = world.mail("approve", sender="dora")
    world.judge(refused)
    widened = make_policy(delegations=())
    widened = widened.model_copy(update={"persons": tuple(p for p in widened.persons if p.id != "dora")})
    ruling = world.ledger.would_rule(refused, widened, at(9))
    assert ruling is not None
    assert ruling.reason == "sender is not a known person"
    assert world.ledger.votes("run-a", 1, 1) == ()
