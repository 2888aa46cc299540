"""Mailroom processes that are killed, run twice, or meet a mailbox with new UIDs: the same end state, on both servers."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from evaluation.dovecot import DovecotMissing
from evaluation.mailroom.mails import mailbox_mails, reply
from evaluation.mailroom.running import Event, running_room
from evaluation.mailroom.servers import Server, dovecot_server, embedded_server
from evaluation.mailroom.world import open_requests, policy_over
from evaluation.reply_world import Request
from ledger.schema import OUTBOX
from ledger.schema_approval import DECISIONS, MAILS
from ledger.store import Ledger, open_ledger
from mail.imap import Mailbox
from tests.crash.dying_room import GAPS

STRANGERS = 40
DYING = "tests.crash.dying_room"

pytestmark = pytest.mark.crash


@dataclass
class Scene:
    """A mail server with replies to all open requests of a ledger, and the signals of all rooms so far."""

    server: Server
    ledger: Ledger
    url: str
    policy: Path
    asked: list[Request]
    signals: list[Event] = field(default_factory=list)

    def killed(self, gap: str) -> None:
        """A room that dies in ``gap``."""
        with running_room(self.server.imap, self.url, self.policy, "--die-at", gap, module=DYING) as room:
            room.process.wait(120)
            self.signals += room.of("signalled")

    def finish(self) -> None:
        """A room that does all that is left."""
        with running_room(self.server.imap, self.url, self.policy, "--lease-seconds", "1") as room:
            room.until(lambda _: self.settled(), "settled state", 120)
            room.stop()
            self.signals += room.of("signalled")

    def settled(self) -> bool:
        """Everything is read, filed and signalled."""
        read, filed = self.ledger.cursor("approvals"), self.ledger.cursor("approvals/filed")
        done = read is not None and read == filed and read.uid > 0
        return done and len(self.decided()) >= len(self.asked) and not self.ledger.pending_outbox("signal")

    def decided(self) -> list[str]:
        """The run of each decision row that says accepted."""
        with self.ledger.reading() as connection:
            query = select(DECISIONS.c.run_id).where(DECISIONS.c.outcome == "accepted")
            return list(connection.scalars(query))

    def rows(self) -> tuple[int, int]:
        """Judged mails, signals owed or sent."""
        with self.ledger.reading() as connection:
            mails = connection.scalar(select(func.count()).select_from(MAILS))
            signals = connection.scalar(select(func.count()).select_from(OUTBOX).where(OUTBOX.c.kind == "signal"))
        return int(mails or 0), int(signals or 0)

    def filed(self) -> Counter[str]:
        """How many mails each run's folder holds."""
        mailbox, found = Mailbox(self.server.imap), Counter[str]()
        for request in self.asked:
            if mailbox.folders.exists(["Runs", request.run_id]):
                mailbox.select(mailbox.folders.name(["Runs", request.run_id]))
                found[request.run_id] = len(mailbox.uids_after(0))
        mailbox.close()
        return found

    def inbox(self) -> tuple[int, int]:
        """Mails in the inbox, and those of them that are marked as seen."""
        mailbox = Mailbox(self.server.imap)
        mailbox.select()
        try:
            return len(mailbox.uids_after(0)), mailbox.count("SEEN")
        finally:
            mailbox.close()

    def check(self) -> None:
        """One effect for each reply, and nothing of strangers touched."""
        runs = Counter(request.run_id for request in self.asked)
        assert Counter(self.decided()) == runs
        assert self.rows() == (len(runs), len(runs))
        assert Counter(run for run, _ in {(said["run_id"], said["evidence_id"]) for said in self.signals}) == runs
        assert self.inbox() == (STRANGERS, 0)
        assert all(self.ledger.verify(run).intact and not self.ledger.blocks(run) for run in runs)


