"""Every OData service of the current graph: its $metadata is reachable, and is the one that was ingested."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from cli.doctor.finding import Finding, right, unknown, warning, wrong
from settings import Settings

if TYPE_CHECKING:
    from wire.endpoint import ODataVersion

MOST_AT_ONCE = 8
ANY_VERSION: "ODataVersion" = "4.0"
"""What the client says: every service gives its metadata for it, and that says which version it really is."""


def look_at_services(settings: Settings, seconds: float) -> Sequence[Finding]:
    """One line a service."""
    from graph.errors import GraphError
    from graph.library import open_library

    try:
        with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
            digest = library.current()
            reader = None if digest is None else library.open(digest)
            known = {} if reader is None else {s: reader.metadata_digest(s) for s in reader.services()}
    except GraphError as error:
        return [unknown("services", f"the graph does not say which there are: {error}", "mend the graph first")]
    if not known:
        return [unknown("services", "the graph names none", "run 'starter.py ingest'")]
    return asyncio.run(_look(settings, known, seconds))


async def _look(settings: Settings, known: Mapping[str, str], seconds: float) -> Sequence[Finding]:
    turn = asyncio.Semaphore(MOST_AT_ONCE)

    async def one(service: str) -> Finding:
        async with turn:
            return await _service(settings, service, known[service], seconds)

    return await asyncio.gather(*(one(service) for service in sorted(known)))


async def _service(settings: Settings, service: str, ingested: str, seconds: float) -> Finding:
    from activities.addresses import service_address
    from activities.services import ServiceDirectory
    from odata.errors import CallError

    part = f"service {service}"
    address = service_address(settings, service)
    if address is None:
        mend = f"set odata.base_url, or odata.services.{service}.url"
        return wrong(part, "no address is configured", mend)
    directory = ServiceDirectory(lambda name: service_address(settings, name))
    try:
        live = await asyncio.wait_for(directory.live_metadata(service, ANY_VERSION), seconds)
    except TimeoutError:
        return wrong(
            part, f"{address.url} gave no $metadata within {seconds:g} s", "check the address, the network, a proxy"
        )
    except CallError as error:
        mend = f"check odata.services.{service} (url, login) and whether the service is up"
        return wrong(part, f"{address.url}: {error}", mend)
    finally:
        await directory.close()
    told = f"{address.url} gives its $metadata, {f'ETag {live.etag}' if live.etag else 'without an ETag'}"
    if ingested and live.digest != ingested:
        return warning(
            part, f"{told}; it is not the one that was ingested", "run 'starter.py ingest' for this service again"
        )
    return right(part, told)
