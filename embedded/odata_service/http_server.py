"""uvicorn around the application: says when it is ready, and can cut a connection without an answer."""

from __future__ import annotations

import asyncio
import signal
import socket
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol


class Connections:
    """Open connections by the client's address."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], asyncio.Transport] = {}

    def opened(self, transport: asyncio.Transport) -> None:
        self._open[self._peer(transport)] = transport

    def closed(self, transport: asyncio.Transport) -> None:
        self._open.pop(self._peer(transport), None)

    @staticmethod
    def _peer(transport: asyncio.Transport) -> tuple[str, int]:
        host, port = transport.get_extra_info("peername")[:2]
        return str(host), int(port)

    def drop(self, scope: Scope) -> None:
        transport = self._open.get(tuple(scope["client"]))
        if transport is not None:
            transport.abort()


def _protocol(connections: Connections) -> type[asyncio.Protocol]:
    class TrackedProtocol(H11Protocol):
        """h11 protocol that keeps `connections` up to date."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            self._tracked = transport
            connections.opened(transport)
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            connections.closed(self._tracked)
            super().connection_lost(exc)

    return TrackedProtocol


class _AnnouncingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announcement: str) -> None:
        super().__init__(config)
        self._announcement = announcement

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        print(self._announcement, flush=True)


def _leave(signum: int, frame: FrameType | None) -> None:
    """uvicorn raises the signal again after its shutdown; being asked to stop is no failure."""
    raise SystemExit(0)


def serve(app: ASGIApp, listener: socket.socket, connections: Connections, announcement: str) -> None:
    """Serves until SIGINT or SIGTERM; prints `announcement` once when requests are taken."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    config = uvicorn.Config(
        app,
        http=_protocol(connections),
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=5,
    )
    _AnnouncingServer(config, announcement).run(sockets=[listener])
