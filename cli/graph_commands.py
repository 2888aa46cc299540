"""``ingest`` and ``search``: the graph that runs stand on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.output import complain, print_json, say
from graph.errors import GraphError
from settings import REPOSITORY, Settings

if TYPE_CHECKING:
    from graph.ingest_report import IngestReport

MOST_LINES = 5


def ingest(
    context: typer.Context,
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files or folders: $metadata (.edmx, .xml), .bpmn, bindings.csv … Default: the shipped catalogue."
        ),
    ] = None,
) -> None:
    """Load metadata, processes and bindings into a new snapshot of the graph. A refused file never stops the others."""
    here: Context = context.obj
    report = ingest_into(here.settings(), sources or [REPOSITORY / "catalogue"], quiet=here.json)
    if here.json:
        print_json(
            {
                "graph_hash": report.graph_hash,
                "unchanged": report.unchanged,
                "loaded": [f.file for f in report.loaded],
                "refused": [{"file": r.file, "reason": r.reason} for r in report.refused],
                "warnings": report.warnings,
                "unresolved": report.unresolved,
            }
        )
        return
    for line in describe(report):
        say(line)


def ingest_into(settings: Settings, sources: list[Path], *, quiet: bool) -> "IngestReport":
    """Ingest with a progress line on a terminal. Raises ``CommandError``."""
    from graph.ingest import ingest as ingest_sources  # parsers and the store load only when something is ingested

    shown = sys.stderr.isatty() and not quiet

    def progress(file: str, done: int, total: int) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[K{done}/{total} {file}" if done < total else "\r\x1b[K")
            sys.stderr.flush()

    try:
        return ingest_sources(sources, settings.graphs, progress=progress)
    except GraphError as error:
        raise CommandError(str(error)) from error


def describe(report: "IngestReport") -> list[str]:
    """The report in lines."""
    lines = [f"graph {report.graph_hash}: {len(report.loaded)} files{', unchanged' if report.unchanged else ''}"]
    lines += [f"refused: {r.reason}" for r in report.refused]
    lines += [f"unresolved: {text}" for text in report.unresolved[:MOST_LINES]]
    if len(report.unresolved) > MOST_LINES:
        lines.append(f"… {len(report.unresolved)} bindings do not resolve (all with --json)")
    if report.warnings:
        lines.append(f"{len(report.warnings)} warnings (all with --json), the first: {report.warnings[0]}")
    return lines


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What you look for, in words.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many endpoints.")] = 5,
) -> None:
    """The endpoints that a goal would get, and why each is there."""
    here: Context = context.obj
    settings = here.settings()
    # Imported here: the embedding model takes seconds to load, and no other command needs it.
    from activities.graph_shelf import GraphShelf

    shelf = GraphShelf(
        settings.graphs,
        embedder=settings.embedder,
        retriever=settings.retriever,
        budget_tokens=settings.context_tokens,
    )
    try:
        hits = shelf.retriever(shelf.current()).search(query, k)
    except GraphError as error:
        raise CommandError(str(error), Exit.NOT_FOUND) from error
    if here.json:
        print_json([hit.model_dump(mode="json") for hit in hits])
        return
    if not hits:
        complain("nothing found")
    for hit in hits:
        say(f"{hit.rank:2}. {hit.service}/{hit.endpoint} ({hit.kind}, {hit.score:.3f})")
        for reason in hit.reasons:
            say(f"      {reason.kind}: {reason.text}")
