"""The mailroom's memory: who is active, how far the mailbox was read, and up to when."""

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import insert, select, update

from ledger import audit
from ledger.lookup import ours_among
from ledger.outbox import add_signal
from ledger.schema import LEASES, MAILBOXES, RUNS
from ledger.transactions import Store
from wire.base import Wire
from wire.task import RunState

MOST_AT_ONCE = 500
"""Values of one IN list: databases bound how many a statement may hold."""


class Cursor(Wire):
    """The last UID whose mail is judged, valid under this UIDVALIDITY only."""

    uidvalidity: int
    uid: int


class Mailroom(Store):
    """Lease, cursor and read-past instant."""

    def acquire_lease(self, name: str, holder: str, ttl: timedelta, at: datetime) -> bool:
        """Take or renew the lease; False while another holder's has not run out."""
        with self.writing(across_runs=True) as connection:
            row = connection.execute(select(LEASES).where(LEASES.c.name == name)).one_or_none()
            if row is None:
                connection.execute(insert(LEASES).values(name=name, holder=holder, expires_at=at + ttl))
                return True
            if row.holder != holder and row.expires_at > at:
                return False
            values = {"holder": holder, "expires_at": at + ttl}
            connection.execute(update(LEASES).where(LEASES.c.name == name).values(**values))
            return True

    def release_lease(self, name: str, holder: str, at: datetime) -> None:
        """Give the lease back at once; another holder's stays."""
        with self.writing() as connection:
            mine = (LEASES.c.name == name, LEASES.c.holder == holder)
            connection.execute(update(LEASES).where(*mine).values(expires_at=at))

    def cursor(self, mailbox: str) -> Cursor | None:
        """Where to go on; None for a mailbox never read."""
        query = select(MAILBOXES.c.uidvalidity, MAILBOXES.c.uid).where(MAILBOXES.c.mailbox == mailbox)
        with self.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Cursor(uidvalidity=row.uidvalidity, uid=row.uid)

    def save_cursor(self, mailbox: str, uidvalidity: int, uid: int, at: datetime) -> None:
        """Go forward. Under the same UIDVALIDITY a smaller UID is ignored; a new UIDVALIDITY starts over."""
        with self.writing(across_runs=True) as connection:
            row = connection.execute(select(MAILBOXES).where(MAILBOXES.c.mailbox == mailbox)).one_or_none()
            values = {"uidvalidity": uidvalidity, "uid": uid, "at": at}
            if row is None:
                connection.execute(insert(MAILBOXES).values(mailbox=mailbox, **values))
            elif row.uidvalidity != uidvalidity or row.uid < uid:
                connection.execute(update(MAILBOXES).where(MAILBOXES.c.mailbox == mailbox).values(**values))

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> frozenset[str]:
        """Which of these are Message-IDs and reply addresses of ours."""
        with self.reading() as connection:
            return ours_among(connection, message_ids, addresses)

    def closed_runs(self, run_ids: Collection[str], before: datetime) -> dict[str, datetime]:
        """Those of ``run_ids`` that ended before an instant, with when they did."""
        names, found = list(run_ids), dict[str, datetime]()
        with self.reading() as connection:
            for start in range(0, len(names), MOST_AT_ONCE):
                here = RUNS.c.run_id.in_(names[start : start + MOST_AT_ONCE])
                query = select(RUNS.c.run_id, RUNS.c.closed_at).where(here, RUNS.c.closed_at < before)
                found |= {run_id: closed_at for run_id, closed_at in connection.execute(query) if closed_at is not None}
        return found

    def read_past(self, mailbox: str) -> datetime | None:
        """Every mail that our server received before this instant has been judged."""
        query = select(MAILBOXES.c.read_past).where(MAILBOXES.c.mailbox == mailbox)
        with self.reading() as connection:
            return connection.scalar(query)

    def save_read_past(self, mailbox: str, instant: datetime, at: datetime) -> None:
        """Move the read-past instant forward, never back. The cursor of the mailbox must have been saved before."""
        with self.writing(across_runs=True) as connection:
            here = MAILBOXES.c.mailbox == mailbox
            older = MAILBOXES.c.read_past.is_(None) | (MAILBOXES.c.read_past < instant)
            connection.execute(update(MAILBOXES).where(here, older).values(read_past=instant, at=at))

    def wake_undeliverable(self, policy_version: str, at: datetime) -> tuple[str, ...]:
        """Have runs that parked because nobody could be asked look again under this policy; each once for each version."""
        with self.reading() as connection:
            parked = connection.scalars(select(RUNS.c.run_id).where(RUNS.c.state == RunState.UNDELIVERABLE.value)).all()
        return tuple(run_id for run_id in parked if self._wake(run_id, policy_version, at))

    def _wake(self, run_id: str, policy_version: str, at: datetime) -> bool:
        with self.writing(run_id) as connection:
            woken = add_signal(connection, run_id, 0, 0, f"policy-{policy_version}", at)
            if woken:
                audit.append(connection, run_id, "policy_noticed", at, {"policy_version": policy_version})
            return woken
