"""Load on one HTTP server over kept connections, by a client that costs next to nothing: the server is what is measured."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

import psutil

from evaluation.bench.processes import cpu_seconds


@dataclass(frozen=True)
class Load:
    """What a server did: answers a second of wall time, and its own CPU for each, in ms."""

    per_second: float
    cpu_milliseconds: float


def request_bytes(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """One HTTP/1.1 request."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    lines += [f"content-length: {len(body)}"] if body else []
    return "\r\n".join([*lines, "", ""]).encode() + body


async def load(port: int, request: bytes, process: psutil.Process, *, connections: int, seconds: float) -> Load:
    """Ask without a pause. Raises ``RuntimeError`` for an answer that is an error."""
    done = 0

    async def ask() -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            while time.perf_counter() < end:
                writer.write(request)
                await _answer(reader)
                done += 1
        finally:
            writer.close()
            await writer.wait_closed()

    before, start = cpu_seconds({"server": process.pid})["server"], time.perf_counter()
    end = start + seconds
    await asyncio.gather(*(ask() for _ in range(connections)))
    took, used = time.perf_counter() - start, cpu_seconds({"server": process.pid})["server"] - before
    return Load(done / took, used / done * 1000)


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    body = await reader.readexactly(length)
    if not head.startswith(b"HTTP/1.1 2"):
        raise RuntimeError(f"{head.splitlines()[0].decode()}: {body[:200].decode(errors='replace')}")
    return body


async def answer_to(port: int, request: bytes) -> bytes:
    """The body of one answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await _answer(reader)
    finally:
        writer.close()
        await writer.wait_closed()
