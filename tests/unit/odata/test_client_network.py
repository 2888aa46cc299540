"""The client on real sockets and in its log: proxy, time limits, language, and no secret in any line."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID

import httpx
import pytest

from odata.auth import BasicAuth, ClientCredentials
from odata.client import ODataClient
from odata.errors import NoAnswer, NotSent, OutcomeUnknown
from tests.unit.odata.approval import approved
from wire.call import PreparedRequest

ROOT = "http://erp.test/srv"
READ = PreparedRequest(method="GET", service="S", path="Orders")
WRITE = approved(PreparedRequest(method="POST", service="S", path="Orders"))
ANSWER = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"value":[]}'
Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handle) -> AsyncIterator[int]:
    done: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await handle(reader, writer)
        writer.close()
        await writer.wait_closed()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        done.append(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])
    await asyncio.gather(*done)


async def write(one: ODataClient) -> None:
    await one.execute(WRITE, repeatability_id=UUID(int=1), first_sent=datetime(2026, 1, 31, tzinfo=UTC))


async def test_requests_go_through_the_proxy_and_no_other() -> None:
    asked: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n", 1)[0])
        writer.write(ANSWER)
        await writer.drain()

    async with listening(proxy) as port, ODataClient(ROOT, "S", "4.0", proxy=f"http://127.0.0.1:{port}") as one:
        assert (await one.read(READ)).data == []
    assert asked == [b"GET http://erp.test/srv/Orders HTTP/1.1"]


async def test_a_proxy_that_is_not_there_means_not_sent() -> None:
    async with ODataClient(ROOT, "S", "4.0", proxy="http://127.0.0.1:9", csrf=False) as one:
        with pytest.raises(NotSent):
            await write(one)


async def test_silence_ends_a_read_without_and_a_write_with_doubt() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with listening(silent) as port:
        one = ODataClient(f"http://127.0.0.1:{port}/", "S", "4.0", timeout=0.05, csrf=False)
        with pytest.raises(NoAnswer, match="no answer in time"):
            await one.read(READ)
        with pytest.raises(OutcomeUnknown, match="no answer in time"):
            await write(one)
        await one.aclose()


async def test_client_and_language_go_with_every_request() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        token = {"x-csrf-token": "t"} if "x-csrf-token" in request.headers else {}
        return httpx.Response(200, headers=token, json={"d": {"results": []}})

    transport = httpx.MockTransport(handler)
    one = ODataClient("https://erp.test/srv", "S", "2.0", transport=transport, sap_client="100", language="de")
    await one.read(READ)
    await write(one)
    await one.metadata_since(None)
    told = {(r.url.params["sap-client"], r.headers["accept-language"], r.headers["sap-language"]) for r in seen}
    assert (told, len(seen)) == ({("100", "de", "de")}, 4)


async def test_no_secret_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            return httpx.Response(200, json={"access_token": "secret-token", "expires_in": 60})
        headers = {"x-csrf-token": "secret-csrf", "set-cookie": "SID=secret-cookie"}
        return httpx.Response(200, headers=headers, json={"value": []})

    caplog.set_level(logging.DEBUG)
    for auth in (BasicAuth("clerk", "secret-word"), ClientCredentials("https://id.test/token", "id", "secret-word")):
        one = ODataClient(
            "https://erp.test/srv",
            "S",
            "4.0",
            transport=httpx.MockTransport(handler),
            auth=auth,
            headers={"apikey": "secret-key"},
        )
        await one.read(READ)
        await write(one)
        assert "secret" not in f"{one!r} {auth!r} {vars(one)!r}"
    assert "secret" not in caplog.text
