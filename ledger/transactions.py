"""Transactions that mean the same on SQLite and PostgreSQL.

A writing transaction is alone from its first statement: ``BEGIN IMMEDIATE`` on SQLite; elsewhere row locks in one fixed order
(``meta`` when ids of several runs are at stake, then the run rows sorted), so that two processes cannot deadlock.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from threading import RLock, local

from sqlalchemy import Connection, Engine, create_engine, event, select
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from ledger.schema import META, RUNS

BUSY_MILLISECONDS = 30_000
JOURNAL_MILLISECONDS = 1_000
"""How long emptying the write-ahead log waits for readers, and writers for it."""


class Store:
    """An open database. Stage classes add their methods to it."""

    def __init__(self, engine: Engine, random_key: Callable[[], str]) -> None:
        self.engine = engine
        self.random_key = random_key
        self.in_force = ""
        """The policy version that whoever opened the ledger read last: every event that states none of its own records it."""
        self._is_sqlite = engine.dialect.name == "sqlite"
        # One in-memory database is one connection: threads take turns.
        self._turn: RLock | nullcontext[None] = RLock() if isinstance(engine.pool, StaticPool) else nullcontext()
        self._joint = local()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A consistent view."""
        joint = self._joined()
        if joint is not None:
            yield joint.connection
            return
        with self._turn, self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *run_ids: str, across_runs: bool = False, alone: bool = False) -> Iterator[Connection]:
        """A writing transaction that holds ``run_ids`` (and, with ``across_runs``, every id that must be unique over runs).

        ``alone``: raises after it committed something, so that it must not be part of a larger transaction.
        """
        joint = self._joined()
        if joint is not None:
            joint.check(run_ids, across_runs, alone)
            yield joint.connection
            return
        options = {"ledger_writes": True, "policy_version": self.in_force}
        with self._turn, self.engine.connect().execution_options(**options) as connection, connection.begin():
            if across_runs and not self._is_sqlite:
                connection.execute(select(META.c.id).with_for_update())
            lock_runs(connection, run_ids)
            yield connection

    def empty_journal(self) -> None:
        """Take what was overwritten out of SQLite's write-ahead log, too: it stays there while any process is connected.

        Where somebody is reading just now, or within a larger transaction, it stays until the next call.
        """
        if not self._is_sqlite or self._joined() is not None:
            return
        with self._turn, self.engine.connect() as connection:
            cursor = connection.connection.cursor()
            try:
                cursor.execute(f"PRAGMA busy_timeout = {JOURNAL_MILLISECONDS}")
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                cursor.fetchall()
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
                cursor.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What this thread reads inside is one consistent view; writing inside is an error."""
        with self.reading() as connection, self._join(_Joint(connection, frozenset(), False, False)):
            yield

    @contextmanager
    def jointly(self, *run_ids: str, across_runs: bool = False) -> Iterator[None]:
        """What this thread reads and writes inside is one transaction: all of it stands, or nothing."""
        held = self.writing(*run_ids, across_runs=across_runs)
        with held as connection, self._join(_Joint(connection, frozenset(run_ids), across_runs, True)):
            yield

    @contextmanager
    def _join(self, joint: "_Joint") -> Iterator[None]:
        before, self._joint.now = self._joined(), joint
        try:
            yield
        finally:
            self._joint.now = before

    def _joined(self) -> "_Joint | None":
        return getattr(self._joint, "now", None)


@dataclass(frozen=True)
class _Joint:
    """The transaction that a thread's stage methods share, and what it holds."""

    connection: Connection
    run_ids: frozenset[str]
    across_runs: bool
    writes: bool

    def check(self, run_ids: tuple[str, ...], across_runs: bool, alone: bool) -> None:
        """Locks taken later could deadlock, so everything that is written must be held from the start."""
        if alone or not self.writes or not self.run_ids.issuperset(run_ids) or across_runs > self.across_runs:
            raise RuntimeError(f"this ledger transaction does not hold what is to be written ({run_ids})")


def lock_runs(connection: Connection, run_ids: tuple[str, ...]) -> None:
    """Lock run rows in sorted order; SQLite holds the whole file already."""
    if connection.dialect.name != "sqlite" and run_ids:
        connection.execute(
            select(RUNS.c.run_id).where(RUNS.c.run_id.in_(run_ids)).order_by(RUNS.c.run_id).with_for_update()
        )


def make_engine(url: str) -> Engine:
    """An engine with the pragmas that the ledger stands on."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed)
    shared = {"check_same_thread": False}
    in_memory = parsed.database in (None, "", ":memory:")
    engine = create_engine(parsed, poolclass=StaticPool, connect_args=shared) if in_memory else create_engine(parsed)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # The driver's own transaction handling would start read transactions that cannot be upgraded under load.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # What is erased is overwritten in the file, too.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("ledger_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
