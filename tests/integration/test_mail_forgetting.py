"""Erased runs leave no mail in the mailbox: their folders go, wherever they stand, and other runs' stay. On both servers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from mail.forgetting import LOOK_EVERY, Forgetting, forget_run
from mail.imap import ImapSettings, Mailbox
from tests.integration.dovecot import dovecot
from tests.integration.mail_pair import mail_pair

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CLOSED = datetime(2026, 9, 3, 8, 0, tzinfo=UTC)


@dataclass
class Memory:
    """The ledger's part."""

    due: int = 0
    owed: dict[str, datetime] = field(default_factory=dict)

    def erase_due(self, at: datetime, limit: int) -> int:
        done, self.due = min(self.due, limit), max(self.due - limit, 0)
        return done

    def folders_to_erase(self, limit: int) -> list[tuple[str, datetime]]:
        return list(self.owed.items())[:limit]

    def folders_erased(self, run_id: str, at: datetime) -> None:
        del self.owed[run_id]


@pytest.fixture(scope="module", params=["embedded", "dovecot"])
def account(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ImapSettings]:
    if request.param == "dovecot":
        with dovecot() as server:
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


def put(mailbox: Mailbox, *levels: str) -> None:
    """Two mails filed under ``levels``."""
    before = max(mailbox.uids_after(0), default=0)
    for number in range(2):
        mailbox.append("INBOX", f"Subject: {number}\r\n\r\nx\r\n".encode())
    mailbox.noop()
    mailbox.move(mailbox.uids_after(before), levels)


@pytest.mark.parametrize("place", [("Runs",), ("Archive", "2026-09")])
def test_folders_of_the_run_go_with_their_mails_and_no_others(mailbox: Mailbox, place: tuple[str, ...]):
    run, other = f"run-gone-{place[0].lower()}", f"run-stays-{place[0].lower()}"
    for levels in ((*place, run), (*place, run, "Refused"), (*place, other)):
        put(mailbox, *levels)
    assert forget_run(mailbox, run, CLOSED, "INBOX") == []
    assert forget_run(mailbox, run, CLOSED, "INBOX") == []
    assert mailbox.folders.children(list(place)) == [other]
    forget_run(mailbox, other, CLOSED, "INBOX")


def test_steps_until_nothing_is_owed_and_then_not_for_an_hour(mailbox: Mailbox):
    memory = Memory(due=15, owed={f"run-owed-{number:02}": CLOSED for number in range(12)})
    put(mailbox, "Runs", "run-owed-03")
    forgetting, steps = Forgetting(memory), 0
    while steps == 0 or forgetting.pending:
        forgetting.step(mailbox, "INBOX", NOON)
        steps += 1
    assert (memory.due, memory.owed, mailbox.folders.exists(("Runs", "run-owed-03"))) == (0, {}, False)
    memory.due = 1
    assert forgetting.step(mailbox, "INBOX", NOON + LOOK_EVERY - timedelta(seconds=1)).erased == 0
    assert forgetting.step(mailbox, "INBOX", NOON + LOOK_EVERY).erased == 1
