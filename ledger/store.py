"""The ledger: everything that must outlive a process, behind one object."""

from collections.abc import Callable

from sqlalchemy import Connection, insert, inspect, select, text

from ledger.clocks import Clocks
from ledger.columns import HEAD
from ledger.content import Contents
from ledger.dispatch import Dispatch
from ledger.erasure import Erasure
from ledger.evidence import Evidence
from ledger.mailroom import Mailroom
from ledger.operator_acts import OperatorActs
from ledger.outbox import Outbox
from ledger.refused import Refused
from ledger.requests import Requests
from ledger.runs import Runs
from ledger.schema import META
from ledger.settling import Settling
from ledger.steps import Steps
from ledger.transactions import make_engine
from ledger.verification import AuditTrail

MIGRATION_LOCK = 0x436F756E
"""PostgreSQL advisory lock under which one process at a time migrates."""


class Ledger(
    Contents,
    Runs,
    Steps,
    Requests,
    Evidence,
    Dispatch,
    Outbox,
    Mailroom,
    Clocks,
    OperatorActs,
    Refused,
    AuditTrail,
    Erasure,
    Settling,
):
    """All stages of a run in one database. Synchronous: asyncio callers use threads. Safe over processes and threads."""

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_ledger(url: str, *, random_epoch: Callable[[], str]) -> Ledger:
    """Open the ledger at a SQLAlchemy URL, migrating it to the newest schema.

    ``random_epoch`` gives an unguessable text: once in the life of a ledger for its epoch, which mail ids cover, so that a new
    ledger never matches old mail; and once for each run, as the salt of what its chain may have to forget.
    """
    ledger = Ledger(make_engine(url), random_epoch)
    with ledger.reading() as connection:
        ready = _is_at_head(connection)
    if not ready:
        with ledger.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            _prepare(connection, random_epoch)
    return ledger


def _is_at_head(connection: Connection) -> bool:
    # Alembic is imported only when there is something to migrate: short commands start faster.
    if not inspect(connection).has_table("alembic_version"):
        return False
    return bool(connection.scalar(text("SELECT version_num FROM alembic_version")) == HEAD)


def _prepare(connection: Connection, random_epoch: Callable[[], str]) -> None:
    from ledger.migrations import upgrade

    upgrade(connection)
    if connection.scalar(select(META.c.epoch)) is None:
        connection.execute(insert(META).values(id=1, epoch=random_epoch()))
