"""The load generator of the bench: whole requests, kept connections, and no error taken for an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil
import pytest

from evaluation.bench.http_load import answer_to, load, request_bytes

GET = request_bytes("GET", "/x", {"host": "h"})


@asynccontextmanager
async def server(status: str) -> AsyncIterator[tuple[int, list[bytes]]]:
    """Answers every request on a kept connection; gives its port and what was asked."""
    asked: list[bytes] = []
    tasks: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not reader.at_eof():
            try:
                asked.append(await reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError:
                break
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok".encode())
        writer.close()
        await writer.wait_closed()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.create_task(serve(reader, writer)))

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with listener:
        yield int(listener.sockets[0].getsockname()[1]), asked
    await asyncio.gather(*tasks)


def test_a_request_is_whole() -> None:
    assert GET == b"GET /x HTTP/1.1\r\nhost: h\r\n\r\n"
    assert request_bytes("POST", "/x", {}, b"{}") == b"POST /x HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}"


async def test_every_answer_counts_once() -> None:
    async with server("200 OK") as (port, asked):
        found = await load(port, GET, psutil.Process(), connections=2, seconds=0.05)
    assert found.per_second > 0
    assert found.cpu_milliseconds >= 0
    assert set(asked) == {GET}


async def test_an_error_is_no_answer() -> None:
    async with server("500 Oops") as (port, _):
        with pytest.raises(RuntimeError, match="500 Oops: ok"):
            await answer_to(port, GET)
