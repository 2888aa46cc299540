"""The OData services by id: one client each, kept for its session and connections."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from activities.errors import ServiceUnknown
from odata.client import ODataClient
from wire.endpoint import ODataVersion


@dataclass(frozen=True)
class Address:
    """How a service is reached. ``repeatable``: it keeps OASIS Repeatable Requests."""

    url: str
    repeatable: bool = False
    auth: httpx.Auth | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class ServiceDirectory:
    """Implements ``activities.ports.Services``. ``find`` gives the address of a service id, or None."""

    def __init__(self, find: Callable[[str], Address | None]) -> None:
        self._find = find
        self._clients: dict[str, ODataClient] = {}

    def client(self, service: str, version: ODataVersion) -> ODataClient:
        """A client for the service. Raises ``ServiceUnknown``."""
        if service not in self._clients:
            address = self._address(service)
            self._clients[service] = ODataClient(
                address.url, service, version, auth=address.auth, headers=address.headers
            )
        return self._clients[service]

    def repeatable(self, service: str) -> bool:
        """Whether sending the same request id again is a look-up there."""
        return self._address(service).repeatable

    def _address(self, service: str) -> Address:
        found = self._find(service)
        if found is None:
            raise ServiceUnknown(service)
        return found

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.aclose()
