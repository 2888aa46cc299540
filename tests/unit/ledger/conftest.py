"""Ledgers to test on: SQLite in memory, and PostgreSQL as well when COUNTERSIGN_TEST_POSTGRES names a server."""

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from ledger.store import Ledger, open_ledger
from tests.unit.ledger.world import World

SERVER = os.environ.get("COUNTERSIGN_TEST_POSTGRES")


def _fresh_database() -> str:
    name = f"ledger_{uuid4().hex}"
    engine = create_engine(SERVER or "", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return make_url(SERVER or "").set(database=name).render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgresql"] if SERVER else ["sqlite"])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database."""
    return "sqlite://" if request.param == "sqlite" else _fresh_database()


@pytest.fixture(params=["sqlite", "postgresql"] if SERVER else ["sqlite"])
def shared_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An empty database that several processes can open."""
    if request.param == "postgresql":
        return _fresh_database()
    return f"sqlite:///{tmp_path_factory.mktemp('ledger') / 'ledger.db'}"


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    """An open, empty ledger."""
    opened = open_ledger(url, random_epoch=lambda: "epoch-1")
    yield opened
    opened.dispose()


@pytest.fixture
def world(ledger: Ledger) -> World:
    """The world of ``tests.unit.ledger.world`` on an empty ledger."""
    return World(ledger)
