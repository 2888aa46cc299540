"""What a committed transaction still owes the world."""

import pytest

from ledger.errors import IdClash
from tests.unit.ledger.world import World, at, make_call, make_request
from wire.approval import MailContent, MessageType


def notice(world: World, message_id: str = "n1@agent.example") -> MailContent:
    mail = make_request("run-a", 1, 1, ("ann",), 1, make_call("1").digest, at(0)).mails[0]
    return mail.model_copy(update={"message_id": message_id, "message_type": MessageType.APPROVAL_REMINDER})


def test_a_mail_is_queued_once_by_its_key(world: World):
    world.open_run()
    assert world.ledger.add_mail("reminder", notice(world), at(1))
    assert not world.ledger.add_mail("reminder", notice(world), at(2))
    items = world.ledger.pending_outbox("mail")
    assert [MailContent.model_validate(item.payload) for item in items] == [notice(world)]


def test_a_mail_under_a_taken_message_id_is_refused(world: World):
    world.open_run()
    world.ledger.add_mail("reminder", notice(world), at(1))
    with pytest.raises(IdClash):
        world.ledger.add_mail("other", notice(world).model_copy(update={"step": 2}), at(2))
    assert len(world.ledger.pending_outbox("mail")) == 1


def test_done_items_are_owed_no_more(world: World):
    world.open_run()
    world.answer("approve")
    world.ledger.done(world.ledger.pending_outbox("signal")[0].id, at(6))
    assert world.ledger.pending_outbox("signal") == ()


def test_a_failing_item_holds_up_no_other(world: World):
    for run in ("run-a", "run-b"):
        world.open_run(run)
        world.answer("approve", run_id=run)
    world.ledger.failed(world.ledger.pending_outbox("signal")[0].id, "engine away", at(6))
    assert [(i.run_id, i.attempts) for i in world.ledger.pending_outbox("signal")] == [("run-b", 0), ("run-a", 1)]


def test_a_signal_carries_ids_and_nothing_else(world: World):
    world.open_run()
    evidence_id = world.answer("approve").evidence_id
    payload = world.ledger.pending_outbox("signal")[0].payload
    assert payload == {"run_id": "run-a", "step": 1, "review": 1, "evidence_id": evidence_id}
