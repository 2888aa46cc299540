"""The mailroom over Dovecot: other separator, other IDLE, other races than the embedded server."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ledger.store import open_ledger
from mail.imap import ImapSettings, Mailbox
from tests.integration.dovecot import Dovecot, dovecot
from tests.integration.mail_pair import ANN, AUTHSERV_ID, MailPair
from tests.integration.mail_room import Office, request


@dataclass
class DovecotPair(MailPair):
    """Dovecot in the place of the embedded server; the test is the MTA that writes Authentication-Results."""

    server: Dovecot = field(default=Dovecot(0, 0))

    def imap(self, user: str = "") -> ImapSettings:
        """The approvals mailbox."""
        return self.server.imap()

    def send(self, raw: bytes, user: str = ANN, to: str = "") -> None:
        """Deliver as the receiving MTA."""
        domain = user.rpartition("@")[2]
        stamp = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from={domain}\r\n"
        self.server.deliver(stamp.encode() + raw, to, user)


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


@pytest.fixture
def office(server: Dovecot, tmp_path: Path) -> Iterator[Office]:
    mailbox = Mailbox(server.imap())
    mailbox.select()
    for uid in mailbox.uids_after(0):
        mailbox.move([uid], ["Old"])
    mailbox.close()
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "e")
    yield Office(DovecotPair(tmp_path, server=server), ledger, [request(f"run-{n}") for n in range(20)])
    ledger.dispose()


def reply(office: Office, number: int, typed: str = "APPROVE") -> tuple[bytes, str]:
    asked = office.requests[number]
    head = f"From: Ann <{ANN}>\r\nTo: {asked.address}\r\nIn-Reply-To: {asked.message_id}\r\nMessage-ID: <{number}@corp.example>"
    return f"{head}\r\nSubject: Re: x\r\n\r\n{typed}\r\n".encode(), asked.address


def send(office: Office, number: int) -> None:
    raw, to = reply(office, number)
    office.pair.send(raw, to=to)


async def signalled(office: Office, count: int) -> list[str]:
    return [(await office.next_signal())[0] for _ in range(count)]


@pytest.mark.parametrize("waiting", [{"use_idle": True}, {"use_idle": False, "poll_seconds": 0.1}])
async def test_reply_becomes_a_signal_and_is_filed(office: Office, waiting: dict[str, Any]) -> None:
    async with office.room(**waiting):
        await asyncio.to_thread(send, office, 1)
        assert await signalled(office, 1) == ["run-1"]
        await office.until("filed")
    mailbox = Mailbox(office.pair.imap())
    mailbox.select(f"Runs{mailbox.delimiter()}run-1")
    assert mailbox.delimiter() == "."
    assert len(mailbox.uids_after(0)) >= 1
    mailbox.close()


async def test_twenty_replies_and_two_rooms_are_twenty_decisions(office: Office) -> None:
    async with office.room(holder="same"), office.room(holder="same"):
        for number in range(20):
            await asyncio.to_thread(send, office, number)
        seen: set[str] = set()
        while len(seen) < 20:
            seen.add((await office.next_signal())[0])
    judged = [facts for event, facts in office.events if event == "judged" and facts["outcome"] == "accepted"]
    assert sorted(facts["run_id"] for facts in judged) == sorted(asked.run_id for asked in office.requests)
