"""The service that writes go to. It logs which bytes reached it and when; its answers can be lost."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx

from activities.live_metadata import LiveMetadata
from evaluation.histories.engine import WorkerDied
from evaluation.histories.notes import Served
from odata.client import ODataClient
from wire.endpoint import ODataVersion

SERVICE = "SALES"
ROOT = "https://erp.example/sales"
PLAIN, NEWER, WITHOUT_NOTE = b"metadata 1", b"metadata 2", b"metadata without Note"


@dataclass
class Service:
    """Orders by key. ``faults`` befall the next writes: ``lost_after``, ``lost_before``, ``died_after``, ``died_before``."""

    tick: Callable[[], int]
    now: Callable[[], datetime]
    repeatable: bool
    orders: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    answered: dict[str, tuple[int, bytes, str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    log: list[Served] = field(default_factory=list)
    metadata: bytes = PLAIN

    def change(self, key: str, note: str) -> None:
        """Somebody else changes an order."""
        self.orders[key]["Note"] = note
        self.versions[key] += 1

    def answer(self, request: httpx.Request, content: bytes) -> httpx.Response:
        """Serve one request. Raises what a fault brings."""
        path = request.url.raw_path.decode().removeprefix("/sales/")
        if request.method == "GET":
            return self._read(path)
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "lost_before":
            raise httpx.ReadTimeout("lost on the way", request=request)
        if fault == "died_before":
            raise WorkerDied
        response = self._write(request, path, content)
        if fault == "lost_after":
            raise httpx.ReadTimeout("answer lost", request=request)
        if fault == "died_after":
            raise WorkerDied
        return response

    def _read(self, path: str) -> httpx.Response:
        key = path.partition("('")[2].partition("')")[0]
        if key not in self.orders:
            return httpx.Response(404, json={"error": {"code": "404", "message": "no such order"}})
        return httpx.Response(200, json=self.orders[key], headers={"ETag": self._etag(key)})

    def _write(self, request: httpx.Request, path: str, content: bytes) -> httpx.Response:
        repeat = request.headers.get("Repeatability-Request-ID", "")
        known = self.answered.get(repeat) if self.repeatable else None
        status, kept, etag = known or self._carry_out(request, path, content)
        headers = tuple((name.lower(), value) for name, value in request.headers.items())
        done = known is None and status < 400
        self.log.append(Served(self.tick(), self.now(), request.method, path, headers, content.decode(), done))
        if done and repeat:
            self.answered[repeat] = (status, kept, etag)
        return httpx.Response(status, content=kept, headers={"Content-Type": "application/json", "ETag": etag})

    def _carry_out(self, request: httpx.Request, path: str, content: bytes) -> tuple[int, bytes, str]:
        body = json.loads(content)
        key = body["Order"] if request.method == "POST" else path.partition("('")[2].partition("')")[0]
        if request.method == "PATCH" and request.headers.get("If-Match") not in ("*", self._etag(key)):
            return 412, b'{"error": {"code": "412", "message": "changed meanwhile"}}', self._etag(key)
        self.orders[key] = {**self.orders.get(key, {}), **body}
        self.versions[key] = self.versions.get(key, 0) + 1
        status = 201 if request.method == "POST" else 200
        return status, json.dumps(self.orders[key]).encode(), self._etag(key)

    def _etag(self, key: str) -> str:
        return f'W/"{self.versions.get(key, 0)}"'


class Shelf(httpx.AsyncBaseTransport):
    """The one client of a process, and ``activities.ports.Services`` over whatever service a history has."""

    def __init__(self) -> None:
        self.service: Service | None = None
        self._client = ODataClient(ROOT, SERVICE, "4.0", transport=self, csrf=False)

    @property
    def _now(self) -> Service:
        if self.service is None:
            raise RuntimeError("no history is being played")
        return self.service

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Serve what the client sends."""
        return self._now.answer(request, await request.aread())

    def client(self, service: str, version: ODataVersion) -> ODataClient:
        """The client of the one service."""
        return self._client

    def repeatable(self, service: str) -> bool:
        """Whether it keeps request ids."""
        return self._now.repeatable

    def known_metadata(self, service: str) -> LiveMetadata | None:
        """Its metadata: asked for before every judging here."""
        return self._live()

    async def live_metadata(self, service: str, version: ODataVersion) -> LiveMetadata:
        """Its metadata."""
        return self._live()

    def _live(self) -> LiveMetadata:
        data = self._now.metadata
        return LiveMetadata(data, hashlib.sha256(data).hexdigest(), None)
