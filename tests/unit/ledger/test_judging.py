"""Checks 1 to 8 against a ledger: one mail, its outcome, and what follows from it."""

from typing import Any

import pytest
from sqlalchemy import delete, event

from ledger.errors import EvidenceMissing
from ledger.schema import CONTENT
from tests.unit.ledger.world import World, at, delegation, make_policy, notices, signals
from wire.approval import MessageType, Outcome, RequestStatus
from wire.task import RunState

OTHER_RUN = "run-b"


@pytest.mark.parametrize(
    ("answer", "changes", "outcome"),
    [
        ("approve", {}, Outcome.ACCEPTED),
        ("reject", {}, Outcome.REJECTED),
        ("unclear", {}, Outcome.UNCLEAR),
        ("approve", {"minutes": 60.1}, Outcome.LATE),
        ("approve", {"minutes": -1}, Outcome.LATE),
        ("reject", {"minutes": 600}, Outcome.REJECTED),
        ("approve", {"automatic": "auto-reply"}, Outcome.IGNORED),
        ("approve", {"unreadable": "parts"}, Outcome.REFUSED),
        ("approve", {"authenticated": False}, Outcome.REFUSED),
        ("reject", {"authenticated": False}, Outcome.REFUSED),
        ("approve", {"sender": "bob"}, Outcome.REFUSED),
        ("reject", {"sender": "bob"}, Outcome.REFUSED),
        ("approve", {"sender": "rita"}, Outcome.REFUSED),
        ("reject", {"sender": "rita"}, Outcome.REFUSED),
        ("approve", {"sender": "ann+phone@corp.example"}, Outcome.ACCEPTED),
        ("approve", {"message_id": None}, Outcome.ACCEPTED),
        ("approve", {"recipients": (), "body_refs": ()}, Outcome.ACCEPTED),
        ("approve", {"recipients": (), "references": ()}, Outcome.ACCEPTED),
        ("approve", {"recipients": (), "references": (), "body_refs": ()}, Outcome.UNTOUCHED),
    ],
)
def test_outcome_of_one_reply(world: World, answer: str, changes: dict[str, Any], outcome: Outcome):
    world.open_run()
    assert world.answer(answer, **{"sender": "ann"} | changes).outcome is outcome


def test_an_accepted_reply_is_evidence_decision_and_signal(world: World):
    world.open_run()
    judgement = world.answer("approve")
    assert judgement.evidence_id is not None
    record = world.ledger.decision("run-a", 1, 1, judgement.evidence_id)
    assert record is not None
    assert (record.outcome, record.person, record.approvals) == (Outcome.ACCEPTED, "ann", 1)
    assert signals(world) == [("run-a", judgement.evidence_id)]


def test_mail_of_strangers_leaves_no_trace(world: World):
    world.open_run()
    before = world.ledger.run("run-a").events
    mail = world.mail("approve", recipients=("info@agent.example",), references=("x@y",), body_refs=("zz",))
    world.judge(mail)
    assert world.ledger.mails("run-a") == ()
    assert world.ledger.run("run-a").events == before


def test_a_run_named_without_a_request_is_refused(world: World):
    world.open_run()
    judgement = world.answer("approve", recipients=("approvals+run-a@agent.example",), references=(), body_refs=())
    assert (judgement.outcome, judgement.check) == (Outcome.REFUSED, 3)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("approve", "approve", Outcome.IGNORED),
        ("approve", "reject", Outcome.REJECTED),
        ("reject", "approve", Outcome.REFUSED),
        ("reject", "reject", Outcome.REJECTED),
        ("unclear", "approve", Outcome.ACCEPTED),
        ("reject", "unclear", Outcome.REFUSED),
    ],
)
def test_a_second_answer(world: World, first: str, second: str, outcome: Outcome):
    world.open_run()
    world.answer(first)
    assert world.answer(second, minutes=6).outcome is outcome


def test_a_no_after_a_yes_stands_and_alerts(world: World):
    world.open_run()
    world.answer("approve")
    world.answer("reject", minutes=6)
    standing = world.ledger.standing("run-a", 1, 1)
    assert standing is not None
    assert standing.outcome is Outcome.REJECTED
    assert notices(world, MessageType.OPERATOR_ALERT) == ["olga@corp.example"]


