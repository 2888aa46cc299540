"""Probes over Dovecot: delivered by LMTP with its own clock, or put there with the receipt time of another one."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from imapclient import IMAPClient

from ledger.store import open_ledger
from mail.imap import ImapSettings, Mailbox
from tests.integration.clocked_room import ROOM, ClockedOffice
from tests.integration.dovecot import Dovecot, dovecot
from tests.integration.mail_pair import ANN, AUTHSERV_ID, MailPair, now
from tests.integration.mail_room import request
from wire.approval import Outcome
from wire.mail import Delivered


@dataclass
class DovecotPair(MailPair):
    """Dovecot, whose clock is this machine's; with ``clock_ahead`` mail is stored with the time of another one."""

    server: Dovecot = field(default=Dovecot(0, 0))

    def imap(self, user: str = "") -> ImapSettings:
        return self.server.imap()

    def send(self, raw: bytes, user: str = ANN, to: str = "") -> None:
        stamp = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from={user.rpartition('@')[2]}\r\n"
        self.store(stamp.encode() + raw, to, user)

    def store(self, raw: bytes, to: str, sender: str) -> None:
        if not self.clock_ahead:
            self.server.deliver(raw, to, sender)
            return
        stored: datetime = now() + timedelta(seconds=self.clock_ahead)
        with IMAPClient("127.0.0.1", self.server.imap_port, ssl=False) as client:
            client.login("approvals", "secret")
            client.append("INBOX", raw, msg_time=stored)


@dataclass
class DovecotOffice(ClockedOffice):
    """Whose mail goes into Dovecot."""

    def deliver(self, raw: bytes, sender: str, recipient: str) -> Delivered:
        assert isinstance(self.pair, DovecotPair)
        if recipient.startswith("approvals@"):
            self.pair.store(raw, recipient, sender)
        return Delivered(accepted_at=now().isoformat(), response="250 ok")


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


@pytest.fixture
def office(server: Dovecot, tmp_path: Path) -> Iterator[DovecotOffice]:
    mailbox = Mailbox(server.imap())
    mailbox.select()
    for uid in mailbox.uids_after(0):
        mailbox.remove(uid)
    mailbox.close()
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "e")
    yield DovecotOffice(DovecotPair(tmp_path, server=server), ledger, [request(f"run-{n}") for n in range(3)])
    ledger.dispose()


def answer(office: DovecotOffice, number: int, typed: str) -> None:
    asked = office.requests[number]
    head = f"From: Ann <{ANN}>\r\nTo: {asked.address}\r\nMessage-ID: <{number}.{typed}@corp.example>"
    office.pair.send(f"{head}\r\nSubject: Re: x\r\n\r\n{typed}\r\n".encode(), to=asked.address)


@pytest.mark.parametrize("waiting", [{"use_idle": True}, {"use_idle": False, "poll_seconds": 5.0}])
async def test_a_right_clock_is_measured_and_the_probe_removed(office: DovecotOffice, waiting: dict[str, Any]) -> None:
    async with office.room(**waiting):
        await office.until("clock_measured")
        await asyncio.to_thread(answer, office, 0, "APPROVE")
        assert (await office.next_signal())[0] == "run-0"
        await office.until("filed")
    mailbox = Mailbox(office.pair.imap())
    mailbox.select()
    left = mailbox.uids_after(0)
    mailbox.close()
    assert (office.ledger.clock(ROOM, office.policy(), now()).fault, left) == ("", [])


@pytest.mark.parametrize("ahead", [-300.0, 300.0])
async def test_a_wrong_clock_lets_no_yes_count_but_a_no(office: DovecotOffice, ahead: float) -> None:
    office.pair.clock_ahead = ahead
    async with office.room():
        await office.until("clock_measured")
        await asyncio.to_thread(answer, office, 0, "APPROVE")
        await asyncio.to_thread(answer, office, 1, "REJECT")
        assert (await office.next_signal())[0] == "run-1"
        await office.until("filed")
    assert [(m.outcome, m.check) for m in office.ledger.mails("run-0")] == [(Outcome.REFUSED, 7)]
