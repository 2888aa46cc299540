"""The mail server's clock, measured by probes over real servers whose clocks are right, wrong, and mended."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from ledger.store import open_ledger
from tests.integration.clocked_room import ROOM, ClockedOffice
from tests.integration.mail_pair import APPROVALS, MailPair, mail_pair, now
from tests.integration.mail_room import request
from wire.approval import Outcome


@contextmanager
def office_of(state: Path, ahead: float) -> Iterator[ClockedOffice]:
    with mail_pair(state, ahead) as pair:
        ledger = open_ledger(f"sqlite:///{state / 'ledger.sqlite'}", random_epoch=lambda: "e")
        yield ClockedOffice(pair, ledger, [request(f"run-{n}") for n in range(3)])
        ledger.dispose()


def answer(office: ClockedOffice, number: int, typed: str = "APPROVE") -> None:
    asked = office.requests[number]
    head = f"From: Ann <ann@corp.example>\r\nTo: {asked.address}\r\nMessage-ID: <{number}.{typed}@corp.example>"
    office.pair.send(f"{head}\r\nSubject: Re: x\r\n\r\n{typed}\r\n".encode(), to=asked.address)


def left_in_the_inbox(pair: MailPair) -> int:
    mailbox = pair.mailbox(APPROVALS)
    try:
        return len(mailbox.uids_after(0))
    finally:
        mailbox.close()


@pytest.mark.parametrize("waiting", [{"use_idle": True}, {"use_idle": False, "poll_seconds": 10.0}])
async def test_a_right_clock_is_measured_at_the_start_and_the_probe_removed(tmp_path: Path, waiting: dict[str, object]):
    with office_of(tmp_path, 0.0) as office:
        async with office.room(**waiting):
            await office.until("clock_measured")
            await asyncio.to_thread(answer, office, 0)
            assert (await office.next_signal())[0] == "run-0"
            await office.until("filed")
        clock = office.ledger.clock(ROOM, office.policy(), now())
        assert (clock.fault, left_in_the_inbox(office.pair)) == ("", 0)


@pytest.mark.parametrize("ahead", [-90.0, 90.0, 7200.0])
async def test_beyond_the_bound_no_yes_counts_but_a_no_does(tmp_path: Path, ahead: float):
    with office_of(tmp_path, ahead) as office:
        async with office.room():
            await office.until("clock_measured")
            await asyncio.to_thread(answer, office, 0)
            await asyncio.to_thread(answer, office, 1, "REJECT")
            assert (await office.next_signal())[0] == "run-1"
            await office.until("filed")
        judged = {mail.run_id: (mail.outcome, mail.check) for mail in office.ledger.mails("run-0")}
        assert judged == {"run-0": (Outcome.REFUSED, 7)}
        assert office.signals.empty()


async def test_once_the_clock_is_mended_who_was_kept_back_is_asked_and_may_answer(tmp_path: Path):
    with office_of(tmp_path, 90.0) as office:
        async with office.room():
            await office.until("clock_measured")
            await asyncio.to_thread(answer, office, 0)
            await office.until("filed")
        await asyncio.to_thread(office.pair.end)
        office.pair.clock_ahead = 0.0
        await asyncio.to_thread(office.pair.start)
        async with office.room():
            await office.until("clock_measured")
            await office.until("mail_sent")
            await asyncio.to_thread(answer, office, 0, "APPROVE.")
            assert (await office.next_signal())[0] == "run-0"


async def test_a_skew_within_the_bound_narrows_the_window(tmp_path: Path):
    with office_of(tmp_path, -20.0) as office:
        office.requests = [*office.requests, request("run-3", deadline=now() + timedelta(seconds=15))]
        office.__post_init__()
        async with office.room():
            await office.until("clock_measured")
            await asyncio.to_thread(answer, office, 3)
            await office.until("filed")
        assert [mail.outcome for mail in office.ledger.mails("run-3")] == [Outcome.LATE]


async def test_a_reply_that_came_before_the_first_probe_is_judged_after_it(tmp_path: Path):
    with office_of(tmp_path, 0.0) as office:
        await asyncio.to_thread(answer, office, 0)
        async with office.room():
            assert (await office.next_signal())[0] == "run-0"
        assert [mail.outcome for mail in office.ledger.mails("run-0")] == [Outcome.ACCEPTED]


async def test_a_mail_server_that_takes_no_probe_holds_up_no_rejection(tmp_path: Path):
    with office_of(tmp_path, 0.0) as office:
        await asyncio.to_thread(answer, office, 0, "REJECT")
        office.pair.smtp_port = 1
        async with office.room():
            assert (await office.next_signal())[0] == "run-0"
