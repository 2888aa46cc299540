"""Ledgers to test on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.store import Ledger, open_ledger
from tests.unit.ledger.databases import KINDS, empty_database
from tests.unit.ledger.world import World


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    """An open, empty ledger."""
    opened = open_ledger(empty_database(request.param), random_epoch=lambda: "epoch-1")
    yield opened
    opened.dispose()


@pytest.fixture(params=KINDS)
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database that several connections can open."""
    return empty_database(request.param, tmp_path)


@pytest.fixture
def world(ledger: Ledger) -> World:
    """The world of ``tests.unit.ledger.world`` on an empty ledger."""
    return World(ledger)
