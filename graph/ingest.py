"""Sources -> snapshot: read every file, refuse what cannot be read, check the tables, build, swap.

One file never stops another. Nothing becomes visible before the whole snapshot is on disk.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graph.changes import Change, service_changes
from graph.errors import NothingToIngest, SnapshotDamaged, SnapshotMissing
from graph.facts import Facts
from graph.ingest_build import Build, Progress, read_all
from graph.ingest_report import IngestReport, LoadedFile, Refusal, changes_between, from_manifest, to_manifest
from graph.iris import graph_iri
from graph.nquads import sorted_lines
from graph.snapshot import (
    contracts_index,
    current_hash,
    ingest_lock,
    open_store,
    read_manifest,
    refresh_times,
    stands_whole,
    write_snapshot,
)
from graph.source_store import kept_sources
from graph.sources import SourceFile, find_sources, key_of, sources_digest
from graph.store import EmbeddedStore
from odata.csdl_policy import CsdlPolicy

__all__ = ["Gathered", "IngestReport", "ingest"]


@dataclass(frozen=True)
class Gathered:
    """Sources that are no files here (metadata and codes of live services), services that gave none, and lines about what
    was cut or left out."""

    sources: tuple[SourceFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()


def ingest(
    sources: Sequence[Path],
    root: Path,
    *,
    progress: Progress | None = None,
    policy: CsdlPolicy | None = None,
    gathered: Gathered | None = None,
    keep: bool = False,
    at: datetime | None = None,
) -> IngestReport:
    """Load files, folders and what was ``gathered`` elsewhere into a new snapshot under ``root`` and make it current.

    With ``keep`` the sources of the current snapshot stay, unless one of the new ones replaces them. ``progress`` is called
    with (file, number done, number of files); ``at`` is the present instant, for the manifest. Raises ``NothingToIngest``
    when no file could be loaded, ``SourceError`` for a path that does not exist. The same sources again give the same
    snapshot, at once.
    """
    more = gathered or Gathered()
    chosen = policy or CsdlPolicy()
    files = [*find_sources(sources), *more.sources]
    with ingest_lock(root), _uncollected():
        previous = _current_manifest(root)
        if keep and previous is not None:
            files += kept_sources(root, from_manifest(previous).loaded, files)
        files.sort(key=lambda item: (item.shown, str(item.path)))
        identity = sources_digest(files, chosen)
        # What an older version wrote, or what was damaged since, is written again: readers find all that stands beside a store.
        same = previous is not None and previous.get("sources") == identity
        if previous is not None and same and contracts_index(previous) is not None and stands_whole(root, previous):
            return _unchanged(root, previous, files).told(more.refused, more.notes)
        build = Build(root, chosen)
        read_all(files, build, progress)
        if not build.graphs:
            reasons = [refusal.reason for refusal in (*build.refused, *more.refused)]
            raise NothingToIngest(f"nothing to ingest: {'; '.join(reasons) or 'no file to load was found'}")
        lines = sorted_lines(writer.lines() for _, _, writer in build.graphs)
        build.graphs.clear()
        return _publish(build, lines, identity, previous, at).told(more.refused, more.notes)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No pass of the cyclic collector: what is built here has no cycles, and passing over it costs a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def held_sources(paths: Sequence[Path], root: Path | None) -> Callable[[str], SourceFile | None]:
    """Metadata by service id: of the files given, else of the current snapshot under ``root`` (None: of none)."""
    held = {item.name: item for item in find_sources(paths) if key_of(item)[0] == "service"}
    manifest = _current_manifest(root) if root is not None else None
    if root is not None and manifest is not None:
        loaded = [item for item in from_manifest(manifest).loaded if item.kind == "service" and item.name not in held]
        held.update({item.name: item for item in kept_sources(root, loaded, ())})
    return held.get


def _current_manifest(root: Path) -> Mapping[str, object] | None:
    digest = current_hash(root)
    try:
        return read_manifest(root, digest) if digest else None
    except SnapshotMissing:
        # Somebody removed the folder: build it again.
        return None


def _unchanged(root: Path, previous: Mapping[str, object], files: Sequence[SourceFile]) -> IngestReport:
    """Nothing to build. What was read from a service again has a newer instant, which is no part of the graph."""
    report = from_manifest(previous, unchanged=True)
    read_at = {source.shown: source.read_at for source in files}
    loaded = tuple(
        LoadedFile(**{**vars(item), "read_at": read_at.get(item.file, item.read_at)}) for item in report.loaded
    )
    if loaded != report.loaded:
        manifest = {**previous, "loaded": [vars(item) for item in loaded]}
        refresh_times(root, report.graph_hash, manifest, _times(loaded))
        report = from_manifest(manifest, unchanged=True)
    return report


def _publish(
    build: Build,
    lines: list[str],
    identity: str,
    previous: Mapping[str, object] | None,
    at: datetime | None,
) -> IngestReport:
    report = IngestReport(
        graph_hash="",
        quads=len(lines),
        loaded=tuple(build.loaded),
        refused=tuple(build.refused),
        warnings=tuple(build.warnings),
        unresolved=tuple(build.unresolved),
        ingested_at=at.isoformat() if at else "",
    )
    digest = write_snapshot(build.root, lines, to_manifest(report, identity), _times(build.loaded))
    before = from_manifest(previous) if previous is not None else IngestReport("")
    return from_manifest(read_manifest(build.root, digest)).against(
        changes_between(before.loaded, build.loaded),
        _element_changes(build.root, before, digest, build.loaded),
        before.graph_hash == digest,
    )


def _times(loaded: Sequence[LoadedFile]) -> dict[str, str]:
    """Named graph -> instant, of what was read from a live service."""
    return {graph_iri(item.kind, item.name, item.digest): item.read_at for item in loaded if item.read_at}


def _element_changes(root: Path, before: IngestReport, digest: str, loaded: Sequence[LoadedFile]) -> tuple[Change, ...]:
    """What differs inside the services that both snapshots hold."""
    old = {item.name: item for item in before.loaded if item.kind == "service"}
    pairs = [
        (old[item.name], item)
        for item in loaded
        if item.kind == "service" and item.name in old and old[item.name].digest != item.digest
    ]
    if not pairs:
        return ()
    try:
        stores = [EmbeddedStore(open_store(root, each)[0]) for each in (before.graph_hash, digest)]
    except (SnapshotMissing, SnapshotDamaged):
        return ()
    found: list[Change] = []
    for pair in pairs:
        graphs = [graph_iri("service", item.name, item.digest) for item in pair]
        facts = [Facts.of_graphs(store, [graph]) for store, graph in zip(stores, graphs, strict=True)]
        found += service_changes(pair[1].name, facts[0], facts[1])
    return tuple(found)
