"""Reviews: recorded before they are sent, in force one at a time."""

import pytest

from ledger.errors import DigestConflict, GateRefused, IdClash, IntentOpen, RunClosed
from tests.unit.ledger.world import World, at, make_call, make_request
from wire.approval import RequestStatus
from wire.task import RunState


def test_the_same_review_again_is_returned_as_it_stands(world: World):
    world.open_run()
    sent = world.ledger.requests("run-a")
    new = make_request("run-a", 1, 1, ("ann",), 1, make_call("1").digest, at(9))
    assert (world.ledger.create_request(new, at(9)),) == sent


def test_the_same_review_with_another_call_halts(world: World):
    world.open_run()
    with pytest.raises(DigestConflict):
        world.ask(order="2")
    assert world.ledger.run("run-a").state is RunState.HALTED


@pytest.mark.parametrize("clash", [{"message_id": "req.taken.0@agent.example"}, {"ref": "taken"}, {"ref": "TAKEN"}])
def test_an_id_of_another_run_halts_before_anything_is_sent(world: World, clash: dict[str, str]):
    world.open_run("run-b", ref="taken")
    world.start()
    world.propose()
    with pytest.raises(IdClash):
        world.ask(**clash)
    assert world.ledger.requests("run-a") == ()
    assert world.ledger.run("run-a").state is RunState.HALTED
    assert world.ledger.run("run-b").state is not RunState.HALTED


def test_a_newer_review_supersedes_the_older(world: World):
    world.open_run()
    world.ask(review=2)
    assert [(r.status, r.is_live) for r in world.ledger.requests("run-a")] == [
        (RequestStatus.SUPERSEDED, False),
        (RequestStatus.SENT, True),
    ]


def test_a_review_is_sent_when_every_copy_was_taken(world: World):
    world.start()
    world.propose()
    world.ask(approvers=("ann", "bob"), sent=False)
    first = world.ledger.mark_accepted("run-a", 1, 1, 0, at(1), "250 ok")
    last = world.ledger.mark_accepted("run-a", 1, 1, 1, at(2), "250 ok")
    assert (first.status, last.status) == (RequestStatus.COMPOSED, RequestStatus.SENT)
    assert last.accepted_at == at(1)


def test_a_copy_that_fails_leaves_the_rest_sent(world: World):
    world.start()
    world.propose()
    world.ask(approvers=("ann", "bob"), sent=False)
    world.ledger.mark_accepted("run-a", 1, 1, 0, at(1), "250 ok")
    assert world.ledger.mark_undeliverable("run-a", 1, 1, 1, "550 no such user", at(2)).status is RequestStatus.SENT


def test_too_few_addressees_for_the_quorum_are_undeliverable(world: World):
    world.start()
    world.propose()
    world.ask(approvers=("ann", "bob"), quorum=2, sent=False)
    row = world.ledger.mark_undeliverable("run-a", 1, 1, 1, "550 no such user", at(2))
    assert (row.status, row.is_live) == (RequestStatus.UNDELIVERABLE, False)


def test_copies_are_counted(world: World):
    world.open_run()
    world.ledger.begin_sending("run-a", 1, 1, 0, at(1))
    row = world.ledger.mark_accepted("run-a", 1, 1, 0, at(1), "250 ok")
    assert (row.mails[0].attempts, row.mails[0].copies) == (2, 2)


def test_the_content_of_a_copy_is_the_recorded_one(world: World):
    world.start()
    world.propose()
    world.ask(sent=False)
    content = world.ledger.begin_sending("run-a", 1, 1, 0, at(1))
    assert content == make_request("run-a", 1, 1, ("ann",), 1, make_call("1").digest, at(0)).mails[0]


def test_a_withdrawn_review_is_sent_no_more(world: World):
    world.open_run()
    assert world.ledger.withdraw("run-a", 1, 1, "too late", at(1))
    assert world.ledger.begin_sending("run-a", 1, 1, 0, at(2)) is None


def test_a_blocked_step_takes_no_request(world: World):
    world.open_run()
    world.answer("reject")
    with pytest.raises(GateRefused, match="rejected"):
        world.ask(review=2)


def test_no_review_while_a_write_has_no_outcome(world: World):
    world.open_run()
    world.answer("approve")
    world.dispatch()
    with pytest.raises(IntentOpen):
        world.ask(review=2)
    assert not world.ledger.withdraw("run-a", 1, 1, "late", at(7))


def test_a_closed_run_takes_no_request(world: World):
    world.start()
    world.propose()
    world.ledger.close("run-a", RunState.CANCELLED, "", at(1))
    with pytest.raises(RunClosed):
        world.ask()


def test_mails_must_fit_their_request(world: World):
    world.start()
    world.propose()
    new = make_request("run-a", 1, 1, ("ann", "bob"), 1, make_call("1").digest, at(0))
    with pytest.raises(ValueError, match="do not fit"):
        world.ledger.create_request(new.model_copy(update={"mails": new.mails[:1]}), at(0))
