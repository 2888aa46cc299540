"""Judged mails go to the folders of their runs, folders of runs long ended to the archive. A view for people: the ledger is the
evidence.

Done in short steps between polls, so that reading is never held up. Whatever a step leaves undone is done later: what was not
filed when a room ended is found by the next one (``resume``), and an archived folder is no longer listed.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from mail.errors import ImapRefused
from mail.imap import Mailbox
from mail.poll import Handled, Polled
from mail.ports import Progress
from wire.approval import Outcome

RUNS, REFUSED, ARCHIVE = "Runs", "Refused", "Archive"
FILED_A_STEP = 50
ARCHIVED_A_STEP = 5
"""A rename can take a server long that holds ten thousand folders, and a reply may arrive meanwhile."""
COPY_FROM = 8
"""From so many folders on, mails are copied and then removed by one command: taking one out of a large folder can cost as
much as taking out all (a Maildir is read anew each time)."""
LOOK_EVERY = timedelta(hours=1)


@dataclass(frozen=True)
class Tidied:
    """What one step did, and what the server refused."""

    filed: int = 0
    archived: int = 0
    problems: tuple[str, ...] = ()


@dataclass
class Filing:
    """What one connection has still to tidy. ``archive_after`` is counted from the end of a run; None: never. ``looked``: when
    folders were listed last, by this connection or one before: what breaks over the list must not do so at each connection."""

    progress: Progress
    name: str
    uidvalidity: int
    archive_after: timedelta | None
    looked: datetime | None = None
    _mails: deque[tuple[int, tuple[str, ...]]] = field(default_factory=deque)
    _probes: list[int] = field(default_factory=list)
    _read_to: int = 0
    _filed_to: int = 0
    _ended: deque[tuple[str, datetime]] = field(default_factory=deque)

    def resume(self, at: datetime) -> int:
        """The UID after which judged mails may still lie in the folder: all after it is read again, which changes nothing."""
        read, filed = self.progress.cursor(self.name), self.progress.cursor(self._key)
        if filed is not None and filed.uidvalidity == self.uidvalidity:
            self._filed_to = filed.uid
        else:
            self._filed_to = read.uid if read is not None and read.uidvalidity == self.uidvalidity else 0
            self.progress.save_cursor(self._key, self.uidvalidity, self._filed_to, at)
        return self._filed_to

    @property
    def _key(self) -> str:
        return f"{self.name}/filed"[-255:]

    def add(self, polled: Polled) -> None:
        """Queue what a poll has judged."""
        self._mails += [(item.uid, levels) for item in polled.handled if (levels := folder_of(item)) is not None]
        self._probes += polled.probes
        self._read_to = polled.last_uid

    @property
    def pending(self) -> bool:
        """Is there anything to do at once?"""
        return bool(self._mails or self._probes or self._ended)

    def step(self, mailbox: Mailbox, folder: str, at: datetime) -> Tidied:
        """Some of it. ``folder`` is the one that is read; it is selected before and after. Raises ImapUnreachable."""
        problems: list[str] = []
        if self._probes:
            problems += _refusal(lambda: mailbox.remove(*self._probes))
            self._probes.clear()
        few = [self._mails.popleft() for _ in range(min(FILED_A_STEP, len(self._mails)))]
        problems += file_away(mailbox, few)
        if not self._mails and self._filed_to < self._read_to:
            self._filed_to = self._read_to
            self.progress.save_cursor(self._key, self.uidvalidity, self._filed_to, at)
        if few:
            return Tidied(len(few), 0, tuple(problems))
        archived, refused = self._archive(mailbox, folder, at)
        return Tidied(0, archived, (*problems, *refused))

    def _archive(self, mailbox: Mailbox, folder: str, at: datetime) -> tuple[int, list[str]]:
        if self.archive_after is None:
            return 0, []
        if not self._ended and (self.looked is None or at - self.looked >= LOOK_EVERY):
            self.looked = at
            ended = self.progress.closed_runs(mailbox.folders.children([RUNS]), at - self.archive_after)
            self._ended += sorted(ended.items(), key=lambda run: (run[1], run[0]))
        few = [self._ended.popleft() for _ in range(min(ARCHIVED_A_STEP, len(self._ended)))]
        problems = [text for run_id, closed_at in few for text in archive(mailbox, run_id, closed_at, folder)]
        return len(few) - len(problems), problems


def folder_of(item: Handled) -> tuple[str, ...] | None:
    """Where a judged mail belongs; None where it stays."""
    run_id, outcome = item.judgement.run_id, item.judgement.repeats or item.judgement.outcome
    if run_id is None or outcome is Outcome.UNTOUCHED:
        return None
    return (RUNS, run_id, REFUSED) if outcome is Outcome.REFUSED else (RUNS, run_id)


def file_away(mailbox: Mailbox, mails: Iterable[tuple[int, tuple[str, ...]]]) -> list[str]:
    """Move mails to their folders; what the server refused. A mail that is gone is fine: another room was quicker."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for uid, levels in mails:
        groups.setdefault(levels, []).append(uid)
    # Gmail keeps one copy under several labels, and may throw it away when it is removed from one.
    copies = len(groups) >= COPY_FROM and mailbox.has("UIDPLUS") and not mailbox.has("X-GM-EXT-1")
    problems, copied = [], list[int]()
    for levels, uids in groups.items():
        try:
            if copies:
                mailbox.copy(uids, levels)
                copied += uids
            else:
                mailbox.move(uids, levels)
        except ImapRefused as error:
            problems.append(str(error))
    return [*problems, *(_refusal(lambda: mailbox.remove(*copied)) if copied else ())]


def archive(mailbox: Mailbox, run_id: str, closed_at: datetime, folder: str) -> list[str]:
    """Move the folder of an ended run, with what stands below it, to ``Archive/<year>-<month>``; what the server refused.

    Done before, by this room or another: nothing happens. Was a folder made anew by a late mail, its mails join the others.
    """
    source, target = (RUNS, run_id), (ARCHIVE, f"{closed_at.astimezone(UTC):%Y-%m}", run_id)
    folders = mailbox.folders
    try:
        if folders.rename(source, target) or not folders.exists(source):
            return []
        for levels in ((*source, REFUSED), source):
            if folders.exists(levels):
                _join(mailbox, levels, (*target, *levels[2:]), folder)
    except ImapRefused as error:
        return [str(error)]
    return []


def _join(mailbox: Mailbox, source: Sequence[str], target: Sequence[str], folder: str) -> None:
    """All mails of one folder into another; then the empty one is deleted. ``folder`` is selected again, whatever happens."""
    try:
        mailbox.select(mailbox.folders.name(source))
        uids = mailbox.uids_after(0)
        if uids:
            mailbox.move(uids, target)
    finally:
        mailbox.select(folder)
    mailbox.folders.delete(source)


def _refusal(act: Callable[[], None]) -> list[str]:
    try:
        act()
    except ImapRefused as error:
        return [str(error)]
    return []
