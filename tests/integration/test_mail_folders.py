"""Folders of runs on both servers: filed, archived after their time, joined when a late mail made one anew."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ledger.mailroom import Cursor
from mail.filing import FILED_A_STEP, Filing, file_away
from mail.imap import ImapSettings, Mailbox
from tests.integration.dovecot import dovecot
from tests.integration.mail_pair import mail_pair

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LONG_AGO = datetime(2026, 9, 3, 8, 0, tzinfo=UTC)
MONTH = timedelta(days=30)


@dataclass
class Memory:
    """The ledger's part: cursors, and when runs ended."""

    closed: dict[str, datetime] = field(default_factory=dict)
    cursors: dict[str, Cursor] = field(default_factory=dict)

    def closed_runs(self, run_ids: Collection[str], before: datetime) -> dict[str, datetime]:
        return {run: at for run, at in self.closed.items() if run in run_ids and at < before}

    def cursor(self, name: str) -> Cursor | None:
        return self.cursors.get(name)

    def save_cursor(self, name: str, uidvalidity: int, uid: int, at: datetime) -> None:
        self.cursors[name] = Cursor(uidvalidity=uidvalidity, uid=uid)


DOVECOTS = {"dovecot": "", "prefixed": "namespace inbox {\n  separator = /\n  prefix = INBOX/\n}\n"}


@pytest.fixture(scope="module", params=["embedded", *DOVECOTS])
def account(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ImapSettings]:
    if request.param in DOVECOTS:
        with dovecot(DOVECOTS[request.param]) as server:
            yield server.imap()
    else:
        with mail_pair(tmp_path_factory.mktemp("mail")) as pair:
            yield pair.imap()


@pytest.fixture
def mailbox(account: ImapSettings) -> Iterator[Mailbox]:
    opened = Mailbox(account)
    opened.select()
    yield opened
    opened.close()


def put(mailbox: Mailbox, *levels: str, count: int = 1) -> None:
    """Mails filed under ``levels``."""
    before = max(mailbox.uids_after(0), default=0)
    for number in range(count):
        mailbox.append("INBOX", f"Subject: {number}\r\n\r\nx\r\n".encode())
    mailbox.noop()
    mailbox.move(mailbox.uids_after(before), levels)


def held(account: ImapSettings, *levels: str) -> int | None:
    """How many mails a folder holds, None when there is none; seen from a connection of its own."""
    other = Mailbox(account)
    try:
        if not other.folders.exists(levels):
            return None
        other.select(other.folders.name(levels))
        return len(other.uids_after(0))
    finally:
        other.close()


def tidy(mailbox: Mailbox, memory: Any, after: timedelta | None = MONTH) -> list[str]:
    """All that is due now; what went wrong."""
    filing = Filing(memory, "box", 7, after)
    problems = list(filing.step(mailbox, "INBOX", NOON).problems)
    while filing.pending:
        problems += filing.step(mailbox, "INBOX", NOON).problems
    return problems


def test_folders_of_runs_that_ended_long_ago_are_archived_with_what_stands_below(
    mailbox: Mailbox, account: Any
) -> None:
    for run in ("old", "new", "open"):
        put(mailbox, "Runs", run)
    put(mailbox, "Runs", "old", "Refused", count=2)
    assert tidy(mailbox, Memory({"old": LONG_AGO, "new": NOON - timedelta(days=3)})) == []
    assert [held(account, "Archive", "2026-09", "old", *below) for below in ((), ("Refused",))] == [1, 2]
    assert [held(account, "Runs", run) for run in ("old", "new", "open")] == [None, 1, 1]


def test_a_late_mail_joins_its_archived_folder(mailbox: Mailbox, account: Any) -> None:
    memory = Memory({"late": LONG_AGO})
    for _ in range(2):
        put(mailbox, "Runs", "late")
        put(mailbox, "Runs", "late", "Refused")
        assert tidy(mailbox, memory) == []
    assert held(account, "Archive", "2026-09", "late") == 2
    assert held(account, "Archive", "2026-09", "late", "Refused") == 2
    assert held(account, "Runs", "late") is None
    assert mailbox.select().uidvalidity > 0


def test_two_rooms_archive_at_once(mailbox: Mailbox, account: Any) -> None:
    runs = {f"both-{number}": LONG_AGO for number in range(30)}
    for run in runs:
        put(mailbox, "Runs", run)
    other = Mailbox(account)
    other.select()
    rooms = [(mailbox, Filing(Memory(runs), "box", 7, MONTH)), (other, Filing(Memory(runs), "box", 7, MONTH))]
    problems = [p for _ in range(8) for box, filing in rooms for p in filing.step(box, "INBOX", NOON).problems]
    other.close()
    assert problems == []
    assert [held(account, "Archive", "2026-09", run) for run in runs] == [1] * 30


def test_nothing_is_archived_where_the_policy_says_never(mailbox: Mailbox, account: Any) -> None:
    put(mailbox, "Runs", "kept")
    assert tidy(mailbox, Memory({"kept": LONG_AGO}), None) == []
    assert held(account, "Runs", "kept") == 1


def test_a_folder_that_another_room_archived_is_made_again(mailbox: Mailbox, account: Any) -> None:
    put(mailbox, "Runs", "moved")
    other = Mailbox(account)
    assert other.folders.rename(["Runs", "moved"], ["Archive", "2026-09", "moved"])
    other.close()
    put(mailbox, "Runs", "moved")
    assert held(account, "Runs", "moved") == 1


def test_many_mails_for_many_folders_leave_the_inbox_together(mailbox: Mailbox, account: Any) -> None:
    before = mailbox.uids_after(0)
    for number in range(12):
        mailbox.append("INBOX", f"Subject: {number}\r\n\r\nx\r\n".encode())
    mailbox.noop()
    uids = [uid for uid in mailbox.uids_after(0) if uid not in before]
    assert file_away(mailbox, [(uid, ("Runs", f"many-{number % 10}")) for number, uid in enumerate(uids[:11])]) == []
    assert [held(account, "Runs", f"many-{number}") for number in range(10)] == [2, *[1] * 9]
    assert mailbox.uids_after(0) == [*before, uids[11]]
    assert mailbox.flags(uids[11]) == ("\\Recent",)


def test_what_a_room_had_not_filed_when_it_ended_is_read_again_by_the_next(mailbox: Mailbox) -> None:
    memory = Memory()
    assert Filing(memory, "box", 7, None).resume(NOON) == 0
    memory.save_cursor("box", 7, 40, NOON)
    assert Filing(memory, "box", 7, None).resume(NOON) == 0
    memory.save_cursor("box/filed", 7, 40, NOON)
    assert Filing(memory, "box", 7, None).resume(NOON) == 40
    assert Filing(memory, "box", 8, None).resume(NOON) == 0
    assert FILED_A_STEP > 0
