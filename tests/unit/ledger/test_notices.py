"""Mails that a judgement owes: to whom, and at most how many."""

import pytest

from ledger.judging import IncomingMail
from ledger.notices import _template
from mail.reply_parser import parse_reply
from tests.unit.ledger.world import World, at, make_request, notices, opaque, signals
from wire.approval import MailContent, MessageType, Outcome
from wire.mail import Authenticity
from wire.policy import Person


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


def waiting_note(world: World, sender: str) -> str:
    world.answer("approve", sender, review=1, minutes=12)
    (item,) = [i for i in world.ledger.pending_outbox("mail") if i.payload["message_type"] == "refusal_notice"]
    return str(item.payload["note"])


def test_whoever_answered_an_older_request_hears_what_waits_now(world: World):
    world.open_run()
    world.ask(review=2, minutes=10)
    note = waiting_note(world, "ann")
    assert "step 1, review 2, “Create order”, until 2026-03-02 13:10 UTC" in note
    assert "please answer it" in note


def test_whoever_is_asked_no_more_hears_who_is(world: World):
    world.open_run()
    world.ask(review=2, minutes=10, approvers=("bob",))
    assert "of Bob. You are no longer asked" in waiting_note(world, "ann")


def test_with_nothing_waiting_that_is_said(world: World):
    world.open_run()
    world.ledger.ask_again("run-a", "reissue", "olga", "again", {}, at(4))
    assert "Nothing of this run waits" in waiting_note(world, "ann")


def test_forgeries_that_differ_only_in_what_they_quote_are_one_reason(world: World):
    world.open_run()
    for number in range(20):
        mail = world.mail("approve", authenticated=False)
        proof = mail.authenticity.model_copy(update={"reason": f"signed by d{number}.example"})
        world.judge(mail.model_copy(update={"authenticity": proof}))
    assert notices(world, MessageType.REFUSAL_NOTICE) == ["ann@corp.example"]
    assert notices(world, MessageType.OPERATOR_ALERT) == ["olga@corp.example"]


AWAY = (
    "From: ann@corp.example\r\nTo: approvals+{ref}@agent.example\r\nSubject: Automatic reply: x\r\n"
    "Message-ID: <{n}@corp.example>\r\n{field}\r\nAPPROVE\r\n\r\nI am away until Monday. Ticket {n}.\r\n"
)


@pytest.mark.parametrize(("field", "most"), [("Auto-Submitted: auto-replied\r\n", 0), ("", 0), ("undetected", 1)])
def test_fifty_automatic_answers_to_a_fresh_review_bring_at_most_one_mail(world: World, field: str, most: int):
    world.open_run()
    world.ask(review=2, minutes=10)
    owed = len(world.ledger.pending_outbox("mail"))
    text = AWAY.replace("Automatic reply: x", "Re: x").replace("APPROVE", "Hello,") if field == "undetected" else AWAY
    for number in range(50):
        raw = text.format(ref=opaque("run-a", 1, 2), n=number, field=field.replace("undetected", "")).encode()
        parsed = parse_reply(raw, languages=["en"], own_addresses=["approvals@agent.example"])
        proof = Authenticity(authenticated=True, address="ann@corp.example")
        world.judge(IncomingMail(raw=raw, parsed=parsed, authenticity=proof, received_at=at(11)))
    assert len(world.ledger.pending_outbox("mail")) - owed == most
    assert signals(world) == []


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


def test_a_notice_is_in_the_language_of_the_mail_that_it_repeats():
    ann = Person(id="ann", name="Ann", addresses=("a@x.example",), language="en")
    olga = Person(id="olga", name="Olga", addresses=("o@x.example",), language="fr")
    german, french = (_sent(language) for language in ("de", "fr"))
    assert _template({"ann": german, "bob": french}, ann) is german
    assert _template({"ann": german, "bob": french}, olga) is french
    assert _template({"ann": german}, olga).language == "de"


def _sent(language: str) -> MailContent:
    new = make_request("run-a", 1, 1, ("ann",), 1, "d" * 64, at(0))
    return new.mails[0].model_copy(update={"language": language})