def test_the_same_bytes_again_change_nothing(world: World):
    world.open_run()
    mail = world.mail("approve")
    world.judge(mail)
    events = world.ledger.run("run-a").events
    assert world.judge(mail).outcome is Outcome.IGNORED
    assert (len(signals(world)), world.ledger.run("run-a").events) == (1, events)


def test_a_refused_mail_seen_again_stays_refused_without_a_new_record(world: World):
    world.open_run()
    mail = world.mail("approve", "bob")
    world.judge(mail)
    assert world.judge(mail).outcome is Outcome.REFUSED
    assert len(world.ledger.mails("run-a")) == 1


def test_a_redelivered_copy_is_ignored(world: World):
    world.open_run()
    same = {"message_id": "m1@corp.example", "content_digest": "c" * 64}
    world.answer("approve", **same)
    assert world.answer("approve", raw=b"other trace headers", **same).outcome is Outcome.IGNORED


def test_a_copy_without_message_id_is_ignored_too(world: World):
    world.open_run()
    same = {"message_id": None, "content_digest": "c" * 64}
    world.answer("approve", **same)
    assert world.answer("approve", raw=b"other trace headers", **same).reason == "the same mail again"


def test_other_content_under_a_known_message_id_halts(world: World):
    world.open_run()
    world.answer("unclear", message_id="m1@corp.example")
    judgement = world.answer("approve", message_id="m1@corp.example")
    assert (judgement.outcome, judgement.halted_runs) == (Outcome.COLLISION, ("run-a",))
    assert world.ledger.run("run-a").state is RunState.HALTED


def test_a_redelivered_collision_does_not_halt_again(world: World):
    world.open_run()
    world.answer("unclear", message_id="m1@corp.example")
    same = {"message_id": "m1@corp.example", "content_digest": "c" * 64}
    world.answer("approve", **same)
    world.ledger.release("run-a", "olga", "harmless", at(6))
    assert world.answer("approve", raw=b"other trace headers", **same).outcome is Outcome.IGNORED
    assert world.ledger.blocks("run-a") == ()


def test_a_decision_whose_raw_mail_is_gone_is_not_handed_out(world: World):
    world.open_run()
    evidence_id = world.answer("approve").evidence_id or ""
    with world.ledger.writing() as connection:
        connection.execute(delete(CONTENT).where(CONTENT.c.digest == evidence_id))
    with pytest.raises(EvidenceMissing, match="missing"):
        world.ledger.decision("run-a", 1, 1, evidence_id)
    with pytest.raises(EvidenceMissing, match="missing"):
        world.ledger.standing("run-a", 1, 1)


@pytest.mark.parametrize("here", [("run-b", 1, 1), ("run-a", 2, 1), ("run-a", 1, 2)])
def test_a_signal_sent_by_hand_for_another_place_finds_nothing(world: World, here: tuple[str, int, int]):
    world.open_run()
    evidence_id = world.answer("approve").evidence_id or ""
    assert world.ledger.decision(*here, evidence_id) is None


def test_ids_of_two_runs_halt_both(world: World):
    world.open_run()
    world.open_run(OTHER_RUN)
    judgement = world.answer(
        "approve", references=(f"req.{world.ledger.requests(OTHER_RUN)[0].opaque_id}.0@agent.example",)
    )
    assert judgement.halted_runs == ("run-a", OTHER_RUN)
    assert {run for run, _ in signals(world)} == {"run-a", OTHER_RUN}
    assert [world.ledger.verify(run).faults for run in ("run-a", OTHER_RUN)] == [(), ()]


def test_evidence_spent_in_another_run_halts_both(world: World):
    world.open_run()
    world.open_run(OTHER_RUN)
    world.answer("approve", message_id="m1@corp.example", content_digest="c" * 64)
    judgement = world.answer("approve", run_id=OTHER_RUN, message_id="m1@corp.example", content_digest="c" * 64)
    assert set(judgement.halted_runs) == {"run-a", OTHER_RUN}


def test_a_crossed_mail_under_a_known_message_id_halts_both_in_order(world: World):
    world.open_run()
    world.open_run(OTHER_RUN)
    world.answer("unclear", message_id="m1@corp.example")
    crossed = (world.ledger.requests(OTHER_RUN)[0].opaque_id,)
    assert world.answer("approve", message_id="m1@corp.example", body_refs=crossed).halted_runs == ("run-a", OTHER_RUN)
    assert [world.ledger.verify(run).faults for run in ("run-a", OTHER_RUN)] == [(), ()]


