"""``$metadata`` of a service as it is now, kept by its ETag: the version that a write is judged against before it leaves."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from odata.client import Metadata

Fetch = Callable[[str | None], Awaitable[Metadata | None]]
"""Gets what has changed since an ETag; None when nothing has."""


@dataclass(frozen=True)
class LiveMetadata:
    """One version. ``digest`` is SHA-256 (hex) of the bytes, as the graph names versions."""

    data: bytes
    digest: str
    etag: str | None = None


class MetadataShelf:
    """The last version that each service gave."""

    def __init__(self) -> None:
        self._known: dict[str, LiveMetadata] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def known(self, service: str) -> LiveMetadata | None:
        """The version that was read last, if any was."""
        return self._known.get(service)

    async def refreshed(self, service: str, fetch: Fetch) -> LiveMetadata:
        """The version in force. Raises what ``fetch`` raises."""
        async with self._locks.setdefault(service, asyncio.Lock()):
            before = self._known.get(service)
            found = await fetch(before.etag if before else None)
            if found is None and before is not None:
                return before
            data = found.data if found is not None else b""
            digest = sha256(data).hexdigest()
            self._known[service] = LiveMetadata(data, digest, found.etag if found is not None else None)
            return self._known[service]
