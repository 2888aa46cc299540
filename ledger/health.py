"""What an operator wants to know of a ledger before trusting it: reads only, migrates and creates nothing."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, func, inspect, select, text

from ledger.schema import LEASES, OUTBOX, RUNS
from ledger.transactions import Store, make_engine


@dataclass(frozen=True)
class Backlog:
    """Items of one kind that the outbox still owes: how many, since when, and what the most tried one last failed with."""

    count: int
    oldest_at: datetime | None
    error: str


@dataclass(frozen=True)
class Lease:
    """Who is active, until when unless renewed."""

    holder: str
    expires_at: datetime


def revision_of(url: str) -> str | None:
    """The migration that the database at ``url`` stands at; None when it holds no ledger. Raises what SQLAlchemy raises."""
    engine: Engine = make_engine(url)
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
            return found
    finally:
        engine.dispose()


def backlog_of(ledger: Store, kind: str) -> Backlog:
    """What the outbox owes of ``kind`` (signal or mail)."""
    owed = (OUTBOX.c.kind == kind, OUTBOX.c.done_at.is_(None))
    with ledger.reading() as connection:
        count, oldest = connection.execute(select(func.count(), func.min(OUTBOX.c.at)).where(*owed)).one()
        tried = select(OUTBOX.c.error).where(*owed, OUTBOX.c.attempts > 0).order_by(OUTBOX.c.attempts.desc())
        error = connection.scalar(tried.limit(1))
    return Backlog(int(count), oldest, error or "")


def lease_of(ledger: Store, name: str) -> Lease | None:
    """Who holds a lease; None when nobody ever did."""
    query = select(LEASES.c.holder, LEASES.c.expires_at).where(LEASES.c.name == name)
    with ledger.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else Lease(row.holder, row.expires_at)


def newest_runs(ledger: Store, count: int) -> tuple[str, ...]:
    """Ids of the runs that changed last."""
    query = select(RUNS.c.run_id).order_by(RUNS.c.state_at.desc()).limit(count)
    with ledger.reading() as connection:
        return tuple(connection.scalars(query))
