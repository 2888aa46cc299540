"""Parts of the stages over a scripted service and contracts by hand."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import httpx

from activities.live_metadata import LiveMetadata
from graph.errors import UnknownEndpoint
from graph.views import Binding, EndpointSummary
from odata.client import ODataClient
from wire.endpoint import EndpointContract, Verb

Contracts = Callable[[Verb], EndpointContract]


class Services:
    """One service, whatever it is called."""

    def __init__(self, handler: Callable[[httpx.Request], httpx.Response], *, repeatable: bool = False) -> None:
        self.asked: list[httpx.Request] = []
        self._handler, self._repeatable = handler, repeatable
        self.known: LiveMetadata | None = None

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self._handler(request)

    def client(self, service: str, version: Any) -> ODataClient:
        transport = httpx.MockTransport(self._answer)
        return ODataClient("https://erp.test/srv", service, version, transport=transport, csrf=False)

    def repeatable(self, service: str) -> bool:
        return self._repeatable

    def known_metadata(self, service: str) -> LiveMetadata | None:
        return self.known


class Graph:
    """One set with its contracts, and the reference property that its binding names."""

    graph_hash = "g"

    def __init__(self, contracts: Contracts, reference: str = "") -> None:
        self._contracts, self._reference = contracts, reference

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        found = self._contracts(verb)
        if endpoint != found.endpoint:
            raise UnknownEndpoint(f"{service}/{endpoint}", [f"{service}/{found.endpoint}"])
        return found

    def contract_over(self, metadata: bytes, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        return self.contract(service, endpoint, verb).model_copy(update={"metadata_digest": "live"})

    def endpoints(self) -> list[EndpointSummary]:
        made = self._contracts(Verb.CREATE)
        shown = EndpointSummary("i", made.service, made.endpoint, "EntitySet", "2.0", "", "", "", None, (), (), ())
        return [shown]

    def bindings(self) -> list[Binding]:
        return [Binding("n", "i", Verb.CREATE, reference_property=self._reference)]


class Ledger:
    """Remembers notes."""

    def __init__(self) -> None:
        self.notes: list[Any] = []

    def note(self, run_id: str, kind: str, payload: Any, content: Any, at: datetime) -> None:
        self.notes.append(SimpleNamespace(kind=kind, payload=payload))

    def trail(self, run_id: str) -> list[Any]:
        return self.notes


def parts(services: Services, graph: Graph) -> Any:
    """What ``activities.ports.Parts`` holds, as far as these tests go."""
    now = datetime(2026, 1, 31, tzinfo=UTC)
    return SimpleNamespace(
        services=services, graphs=SimpleNamespace(at=lambda digest: graph), ledger=Ledger(), now=lambda: now
    )
