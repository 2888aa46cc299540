"""``ingest``: metadata, processes, bindings and codes, from files and live services, into a new snapshot of the graph."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from cli.context import Context, ledger_of, now
from cli.errors import CommandError
from cli.ingest_answer import answer_json, describe
from cli.output import print_json, say
from graph.errors import GraphError
from settings import REPOSITORY, Settings, SettingsError, read_secret
from wire.task import FINAL_STATES, RunState

if TYPE_CHECKING:
    import httpx

    from graph.ingest_report import IngestReport
    from graph.remote import Access
    from graph.service_url import ServiceUrl

Progress = Callable[[str, int, int], None]
_ON_DEFECT = (
    "What to do about metadata that breaks a rule of CSDL: report it and load the file (default), refuse the file, or "
    "ignore it; for all kinds, or for one as in dangling-type=refuse."
)


@dataclass(frozen=True)
class Credentials:
    """What the command line says about logging on; secrets stand in the environment, never on a command line."""

    user: str = ""
    password_env: str = ""
    bearer_env: str = ""
    headers: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether anything was said."""
        return bool(self.user or self.bearer_env or self.headers)


@dataclass(frozen=True)
class Sources:
    """What to load. ``codes`` are services whose value lists are read; ``keep``: the snapshot's other sources stay."""

    given: tuple[str, ...]
    codes: tuple[str, ...] = ()
    most_codes: int = 1000
    keep: bool = False
    credentials: Credentials = Credentials()
    on_defect: tuple[str, ...] = ()


def ingest(
    context: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            help="Files, folders or URLs: $metadata (.edmx, .xml), .bpmn, bindings.csv or .ttl …; a URL is a service root "
            "or its $metadata, NAME=URL names the service. Default: the shipped catalogue.",
        ),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Keep what the current graph holds beside this.")] = False,
    codes: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="Read the value lists of this service (URL or NAME=URL).")
    ] = None,
    most_codes: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="N", help="Longest code list; longer ones are cut.")
    ] = 1000,
    user: Annotated[str, typer.Option(metavar="USER", help="User of the services (basic authentication).")] = "",
    password_env: Annotated[
        str, typer.Option(metavar="VARIABLE", help="Environment variable that holds the password.")
    ] = "",
    bearer_env: Annotated[
        str, typer.Option(metavar="VARIABLE", help="Environment variable that holds a bearer token.")
    ] = "",
    header: Annotated[
        list[str] | None, typer.Option(metavar="HEADER", help='Header to send, as "Name: value".')
    ] = None,
    on_defect: Annotated[list[str] | None, typer.Option(metavar="[KIND=]REACTION", help=_ON_DEFECT)] = None,
    publish: Annotated[bool, typer.Option("--publish", help="Publish the graph to the SPARQL endpoint.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Then remove graphs that no open run stands on.")] = False,
) -> None:
    """Load metadata, processes, bindings and codes into a new snapshot. What is refused never stops the others.

    Without --add the new snapshot holds what is named here and nothing else.
    """
    here: Context = context.obj
    settings = here.settings()
    tidying = (publish or prune) and not sources and not codes
    if not tidying:
        login = Credentials(user, password_env, bearer_env, tuple(header or ()))
        order = Sources(tuple(sources or ()), tuple(codes or ()), most_codes, add, login, tuple(on_defect or ()))
        report = ingest_all(settings, order, quiet=here.json)
        lines = describe(report, now(), settings.codes_stale_days)
        answer = answer_json(report, now(), settings.codes_stale_days)
    else:
        lines, answer = [], {}
    if publish:
        answer["published"] = publish_graph(settings, quiet=here.json)
        lines.append(f"published {answer['published']} to {settings.graph_endpoint.url}")
    if prune:
        answer["removed"] = prune_graphs(settings)
        lines.append(f"removed {len(answer['removed'])} graphs that no open run stands on")
    if here.json:
        print_json(answer)
    for line in [] if here.json else lines:
        say(line)


def ingest_into(settings: Settings, sources: Sequence[Path], *, quiet: bool) -> "IngestReport":
    """Ingest files and folders with a progress line on a terminal. Raises ``CommandError``."""
    return ingest_all(settings, Sources(tuple(str(path) for path in sources)), quiet=quiet)