def test_a_collision_with_a_closed_run_names_it_and_leaves_it_closed(world: World):
    world.open_run()
    world.open_run(OTHER_RUN)
    world.answer("approve", run_id=OTHER_RUN, message_id="m1@corp.example")
    world.ledger.close(OTHER_RUN, RunState.COMPLETED, "", at(6))
    judgement = world.answer("approve", message_id="m1@corp.example", minutes=7)
    assert judgement.halted_runs == ("run-a",)
    assert f"run {OTHER_RUN} is closed" in judgement.noted
    assert world.ledger.run(OTHER_RUN).state is RunState.COMPLETED


def test_somebody_who_may_not_answer_halts_nothing_with_a_known_id(world: World):
    world.open_run()
    world.answer("unclear", message_id="m1@corp.example")
    judgement = world.answer("approve", "dora", message_id="m1@corp.example")
    assert (judgement.outcome, judgement.halted_runs) == (Outcome.REFUSED, ())
    assert notices(world, MessageType.OPERATOR_ALERT) == ["olga@corp.example"]


def test_an_unauthenticated_mail_claims_no_evidence(world: World):
    world.open_run()
    world.answer("approve", authenticated=False, message_id="m1@corp.example")
    assert world.answer("approve", message_id="m1@corp.example").outcome is Outcome.ACCEPTED


def test_the_highest_review_waits_and_older_ones_are_superseded(world: World):
    world.open_run()
    world.ask(review=2, minutes=10)
    assert world.answer("approve", review=1, minutes=12).reason == "superseded"
    assert world.answer("approve", review=2, minutes=12).outcome is Outcome.ACCEPTED


def test_a_no_to_a_superseded_review_parks_the_step(world: World):
    world.open_run()
    world.ask(review=2, minutes=10)
    assert world.answer("reject", review=1, minutes=12).outcome is Outcome.REJECTED
    assert world.answer("approve", review=2, minutes=13).outcome is Outcome.REFUSED
    standing = world.ledger.standing("run-a", 1, 2)
    assert standing is not None
    assert standing.outcome is Outcome.REJECTED


def test_a_replaced_approver_may_still_say_no_but_not_yes(world: World):
    world.open_run()
    world.ask(review=2, approvers=("bob",), minutes=10)
    assert world.answer("approve", "ann", review=2, minutes=12).outcome is Outcome.REFUSED
    assert world.answer("reject", "ann", review=2, minutes=12).outcome is Outcome.REJECTED


@pytest.mark.parametrize(("minutes", "outcome"), [(5, Outcome.ACCEPTED), (25, Outcome.REFUSED)])
def test_a_delegate_answers_only_while_the_delegation_is_in_force(world: World, minutes: float, outcome: Outcome):
    world.policy = make_policy(delegations=(delegation("ann", "dora", until=20),))
    world.open_run()
    assert world.answer("approve", "dora", minutes=minutes).outcome is outcome


def test_the_requesters_delegate_cannot_approve(world: World):
    world.policy = make_policy(delegations=(delegation("rita", "ann"),))
    world.open_run()
    assert world.answer("approve", "ann").outcome is Outcome.REFUSED


def test_a_quorum_counts_designated_approvers_not_mails(world: World):
    world.policy = make_policy(delegations=(delegation("ann", "dora"),))
    world.open_run(approvers=("ann", "bob"), quorum=2)
    assert world.answer("approve", "ann").outcome is Outcome.ACCEPTED
    assert world.answer("approve", "ann").outcome is Outcome.IGNORED
    world.answer("approve", "dora")
    first = world.ledger.standing("run-a", 1, 1)
    world.answer("approve", "bob")
    last = world.ledger.standing("run-a", 1, 1)
    assert first is not None
    assert last is not None
    assert (first.approvals, last.approvals) == (1, 2)


def test_one_no_parks_a_quorum(world: World):
    world.open_run(approvers=("ann", "bob"), quorum=2)
    world.answer("approve", "ann")
    world.answer("reject", "bob")
    assert world.answer("approve", "bob", minutes=7).outcome is Outcome.REFUSED


