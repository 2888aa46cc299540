"""The mailroom's memory: who is active, how far the mailbox was read, and up to when."""

from datetime import datetime, timedelta

from sqlalchemy import insert, select, update

from ledger.schema import LEASES, MAILBOXES
from ledger.transactions import Store
from wire.base import Wire


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