def ingest_all(settings: Settings, order: Sources, *, quiet: bool) -> "IngestReport":
    """Fetch what lies on services, then ingest everything. Raises ``CommandError``."""
    from graph.ingest import ingest as ingest_sources  # parsers and the store load only when something is ingested
    from graph.service_url import is_url
    from odata.csdl_policy import policy_of

    paths = [Path(text) for text in order.given if not is_url(text)]
    urls = [text for text in order.given if is_url(text)]
    if not order.given and not order.codes:
        paths = [REPOSITORY / "catalogue"]
    # Codes belong to services that the graph holds: without anything else to load, all of it stays.
    keep = order.keep or not order.given and bool(order.codes)
    shown = _progress(quiet)
    try:
        policy = policy_of(order.on_defect)
    except ValueError as error:
        raise CommandError(f"--on-defect {error}") from error
    try:
        gathered = None
        if urls or order.codes:
            from graph.ingest import held_sources
            from graph.remote import Remote, gather

            held = held_sources(paths, settings.graphs if keep else None)
            access = _access(settings, order.credentials)
            remote = Remote(urls, order.codes, order.most_codes)
            gathered = asyncio.run(gather(remote, access, held, now(), shown))
        return ingest_sources(
            paths, settings.graphs, progress=shown, gathered=gathered, keep=keep, at=now(), policy=policy
        )
    except (GraphError, SettingsError) as error:
        raise CommandError(str(error)) from error


def publish_graph(settings: Settings, *, quiet: bool) -> str:
    """Publish the current snapshot; returns its hash. Raises ``CommandError``."""
    from graph.library import PublishedLibrary, open_library
    from graph.publishing import publish_snapshot

    library = open_library(settings.graphs, **settings.graph_endpoint.plain())
    if not isinstance(library, PublishedLibrary):
        raise CommandError("there is no endpoint to publish to: set COUNTERSIGN_GRAPH_ENDPOINT__URL")
    try:
        with closing(library):
            return publish_snapshot(settings.graphs, library.store, progress=_progress(quiet))
    except GraphError as error:
        raise CommandError(str(error)) from error


def prune_graphs(settings: Settings) -> list[str]:
    """Remove snapshots that neither are current nor cited by an open run, and sources that no snapshot holds."""
    from graph.ingest_report import from_manifest
    from graph.library import LocalLibrary, open_library
    from graph.snapshot import ingest_lock, list_snapshots, read_manifest
    from graph.source_store import remove_sources

    with ledger_of(settings) as ledger:
        open_states = set(RunState) - set(FINAL_STATES)
        cited = {run.task.graph_hash for run in ledger.runs(open_states, limit=1_000_000)}
    try:
        with ingest_lock(settings.graphs):
            removed = LocalLibrary(settings.graphs).remove(cited)
            manifests = (read_manifest(settings.graphs, digest) for digest in list_snapshots(settings.graphs))
            remove_sources(
                settings.graphs, (item.digest for found in manifests for item in from_manifest(found).loaded)
            )
        if settings.graph_endpoint.url:
            with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
                removed += library.remove(cited)
    except GraphError as error:
        raise CommandError(str(error)) from error
    return sorted(set(removed))


def _progress(quiet: bool) -> Progress:
    """One line on a terminal, overwritten; nothing elsewhere."""
    shown = sys.stderr.isatty() and not quiet

    def progress(what: str, done: int, total: int) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[K{done}/{total} {what}" if done < total else "\r\x1b[K")
            sys.stderr.flush()

    return progress


def _access(settings: Settings, login: Credentials) -> "Callable[[ServiceUrl], Access]":
    """The login of the command line; without one that of the settings, where they name the service at that very address."""
    from graph.remote import Access

    fixed = Access(_auth(login), _headers(login.headers))

    def access(url: "ServiceUrl") -> Access:
        own = settings.odata.services.get(url.name)
        if login.given or own is None or not own.url or urlsplit(own.url)[:2] != urlsplit(url.root)[:2]:
            return fixed
        from activities.addresses import auth_of, headers_of

        return Access(auth_of(own), headers_of(own))

    return access


def _auth(login: Credentials) -> "httpx.Auth | None":
    from odata.auth import BasicAuth, BearerAuth

    if login.bearer_env:
        return BearerAuth(read_secret(login.bearer_env).get_secret_value())
    if not login.user:
        return None
    if not login.password_env:
        raise CommandError("--user needs --password-env: name the environment variable that holds the password")
    return BasicAuth(login.user, read_secret(login.password_env).get_secret_value())


def _headers(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise CommandError(f'--header "{text}": write it as "Name: value"')
        found[name.strip()] = value.strip()
    return found
