"""Transactions that mean the same on SQLite and PostgreSQL.

A writing transaction is alone from its first statement: ``BEGIN IMMEDIATE`` on SQLite; elsewhere row locks in one fixed order
(``meta`` when ids of several runs are at stake, then the run rows sorted), so that two processes cannot deadlock.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import RLock

from sqlalchemy import Connection, Engine, create_engine, event, select
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from ledger.schema import META, RUNS

BUSY_MILLISECONDS = 30_000


class Store:
    """An open database. Stage classes add their methods to it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"
        # One in-memory database is one connection: threads take turns.
        self._turn: RLock | nullcontext[None] = RLock() if isinstance(engine.pool, StaticPool) else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A consistent view."""
        with self._turn, self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *run_ids: str, across_runs: bool = False) -> Iterator[Connection]:
        """A writing transaction that holds ``run_ids`` (and, with ``across_runs``, every id that must be unique over runs)."""
        with self._turn, self.engine.connect().execution_options(ledger_writes=True) as connection, connection.begin():
            if across_runs and not self._is_sqlite:
                connection.execute(select(META.c.id).with_for_update())
            lock_runs(connection, run_ids)
            yield connection


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
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("ledger_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
