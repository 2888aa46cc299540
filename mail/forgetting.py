"""Runs whose retention has ended: the ledger erases them, and their folders go from the mailbox with every mail in them.

Short steps between polls, as with filing. What a step could not do is owed until it is done: the ledger remembers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from mail.errors import ImapRefused
from mail.filing import ARCHIVE, REFUSED, RUNS
from mail.imap import Mailbox

LOOK_EVERY = timedelta(hours=1)
A_STEP = 10


class Retention(Protocol):
    """What the ledger does about it. Each run is one transaction."""

    def erase_due(self, at: datetime, limit: int) -> int:
        """Erase up to ``limit`` runs that are due; how many were."""

    def folders_to_erase(self, limit: int) -> Sequence[tuple[str, datetime]]:
        """Erased runs whose mails may still be in the mailbox, with when they had closed."""

    def folders_erased(self, run_id: str, at: datetime) -> None:
        """The mailbox holds nothing of the run any more."""


@dataclass(frozen=True)
class Forgotten:
    """What one step did, and what the server refused."""

    erased: int = 0
    folders: int = 0
    problems: tuple[str, ...] = ()


@dataclass
class Forgetting:
    """Looks once an hour, and goes on at once while there is something to do."""

    retention: Retention
    pending: bool = False
    _looked: datetime | None = field(default=None)

    def step(self, mailbox: Mailbox, folder: str, at: datetime) -> Forgotten:
        """Some of it. ``folder`` is the one that is read; it is selected before and after. Raises ImapUnreachable."""
        if self._looked is not None and at - self._looked < LOOK_EVERY:
            self.pending = False
            return Forgotten()
        erased = self.retention.erase_due(at, A_STEP)
        owed = self.retention.folders_to_erase(A_STEP)
        problems: list[str] = []
        for run_id, closed_at in owed:
            refused = forget_run(mailbox, run_id, closed_at, folder)
            problems += refused
            if not refused:
                self.retention.folders_erased(run_id, at)
        self.pending = bool(erased or owed) and not problems
        if not self.pending:
            # Nothing left, or a server that refuses: asked again in an hour.
            self._looked = at
        return Forgotten(erased, len(owed) - len(problems), tuple(problems))


def forget_run(mailbox: Mailbox, run_id: str, closed_at: datetime, folder: str) -> list[str]:
    """Delete the run's folders and every mail in them, in the archive too; what the server refused. Again: nothing happens."""
    archived = (ARCHIVE, f"{closed_at.astimezone(UTC):%Y-%m}", run_id)
    try:
        for place in ((RUNS, run_id), archived):
            for levels in ((*place, REFUSED), place):
                if mailbox.folders.exists(levels):
                    _empty_and_delete(mailbox, levels, folder)
    except ImapRefused as error:
        return [str(error)]
    return []


def _empty_and_delete(mailbox: Mailbox, levels: Sequence[str], folder: str) -> None:
    """Mails first: some servers keep the mails of a folder that is deleted. ``folder`` is selected again, whatever happens."""
    try:
        mailbox.select(mailbox.folders.name(levels))
        uids = mailbox.uids_after(0)
        if uids:
            mailbox.remove(*uids)
    finally:
        mailbox.select(folder)
    mailbox.folders.delete(levels)
