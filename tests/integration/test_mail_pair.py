"""Request, reply, judgement, signal over a real mail server: the mailroom from end to end."""

import asyncio
import signal
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from embedded.approver_client import wait_for
from ledger.store import open_ledger
from tests.integration.mail_pair import ANN, APPROVALS, MailPair, mail_pair, now
from tests.integration.mail_room import Office, request

STRANGER = b"From: Ann <ann@corp.example>\r\nTo: approvals@countersign.example\r\nSubject: lunch?\r\n\r\nAPPROVE\r\n"


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with mail_pair(tmp_path) as pair:
        ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "e")
        yield Office(pair, ledger, [request("run-a"), request("run-b")])
        ledger.dispose()


def answer(pair: MailPair, typed: str, run_id: str = "run-a", number: int = 1) -> None:
    """Ann reads her mail and replies."""
    with pair.approver() as ann:
        item = wait_for(ann, lambda mail: mail.run_id == run_id, 20)
        assert item is not None
        ann.answer(item, typed, at=now(), message_id=f"<{run_id}.{number}@corp.example>")


def in_folder(pair: MailPair, folder: str) -> int:
    mailbox = pair.mailbox()
    try:
        mailbox.select(folder)
        return len(mailbox.uids_after(0))
    finally:
        mailbox.close()


async def test_reply_becomes_one_signal_that_names_its_evidence(office):
    office.ask()
    async with office.room():
        await asyncio.to_thread(answer, office.pair, "APPROVE\n\nThanks")
        run_id, payload = await office.next_signal()
        await office.until("signal_sent")
    assert run_id == "run-a"
    decision = office.ledger.decision("run-a", 1, 0, payload["evidence_id"])
    assert decision is not None
    assert (decision.outcome, decision.person) == ("accepted", ANN)


@pytest.mark.parametrize(("typed", "outcome"), [("Genehmigt", "accepted"), ("reject\n\ntoo dear", "rejected")])
async def test_outcome_of_what_was_typed(office, typed, outcome):
    office.ask()
    async with office.room():
        await asyncio.to_thread(answer, office.pair, typed)
        _, payload = await office.next_signal()
    decision = office.ledger.decision("run-a", 1, 0, payload["evidence_id"])
    assert decision is not None
    assert decision.outcome == outcome


async def test_unclear_reply_gets_one_clarification(office):
    office.ask()
    async with office.room():
        await asyncio.to_thread(answer, office.pair, "Sure, why not")
        await office.until("mail_sent")
    with office.pair.approver() as ann:
        item = wait_for(ann, lambda mail: mail.message_type == "clarification_request", 20)
    assert item is not None
    assert item.mail.run_id == "run-a"
    assert office.signals.empty()


async def test_judged_mail_is_filed_and_strangers_mail_is_not_touched(office):
    office.pair.send(STRANGER)
    office.ask()
    async with office.room():
        await asyncio.to_thread(answer, office.pair, "APPROVE")
        await office.until("filed")
    assert in_folder(office.pair, "Runs/run-a") == 1
    mailbox = office.pair.mailbox()
    assert mailbox.flags(mailbox.uids_after(0)[0]) == ()
    mailbox.close()


async def test_poll_only_path(office):
    office.ask()
    async with office.room(use_idle=False, poll_seconds=0.1):
        await asyncio.to_thread(answer, office.pair, "APPROVE")
        run_id, _ = await office.next_signal()
    assert run_id == "run-a"


async def test_room_outlives_a_kill_of_the_mail_server(office):
    office.ask()
    async with office.room():
        await asyncio.to_thread(office.pair.end, signal.SIGKILL)
        await office.until("mailbox_failed")
        await asyncio.to_thread(office.pair.start)
        await asyncio.to_thread(answer, office.pair, "APPROVE")
        run_id, _ = await office.next_signal()
    assert run_id == "run-a"


async def test_signal_that_failed_is_sent_again(office):
    office.ask()
    failures = iter([ConnectionError("engine is down")])

    async def flaky(run_id, payload):
        error = next(failures, None)
        if error is not None:
            raise error
        await office.signal(run_id, payload)

    async with office.room(signal=flaky):
        await asyncio.to_thread(answer, office.pair, "APPROVE")
        run_id, _ = await office.next_signal()
    assert run_id == "run-a"
    assert "signal_failed" in [event for event, _ in office.events]


async def test_reply_that_came_while_no_room_ran_is_read_by_the_next(office):
    office.ask()
    async with office.room():
        pass
    await asyncio.to_thread(answer, office.pair, "APPROVE", "run-b")
    async with office.room():
        run_id, _ = await office.next_signal()
    assert run_id == "run-b"


async def test_two_rooms_at_once_judge_once(office):
    office.ask()
    async with office.room(holder="same"), office.room(holder="same"):
        await asyncio.to_thread(answer, office.pair, "APPROVE")
        await office.until("signal_sent")
    judged = [facts["outcome"] for event, facts in office.events if event == "judged"]
    assert judged.count("accepted") == 1
    assert set(judged) <= {"accepted", "ignored"}


async def test_second_room_waits_for_the_lease(office):
    async with office.room(holder="one"):
        assert not office.ledger.acquire_lease("mailroom", "two", timedelta(seconds=5), now())
    assert office.ledger.acquire_lease("mailroom", "two", timedelta(seconds=5), now())


async def test_forged_reply_is_refused_and_filed_below_the_run(office):
    head = f"From: Ann <{ANN}>\r\nTo: {office.requests[0].address}\r\nMessage-ID: <f@evil.example>\r\n"
    forged = f"{head}Subject: Re\r\n\r\nAPPROVE\r\n".encode()
    async with office.room():
        office.pair.send(forged, user="mallory@evil.example", to=office.requests[0].address)
        await office.until("judged")
    [facts] = [facts for event, facts in office.events if event == "judged"]
    assert (facts["outcome"], facts["check"]) == ("refused", 2)
    assert office.signals.empty()


async def test_everything_read_is_remembered(office):
    async with office.room():
        office.pair.send(STRANGER)
        office.pair.send(STRANGER, to=APPROVALS)
    cursor = office.ledger.cursor("approvals")
    assert cursor is not None
    assert office.ledger.read_past("approvals") is not None
