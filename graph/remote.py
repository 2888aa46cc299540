"""Metadata and code lists of live services as sources of an ingestion. The only file here that goes over the network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import httpx

from graph.code_snapshot import CodesOfSet, codes_document, codes_source_name
from graph.errors import SourceError
from graph.ingest import Gathered
from graph.ingest_report import Refusal
from graph.service_url import ServiceUrl, parse_service_url, without_credentials
from graph.sources import SourceFile, source_of_bytes
from graph.value_lists import ListPlan, codes_of_rows, plan_value_lists, service_facts
from odata.client import ODataClient
from odata.errors import CallError, LoginRequired, MetadataError, NotFound, NotSent
from wire.call import PreparedRequest
from wire.endpoint import ODataVersion

Progress = Callable[[str, int, int], None]
_CREDENTIALS = "give --user with --password-env, --bearer-env or --header"
MOST_CODES = 1000
_MOST_BYTES = 8_000_000
_MOST_PAGES = 50


@dataclass(frozen=True)
class Access:
    """How services are reached. ``transport`` stands in for the network in tests."""

    auth: httpx.Auth | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    transport: httpx.AsyncBaseTransport | None = None
    timeout: float = 60.0

    def client(self, url: ServiceUrl, version: ODataVersion) -> ODataClient:
        """A client for reading."""
        return ODataClient(
            url.root,
            url.name,
            version,
            auth=self.auth,
            headers=self.headers,
            transport=self.transport,
            timeout=self.timeout,
            csrf=False,
        )


@dataclass(frozen=True)
class Remote:
    """What to get: ``metadata`` and ``codes`` are URLs as people give them; ``most_codes`` is the limit of one list."""

    metadata: Sequence[str] = ()
    codes: Sequence[str] = ()
    most_codes: int = MOST_CODES


async def gather(
    order: Remote,
    access: Callable[[ServiceUrl], Access],
    held: Callable[[str], SourceFile | None],
    at: datetime,
    progress: Progress | None = None,
) -> Gathered:
    """Fetch everything; a service that fails is one refusal, and the others still load.

    ``held`` gives the metadata of a service that is already known (a file, the current snapshot); the codes of any other
    service need its metadata first, which is then fetched and loaded as well.
    """
    found: dict[str, SourceFile] = {}
    result = Gathered()
    work = [("metadata", text) for text in order.metadata] + [("codes", text) for text in order.codes]
    for number, (what, text) in enumerate(work, start=1):
        shown = without_credentials(text)
        try:
            url = parse_service_url(text)
            known = found.get(url.name) or (held(url.name) if what == "codes" else None)
            if known is None:
                known = found[url.name] = await _fetch(url, access(url), at)
                result = replace(result, sources=(*result.sources, known))
            if what == "codes":
                codes, notes = await _read_codes(url, known, access(url), order.most_codes, at)
                result = replace(result, sources=(*result.sources, *codes), notes=(*result.notes, *notes))
        except (SourceError, MetadataError) as error:
            result = replace(result, refused=(*result.refused, Refusal(shown, " ".join(str(error).split()))))
        except CallError as error:
            reason = f"{shown}: {_reason(error)}"
            result = replace(result, refused=(*result.refused, Refusal(shown, " ".join(reason.split()))))
        if progress is not None:
            progress(shown, number, len(work))
    return result


async def _fetch(url: ServiceUrl, access: Access, at: datetime) -> SourceFile:
    # Every service takes the headers of 4.0: what it does not know of them it passes over.
    async with access.client(url, "4.0") as client:
        data = await client.fetch_metadata(url.metadata_path)
    return source_of_bytes(data, url.shown, url.name, read_at=at.isoformat())


def _reason(error: CallError) -> str:
    """What to do, which the client cannot know."""
    if isinstance(error, LoginRequired):
        return f"{error.reason}; {_CREDENTIALS}"
    if isinstance(error, NotFound):
        return f"{error.reason}; give the root of an OData service, above its entity sets"
    if isinstance(error, NotSent):
        return f"cannot be reached ({error.reason}); check the address and that the service runs"
    return f"{error.request}: {error.reason}"


async def _read_codes(
    url: ServiceUrl, metadata: SourceFile, access: Access, most: int, at: datetime
) -> tuple[list[SourceFile], list[str]]:
    """The codes of all value lists as one source, and a line for each that could not be read or is cut."""
    facts, version = service_facts(url.name, metadata)
    plans, notes = plan_value_lists(url.name, facts, version, most + 1)
    lists: list[CodesOfSet] = []
    async with access.client(url, version) as client:
        for plan in plans:
            try:
                found = await _read_list(client, url, plan, most)
            except (LoginRequired, NotSent):
                # Whatever comes next would fail the same way.
                raise
            except CallError as error:
                notes.append(f"{codes_source_name(url.name)}: {plan.entity_set}: {error.reason}")
                continue
            lists.append(found)
            if found.truncated:
                notes.append(
                    f"{codes_source_name(url.name)}: {plan.entity_set}: truncated after {len(found.codes)} codes"
                )
    if not lists:
        return [], [*notes, f"{codes_source_name(url.name)}: no value list could be read"]
    data = codes_document(url.name, url.root, lists)
    shown = codes_source_name(url.name)
    return [source_of_bytes(data, shown, url.name, "valuehelp", at.isoformat())], notes


async def _read_list(client: ODataClient, url: ServiceUrl, plan: ListPlan, most: int) -> CodesOfSet:
    path = f"{plan.path}&{url.query}" if url.query else plan.path
    request = PreparedRequest(method="GET", service=url.name, path=path, headers=(("Accept", "application/json"),))
    result = await client.read(request, max_pages=_MOST_PAGES, max_bytes=_MOST_BYTES)
    rows = result.data if isinstance(result.data, list) else []
    return codes_of_rows(plan, rows, most, result.truncated)
