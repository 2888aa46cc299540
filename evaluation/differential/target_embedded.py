"""The embedded OData service: V2 and V4, knows annotations too. It is ours, but shares no code with the validator."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from embedded.odata_service.app import create_app
from embedded.odata_service.config import Ambient, Config
from embedded.odata_service.messages import Reply, Request
from evaluation.differential.http_form import HttpCall
from evaluation.differential.samples import Sample
from evaluation.differential.targets import Answer, answer_of

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


class _Undo(Exception):
    """Ends a transaction that is not to last."""


class EmbeddedTarget:
    """``seeds``: service -> requests that fill its sets, sent once when the service is first asked."""

    name = "embedded"
    about = "embedded OData service (ours; a witness)"

    def __init__(
        self, metadata: Path, state: Path, seeds: Mapping[str, list[HttpCall]], codes: Path | None = None
    ) -> None:
        numbers = iter(range(1, 10**9))
        ambient = Ambient(lambda: _NOW, lambda: f"6d3b3f0e-6d5c-4a0e-9a42-{next(numbers):012x}", lambda: "token")
        config = Config((metadata,), state, () if codes is None else (codes,), require_csrf=False)
        self._app = create_app(config, ambient=ambient)
        self._seeds, self._seeded = seeds, set[str]()

    def hosts(self, service: str, version: str) -> bool:
        """What it could read."""
        return bool(self._send(service, HttpCall("GET", "")).status == 200)

    def ask(self, sample: Sample, http: HttpCall) -> Answer:
        """Send one request inside a transaction that is rolled back."""
        service = sample.call.service
        if service not in self._seeded:
            self._seeded.add(service)
            for seed in self._seeds.get(service, ()):
                self._send(service, seed)
        reply = Reply(0)
        try:
            with self._app.state.store.transaction():
                reply = self._send(service, http)
                raise _Undo
        except _Undo:
            return answer_of(reply.status, reply.body[:300].decode("utf-8", "replace"))

    def close(self) -> None:
        """Close its database."""
        self._app.state.store.close()

    def _send(self, service: str, http: HttpCall) -> Reply:
        headers = {"content-type": "application/json", "accept": "application/json", "if-match": "*"}
        path = f"/{service}/{http.path}"
        request = Request(http.method, path, http.query, headers, http.body, "http://differential")
        found: Reply = self._app.state.server.handle(request, None)
        return found
