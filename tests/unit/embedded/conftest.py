"""A running application in process: two small services of our own (ORDERS in V2, LIBRARY in V4)."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from embedded.odata_service.app import create_app
from embedded.odata_service.config import Ambient, Config
from embedded.odata_service.store import Store

METADATA = Path(__file__).parent / "metadata"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Start = Callable[..., httpx.AsyncClient]


def fixed_ambient() -> Ambient:
    guids, tokens = count(1), count(1)
    return Ambient(lambda: NOW, lambda: str(UUID(int=next(guids))), lambda: f"token{next(tokens)}")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    codes = tmp_path / "codes.csv"
    codes.write_text(
        "service_file,entity_type,property,code,text\nORDERS.edmx,Order,OrderType,OR,Standard\n"
        "ORDERS.edmx,Order,OrderType,RO,Rush\n"
    )
    required = tmp_path / "required.csv"
    required.write_text(
        "service_file,entity_set,property,why,unless\nORDERS.edmx,Orders,Customer,expert,OrderType=RO !Blocked&Discount\n"
    )
    return Config((METADATA,), tmp_path / "state.sqlite", (codes,), (required,), require_csrf=False)


@pytest.fixture
async def start(config: Config) -> AsyncIterator[Start]:
    """Starts the application with changed settings; `start(csrf=...)`. Calling it again is a restart."""
    opened: list[tuple[httpx.AsyncClient, Store]] = []

    def run(**changes: Any) -> httpx.AsyncClient:
        app = create_app(replace(config, **changes), ambient=fixed_ambient())
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://svc")
        opened.append((client, app.state.store))
        return client

    yield run
    for client, store in opened:
        await client.aclose()
        store.close()


@pytest.fixture
def client(start: Start) -> httpx.AsyncClient:
    return start()
