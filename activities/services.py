"""The OData services by id: one client each, kept for its session and connections."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from activities.errors import ServiceUnknown
from activities.live_metadata import LiveMetadata, MetadataShelf
from odata.client import ODataClient
from wire.endpoint import ODataVersion

_SAP = "/sap/opu/"
# SAP leaves value lists out unless they are asked for; an ingestion asks, so the bytes are those that it read.
_SAP_METADATA = "$metadata?sap-value-list=all"


@dataclass(frozen=True)
class Address:
    """How a service is reached. ``repeatable``: it keeps OASIS Repeatable Requests. ``proxy`` is a URL."""

    url: str
    repeatable: bool = False
    auth: httpx.Auth | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    sap_client: str | None = None
    language: str | None = None
    timeout_seconds: float = 60.0
    proxy: str | None = field(default=None, repr=False)
    csrf: bool = True

    @property
    def metadata_path(self) -> str:
        """The path below the root, as an ingestion asks for it."""
        return _SAP_METADATA if _SAP in self.url else "$metadata"


class ServiceDirectory:
    """Implements ``activities.ports.Services``. ``find`` gives the address of a service id, or None."""

    def __init__(self, find: Callable[[str], Address | None]) -> None:
        self._find = find
        self._clients: dict[str, ODataClient] = {}
        self._metadata = MetadataShelf()

    def client(self, service: str, version: ODataVersion) -> ODataClient:
        """A client for the service. Raises ``ServiceUnknown``."""
        if service not in self._clients:
            address = self._address(service)
            self._clients[service] = ODataClient(
                address.url,
                service,
                version,
                auth=address.auth,
                headers=address.headers,
                sap_client=address.sap_client,
                language=address.language,
                timeout=address.timeout_seconds,
                proxy=address.proxy,
                csrf=address.csrf,
            )
        return self._clients[service]

    def repeatable(self, service: str) -> bool:
        """Whether sending the same request id again is a look-up there."""
        return self._address(service).repeatable

    def known_metadata(self, service: str) -> LiveMetadata | None:
        """The ``$metadata`` that was read last from the service, if it was."""
        return self._metadata.known(service)

    async def live_metadata(self, service: str, version: ODataVersion) -> LiveMetadata:
        """``$metadata`` as it is now. Raises ``odata.errors.CallError``, ``ServiceUnknown``."""
        client, path = self.client(service, version), self._address(service).metadata_path
        return await self._metadata.refreshed(service, lambda etag: client.metadata_since(etag, path))

    def _address(self, service: str) -> Address:
        found = self._find(service)
        if found is None:
            raise ServiceUnknown(service)
        return found

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.aclose()
