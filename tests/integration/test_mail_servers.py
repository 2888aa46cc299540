"""One mailroom, many servers: without IDLE, MOVE, UIDPLUS or NAMESPACE, with either separator, with prefixes, in any script."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ledger.store import open_ledger
from mail.errors import ImapLoginRefused
from mail.imap import Mailbox
from tests.integration.dovecot import dovecot
from tests.integration.imap_proxy import imap_proxy
from tests.integration.mail_room import request as open_request
from tests.integration.test_mail_dovecot import DovecotPair
from tests.integration.test_mail_link import Crossing, answered


def capability(names: str) -> str:
    return f"imap_capability = IMAP4rev1 {names}\n"


def namespace(separator: str, prefix: str) -> str:
    return f"namespace inbox {{\n  separator = {separator}\n  prefix = {prefix}\n}}\n"


SERVERS = {
    "nothing but IMAP4rev1": (capability(""), "Runs.run-0"),
    "no MOVE": (capability("IDLE UIDPLUS NAMESPACE"), "Runs.run-0"),
    "no UIDPLUS": (capability("IDLE MOVE"), "Runs.run-0"),
    "no IDLE": (capability("MOVE UIDPLUS"), "Runs.run-0"),
    "slash": (namespace("/", ""), "Runs/run-0"),
    "below INBOX, dots": (namespace(".", "INBOX."), "INBOX.Runs.run-0"),
    "below INBOX, slashes": (namespace("/", "INBOX/"), "INBOX/Runs/run-0"),
    "umlauts and ampersand": (namespace("/", "Büro & Post/"), "Büro & Post/Runs/run-0"),
    "Japanese": (namespace("/", "日本/"), "日本/Runs/run-0"),
}


@contextmanager
def crossing(extra: str, folder: Path) -> Iterator[Crossing]:
    ledger = open_ledger(f"sqlite:///{folder / 'ledger.sqlite'}", random_epoch=lambda: "e")
    with dovecot(extra) as server, imap_proxy(server.imap_port) as proxy:
        pair = DovecotPair(folder, imap_port=server.imap_port, server=server)
        yield Crossing(pair, ledger, [open_request("run-0"), open_request("run-1")], proxy=proxy)
    ledger.dispose()


def left(office: Crossing, folder: str) -> list[tuple[str, ...]]:
    """The flags of each message in a folder."""
    mailbox = Mailbox(office.pair.imap())
    mailbox.select(folder)
    found = [tuple(f for f in mailbox.flags(uid) if f != "\\Recent") for uid in mailbox.uids_after(0)]
    mailbox.close()
    return found


@pytest.mark.parametrize("name", SERVERS)
async def test_reply_is_signalled_and_filed(tmp_path: Path, name: str) -> None:
    extra, folder = SERVERS[name]
    offered = extra.split() if "capability" in extra else ["IDLE", "MOVE", "UIDPLUS"]
    with crossing(extra, tmp_path) as office:
        async with office.room(poll_seconds=0.1):
            await answered(office, 0)
            await office.until("filed")
        assert (left(office, folder), [f for name, f in office.events if name == "move_failed"]) == ([()], [])
        # Nothing is used that was not offered.
        assert [
            word for word in ("IDLE", "MOVE") if word not in offered and office.proxy.count(f" {word}".encode())
        ] == []


SECOND_PASSWORD = """
passdb {
  driver = static
  args = password=grün
}
"""


@pytest.mark.parametrize(("mechanisms", "said"), [("plain", ""), ("login", "ASCII only here")])
def test_password_beyond_ascii(mechanisms: str, said: str) -> None:
    with dovecot(f"auth_mechanisms = {mechanisms}\ndisable_plaintext_auth = no\n{SECOND_PASSWORD}") as server:
        account = replace(server.imap(), password="grün")
        if not said:
            Mailbox(account).close()
            assert "method=PLAIN" in (server.run / "dovecot.log").read_text()
            return
        with pytest.raises(ImapLoginRefused, match=said) as caught:
            Mailbox(account)
        assert "ü" not in str(caught.value)


async def test_without_uidplus_nothing_is_expunged(tmp_path: Path) -> None:
    with crossing(capability("IDLE"), tmp_path) as office:
        async with office.room():
            await answered(office, 0)
            await office.until("filed")
        assert left(office, "INBOX") == [("\\Deleted",)]
        assert (office.proxy.count(b"EXPUNGE"), left(office, "Runs.run-0")) == (0, [()])


async def test_commands_that_some_servers_never_answer_are_not_sent(tmp_path: Path) -> None:
    """Office 365 hangs on a quoted name with ``&-`` and refuses SEARCH in parentheses (docs/approval-mail.md)."""
    with crossing("", tmp_path) as office:
        async with office.room():
            await answered(office, 0)
            await office.until("filed")
        said = bytes(office.proxy.asked).decode()
    assert re.findall(r"SEARCH[^\r]*\([^\r]*", said) == []
    assert "&" not in said