def scene(kind: str, folder: Path, count: int, stack: ExitStack) -> Scene:
    at = datetime.now(UTC)
    url = f"sqlite:///{folder / 'ledger.sqlite'}"
    ledger = open_ledger(url, random_epoch=lambda: "crash")
    stack.callback(ledger.dispose)
    asked = open_requests(ledger, count, at)
    policy = folder / "policy.json"
    policy.write_text(policy_over(asked, at).model_dump_json())
    mails = mailbox_mails(asked, STRANGERS, at, seed=5)
    try:
        running = dovecot_server(mails) if kind == "dovecot" else embedded_server(folder / "mail", mails)
        server = stack.enter_context(running)
    except DovecotMissing as missing:
        pytest.skip(str(missing))
    return Scene(server, ledger, url, policy, asked)


@pytest.fixture(params=["dovecot", "embedded"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        yield scene(request.param, tmp_path, 12, stack)


@pytest.mark.parametrize("gap", GAPS)
def test_killed_in_a_gap_and_run_again_is_as_if_nothing_had_been(small: Scene, gap: str) -> None:
    small.killed(gap)
    small.finish()
    small.check()
    # Copying and expunging are two commands: a room killed between them leaves a mail that is copied once more.
    assert set(small.filed()) == {request.run_id for request in small.asked}


def test_two_rooms_at_once_make_one_decision_and_one_signal_of_each_of_sixty_replies(tmp_path: Path) -> None:
    with ExitStack() as stack:
        both = scene("dovecot", tmp_path, 60, stack)
        rooms = [
            stack.enter_context(running_room(both.server.imap, both.url, both.policy, "--holder", "same"))
            for _ in range(2)
        ]
        rooms[0].until(lambda _: both.settled(), "settled state", 120)
        for room in rooms:
            room.stop()
            both.signals += room.of("signalled")
        both.check()
        assert set(both.filed()) == {request.run_id for request in both.asked}


def test_the_waiting_room_goes_on_when_the_active_one_is_killed(small: Scene) -> None:
    given = (small.server.imap, small.url, small.policy, "--lease-seconds", "2", "--holder")
    with running_room(*given, "one") as one:
        one.until(lambda r: bool(r.of("connected")), "connection")
        with running_room(*given, "two") as two:
            two.until(lambda r: bool(r.of("lease_waited_for")), "waiting for the lease")
            one.until(lambda _: small.settled(), "settled state", 120)
            one.kill()
            two.until(lambda r: bool(r.of("connected")), "connection of the second", 60)
            late = reply(small.asked[0], 999, datetime.now(UTC), stamped=not small.server.stamps)
            small.server.deliver(late, small.asked[0].approvers[0], small.asked[0].address)
            two.until(lambda r: bool(r.of("judged")), "judgement of a late reply", 60)
            assert two.of("judged")[-1]["run_id"] == small.asked[0].run_id


@pytest.mark.parametrize("kind", ["dovecot", "embedded"])
def test_a_mailbox_that_was_restored_with_new_uids_has_no_second_effect(kind: str, tmp_path: Path) -> None:
    with ExitStack() as first, ExitStack() as second:
        restored = scene(kind, tmp_path, 12, first)
        inbox = restored.server.maildir
        shutil.copytree(inbox / "cur", tmp_path / "backup")
        restored.finish()
        before = restored.ledger.cursor("approvals")
        if kind == "embedded":
            first.close()
        restore(inbox, tmp_path / "backup")
        if kind == "embedded":
            restored.server = second.enter_context(embedded_server(tmp_path / "mail", ()))
        with running_room(restored.server.imap, restored.url, restored.policy, "--lease-seconds", "1") as room:
            room.until(lambda _: restored.settled() and restored.ledger.cursor("approvals") != before, "second reading")
            room.stop()
        assert room.of("signalled") == []
        assert {said["outcome"] for said in room.of("judged")} == {"ignored"}
        restored.check()
        after = restored.ledger.cursor("approvals")
        assert before is not None
        assert after is not None
        assert before.uidvalidity != after.uidvalidity


def restore(inbox: Path, backup: Path) -> None:
    """The inbox as it was, for a server that knows nothing of it any more."""
    for file in [*inbox.glob("dovecot*"), *inbox.glob("uidvalidity"), *(inbox / "cur").iterdir()]:
        file.unlink()
    for file in backup.iterdir():
        shutil.copy2(file, inbox / "cur" / file.name)
        os.chown(inbox / "cur" / file.name, inbox.stat().st_uid, inbox.stat().st_gid)
