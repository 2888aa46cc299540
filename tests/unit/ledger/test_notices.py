"""Mails that a judgement owes: to whom, and at most how many."""

from tests.unit.ledger.world import World, notices, signals
from wire.approval import MessageType, Outcome


def test_one_clarification_per_request_whoever_answers(world: World):
    world.open_run(approvers=("ann", "bob"))
    for sender in ("ann", "ann", "bob"):
        world.answer("unclear", sender)
    assert notices(world, MessageType.CLARIFICATION_REQUEST) == ["ann@corp.example"]
    assert signals(world) == []


def test_one_refusal_notice_per_person_and_reason(world: World):
    world.open_run()
    world.ask(review=2, minutes=10)
    for _ in range(3):
        world.answer("approve", review=1, minutes=12)
    assert notices(world, MessageType.REFUSAL_NOTICE) == ["ann@corp.example"]


def test_an_unbelieved_reply_in_an_approvers_name_is_told_to_the_registered_address(world: World):
    world.open_run()
    for _ in range(3):
        world.answer("approve", authenticated=False)
    assert notices(world, MessageType.REFUSAL_NOTICE) == ["ann@corp.example"]
    assert notices(world, MessageType.OPERATOR_ALERT) == ["olga@corp.example"]


def test_strangers_get_no_mail_from_us(world: World):
    world.open_run()
    world.answer("approve", "stranger@evil.example")
    world.answer("approve", "stranger@evil.example", authenticated=False)
    assert world.ledger.pending_outbox("mail") == ()


def test_a_reply_to_a_notice_of_ours_finds_its_request(world: World):
    world.open_run()
    world.answer("unclear")
    notice = world.ledger.pending_outbox("mail")[0].payload
    judgement = world.answer("approve", recipients=(), body_refs=(), references=(notice["message_id"],))
    assert judgement.outcome is Outcome.ACCEPTED
