"""Bounces: tied to the copy that came back, worth only what they prove to know, and never an answer."""

from typing import Any

import pytest

from tests.unit.ledger.world import World, at, notices, signals
from wire.approval import Judgement, MessageType, Outcome, RequestStatus
from wire.task import RunState


def bounce(world: World, copy: int = 0, review: int = 1, **changes: Any) -> Judgement:
    """A report that the copy came back from its recipient, right in everything that ``changes`` does not change."""
    mail = next(r for r in world.ledger.requests("run-a") if r.review == review).mails[copy]
    told: dict[str, Any] = {"bounced_ids": (mail.message_id,), "failed_recipients": (mail.address,)}
    told |= {"failure_status": "5.1.1", "recipients": (), "references": (), "body_refs": (), "authenticated": False}
    return world.answer("unclear", "mailer-daemon@corp.example", automatic="bounce", **(told | changes))


def status(world: World) -> RequestStatus:
    return world.ledger.requests("run-a")[-1].status


def test_a_bounce_makes_the_request_undeliverable_and_wakes_the_run(world: World):
    world.open_run()
    assert bounce(world).outcome is Outcome.UNDELIVERABLE
    assert (status(world), len(signals(world))) == (RequestStatus.UNDELIVERABLE, 1)
    assert world.ledger.unreachable("run-a") == {"ann@corp.example"}
    assert notices(world, MessageType.OPERATOR_ALERT) == ["olga@corp.example"]


def test_with_enough_others_left_the_run_goes_on_waiting_and_the_operator_hears_of_it(world: World):
    world.open_run(approvers=("ann", "bob"))
    assert bounce(world).outcome is Outcome.IGNORED
    assert (signals(world), notices(world, MessageType.OPERATOR_ALERT)) == ([], ["olga@corp.example"])
    assert world.answer("approve", "bob").outcome is Outcome.ACCEPTED


def test_a_quorum_out_of_reach_is_undeliverable(world: World):
    world.open_run(approvers=("ann", "bob"), quorum=2)
    assert bounce(world, copy=1).outcome is Outcome.UNDELIVERABLE


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bounced_ids": ("guessed@agent.example",), "references": ("req@agent.example",)}, "names no"),
        ({"bounced_ids": (), "failed_recipients": ("ann@corp.example",)}, "names no"),
        ({"failed_recipients": ("eve@corp.example",)}, "did not send to"),
        ({"minutes": -1}, "before the copy was sent"),
    ],
)
def test_a_bounce_that_does_not_know_the_copy_changes_nothing(world: World, changes: dict[str, Any], reason: str):
    ref = world.open_run() and world.ledger.requests("run-a")[0].opaque_id
    judgement = bounce(world, **({"body_refs": (ref,)} | changes))
    assert (judgement.outcome, status(world), signals(world)) == (Outcome.IGNORED, RequestStatus.SENT, [])
    assert reason in judgement.reason


@pytest.mark.parametrize(
    "changes",
    [
        {"failed_recipients": ()},
        {"failed_recipients": ("Ann@CORP.example", "eve@corp.example")},
        {"failed_recipients": ("ann+work@corp.example",)},
        {"bounced_ids": (), "references": "own"},
        {"bounced_ids": (), "recipients": "own"},
    ],
)
def test_what_ties_a_bounce_to_its_copy(world: World, changes: dict[str, Any]):
    row = world.open_run() and world.ledger.requests("run-a")[0]
    own = {"references": (row.mails[0].message_id,), "recipients": (row.reply_address,)}
    told = {name: own[name] if value == "own" else value for name, value in changes.items()}
    assert bounce(world, **told).outcome is Outcome.UNDELIVERABLE


def test_at_the_reply_address_alone_somebody_elses_failure_counts_for_nobody(world: World):
    row = world.open_run() and world.ledger.requests("run-a")[0]
    told = {"bounced_ids": (), "recipients": (row.reply_address,), "failed_recipients": ("eve@corp.example",)}
    assert bounce(world, **told).outcome is Outcome.IGNORED


def test_who_has_answered_was_reached(world: World):
    world.open_run(approvers=("ann", "bob"), quorum=2)
    world.answer("approve", "ann")
    assert bounce(world).reason == "bounce of a copy that was answered"
    assert status(world) is RequestStatus.SENT


def test_a_bounce_of_another_mail_of_ours_leaves_the_request(world: World):
    world.open_run()
    world.answer("unclear", "ann")
    notice = world.ledger.pending_outbox("mail")[0].payload["message_id"]
    judgement = bounce(world, bounced_ids=(notice,))
    assert (judgement.outcome, status(world)) == (Outcome.IGNORED, RequestStatus.SENT)
    assert "clarification_request" in judgement.reason