def test_a_late_yes_counts_as_late_and_is_signalled(world: World):
    world.open_run()
    judgement = world.answer("approve", minutes=61)
    standing = world.ledger.standing("run-a", 1, 1)
    assert standing is not None
    assert standing.outcome is Outcome.LATE
    assert len(signals(world)) == 1
    assert judgement.check == 7


def test_a_bounce_makes_the_request_undeliverable(world: World):
    row = world.open_run() and world.ledger.requests("run-a")[0]
    bounce = {"automatic": "bounce", "bounced_ids": (row.mails[0].message_id,), "recipients": (), "references": ()}
    judgement = world.answer("unclear", "mailer-daemon@corp.example", authenticated=False, body_refs=(), **bounce)
    assert judgement.outcome is Outcome.UNDELIVERABLE
    assert world.ledger.requests("run-a")[0].status is RequestStatus.UNDELIVERABLE
    assert len(signals(world)) == 1


def test_a_bounce_of_one_copy_leaves_the_other_approver(world: World):
    world.open_run(approvers=("ann", "bob"))
    row = world.ledger.requests("run-a")[0]
    judgement = world.answer("unclear", automatic="bounce", bounced_ids=(row.mails[0].message_id,))
    assert judgement.outcome is Outcome.IGNORED
    assert world.answer("approve", "bob").outcome is Outcome.ACCEPTED


def test_a_batch_keeps_its_order_and_its_no_wins(world: World):
    world.open_run()
    mails = [world.mail("approve"), world.mail("reject")]
    judgements = world.ledger.judge_batch(mails, world.policy, at(6))
    assert [j.outcome for j in judgements] == [Outcome.ACCEPTED, Outcome.REJECTED]
    standing = world.ledger.standing("run-a", 1, 1)
    assert standing is not None
    assert standing.outcome is Outcome.REJECTED


def test_bytes_that_were_not_parsed_are_not_stored(world: World):
    world.open_run()
    mail = world.mail("approve").model_copy(update={"raw": b"other"})
    with pytest.raises(ValueError, match="other bytes"):
        world.judge(mail)


def test_a_reply_between_acceptance_and_our_commit_counts(world: World):
    world.start()
    world.propose()
    world.ask(sent=False)
    world.ledger.begin_sending("run-a", 1, 1, 0, at(0))
    assert world.answer("approve", minutes=1).outcome is Outcome.ACCEPTED
    assert world.ledger.begin_sending("run-a", 1, 1, 0, at(2)) is None


def test_a_reply_to_the_first_copy_counts_after_the_second_was_sent(world: World):
    world.start()
    world.propose()
    world.ask(sent=False)
    for minutes in (0, 3):
        world.ledger.begin_sending("run-a", 1, 1, 0, at(minutes))
    row = world.ledger.mark_accepted("run-a", 1, 1, 0, at(3), "250 ok")
    assert (row.opens_at, row.accepted_at) == (at(0), at(3))
    assert world.answer("approve", minutes=1).outcome is Outcome.ACCEPTED


@pytest.mark.parametrize("hostile", ["a\x00b@corp.example", "\ud800@corp.example", "x" * 5000 + "@corp.example"])
def test_hostile_ids_are_stored_and_told_apart(world: World, hostile: str):
    world.open_run()
    assert world.answer("unclear", message_id=hostile, comment=hostile).outcome is Outcome.UNCLEAR
    assert world.answer("approve", message_id=hostile).outcome is Outcome.COLLISION


@pytest.mark.parametrize("hostile", ["a\x00b", "\ud800", "x" * 5000, "%", "' OR 1=1 --"])
def test_hostile_ids_name_nothing(world: World, hostile: str):
    world.open_run()
    judgement = world.answer("approve", recipients=(hostile,), references=(hostile,), body_refs=(hostile,))
    assert judgement.outcome is Outcome.UNTOUCHED


def test_a_crowd_of_mails_reads_the_chain_of_its_run_once(world: World):
    world.open_run()
    asked: list[str] = []
    event.listen(world.ledger.engine, "before_cursor_execute", lambda *seen: asked.append(seen[2]))
    crowd = [world.mail("approve", "dora", authenticated=False) for _ in range(5)]
    world.ledger.judge_batch(crowd, world.policy, at(2))
    chain = [statement for statement in asked if "FROM audit" in statement]
    assert ["audit.kind IN" in statement for statement in chain] == [True]
