"""ASGI application around `Server`: reads the request, waits out injected delays, writes the reply."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from embedded.odata_service.catalogue import Catalogue, load_catalogue
from embedded.odata_service.config import Ambient, Config
from embedded.odata_service.errors import ODataError
from embedded.odata_service.faults import fault_reply
from embedded.odata_service.messages import Reply, Request, error_reply
from embedded.odata_service.server import Server
from embedded.odata_service.store import Store

Drop = Callable[[Scope], None]
"""Cuts the connection of a request without an answer."""


class ConnectionDropped(Exception):
    """Raised to the ASGI caller in place of an answer when no real connection can be cut (tests)."""


def real_ambient() -> Ambient:
    return Ambient(lambda: datetime.now(UTC), lambda: str(uuid.uuid4()), lambda: secrets.token_urlsafe(24))


def _drop_by_exception(scope: Scope) -> None:
    raise ConnectionDropped(str(scope.get("path")))


class _Gateway:
    """The one ASGI endpoint. Requests are handled one after the other: `Server.handle` never waits."""

    def __init__(self, server: Server, drop: Drop) -> None:
        self._server = server
        self._drop = drop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = await _read_request(scope, receive)
        try:
            fault = self._server.take_fault(request)
        except ODataError as error:
            await _send_reply(error_reply(error, v4=True), request.method, send)
            return
        if fault is not None and fault.kind == "latency":
            await asyncio.sleep(fault.seconds)
        if fault is not None and fault.kind == "lost_request":
            await self._cut(scope, receive)
            return
        reply = fault_reply(fault) if fault is not None else None
        if reply is None:
            reply = self._server.handle(request, fault)
        if fault is not None and fault.kind == "lost_response":
            await self._cut(scope, receive)
            return
        await _send_reply(reply, request.method, send)

    async def _cut(self, scope: Scope, receive: Receive) -> None:
        self._drop(scope)
        await receive()  # http.disconnect: the server then knows that no answer will come


async def _read_request(scope: Scope, receive: Receive) -> Request:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    raw_path = scope.get("raw_path") or scope["path"].encode()
    host = headers.get("host") or "localhost"
    return Request(
        scope["method"],
        raw_path.decode("ascii", "replace"),
        scope["query_string"].decode("ascii", "replace"),
        headers,
        bytes(body),
        f"{scope['scheme']}://{host}",
    )


async def _send_reply(reply: Reply, method: str, send: Send) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in reply.headers.items()]
    if reply.status not in (204, 304):
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else reply.body})


def create_app(
    config: Config,
    *,
    ambient: Ambient | None = None,
    catalogue: Catalogue | None = None,
    drop: Drop = _drop_by_exception,
) -> Starlette:
    """The application; `app.state.server` is its `Server`. Raises StartError when it cannot be built."""
    found = catalogue or load_catalogue(config.metadata)
    store = Store(config.state)
    try:
        server = Server(config, found, store, ambient or real_ambient())
    except BaseException:
        store.close()
        raise

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        store.close()

    app = Starlette(routes=[Route("/{path:path}", _Gateway(server, drop))], lifespan=lifespan)
    app.state.server = server
    app.state.store = store
    return app