def test_many_forged_bounces_wake_the_run_once(world: World):
    world.open_run()
    for number in range(30):
        bounce(world, failure_status=f"5.1.{number}")
    assert (len(signals(world)), len(notices(world, MessageType.OPERATOR_ALERT))) == (1, 1)


def test_a_bounce_halts_nothing_though_it_names_two_runs(world: World):
    world.open_run()
    world.open_run("run-b", order="2")
    other = world.ledger.requests("run-b")[0]
    judgement = bounce(world, references=(other.mails[0].message_id,), recipients=(other.reply_address,))
    assert (judgement.run_id, judgement.outcome) == ("run-a", Outcome.UNDELIVERABLE)
    assert (world.ledger.blocks("run-a"), world.ledger.blocks("run-b")) == ((), ())


def test_a_bounce_of_an_older_review_does_not_end_the_new_one(world: World):
    world.open_run()
    world.ask(review=2, minutes=2)
    assert bounce(world, review=1).outcome is Outcome.IGNORED
    assert world.answer("approve", review=2).outcome is Outcome.ACCEPTED


def test_mail_that_failed_at_once_counts_like_a_bounce(world: World):
    world.open_run(sent=False)
    world.ledger.mark_undeliverable("run-a", 1, 1, 0, "550 no such user", at(1))
    assert world.ledger.unreachable("run-a") == {"ann@corp.example"}


def test_an_operator_who_has_it_asked_again_says_that_mail_arrives_again(world: World):
    world.open_run()
    bounce(world)
    world.ledger.ask_again("run-a", "reissue", "olga", "mailbox mended", {}, at(6))
    assert world.ledger.unreachable("run-a") == frozenset()


def test_who_answers_after_a_bounce_is_reached_again(world: World):
    world.open_run(approvers=("ann", "bob"))
    bounce(world)
    assert world.answer("approve", "ann").outcome is Outcome.ACCEPTED
    assert world.ledger.unreachable("run-a") == frozenset()


def test_who_answered_before_a_bounce_is_not(world: World):
    world.open_run(approvers=("ann", "bob"))
    world.answer("unclear", "ann")
    bounce(world)
    assert world.ledger.unreachable("run-a") == {"ann@corp.example"}


def test_a_no_counts_though_the_review_was_undeliverable(world: World):
    world.open_run()
    bounce(world)
    assert world.answer("approve", "ann").outcome is Outcome.REFUSED
    assert world.answer("reject", "ann").outcome is Outcome.REJECTED


@pytest.mark.parametrize("seconds", [0, 1, 30])
def test_a_reply_that_is_quicker_than_our_commit_counts_also_afterwards(world: World, seconds: int):
    world.open_run(sent=False)
    world.ledger.begin_sending("run-a", 1, 1, 0, at(1))
    assert world.answer("approve", minutes=1).outcome is Outcome.ACCEPTED
    row = world.ledger.mark_accepted("run-a", 1, 1, 0, at(1 + seconds / 60), "250 ok")
    assert (row.opens_at, row.status) == (at(1), RequestStatus.DECIDED)


def test_a_reply_from_before_anything_was_sent_is_late(world: World):
    world.open_run(sent=False)
    world.ledger.begin_sending("run-a", 1, 1, 0, at(1))
    assert world.answer("approve", minutes=0.9).outcome is Outcome.LATE


def test_a_bounce_that_is_quicker_than_our_commit_stands(world: World):
    world.open_run(sent=False, approvers=("ann", "bob"))
    for copy in (0, 1):
        world.ledger.begin_sending("run-a", 1, 1, copy, at(1))
    bounce(world, minutes=1)
    row = world.ledger.mark_accepted("run-a", 1, 1, 0, at(1.1), "250 ok")
    assert row.mails[0].failure == "bounced (5.1.1)"
    assert world.ledger.unreachable("run-a") == {"ann@corp.example"}


def test_who_answers_a_parked_run_wakes_it_and_a_stranger_does_not(world: World):
    world.open_run()
    bounce(world)
    world.ledger.set_state("run-a", RunState.UNDELIVERABLE, "nobody is reached", at(5))
    before = signals(world)
    assert world.answer("approve", "dora").outcome is Outcome.REFUSED
    assert signals(world) == before
    answered = world.answer("approve", "ann")
    assert (answered.reason, signals(world)[len(before) :]) == ("superseded", [("run-a", answered.evidence_id)])
    assert world.ledger.unreachable("run-a") == frozenset()
