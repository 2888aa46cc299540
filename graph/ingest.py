"""Sources -> snapshot: read every file, refuse what cannot be read, check the tables, build, swap.

One file never stops another. Nothing becomes visible before the whole snapshot is on disk.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from graph import bindings, curated, refers_to
from graph.bpmn import is_bpmn
from graph.bpmn import read_root as read_bpmn_root
from graph.bpmn_model import GATEWAYS
from graph.changes import Change, service_changes
from graph.code_snapshot import write_read_codes
from graph.errors import NothingToIngest, SnapshotDamaged, SnapshotMissing, SourceError
from graph.facts import Facts
from graph.from_bpmn import write_processes
from graph.from_csdl import write_service
from graph.ingest_report import IngestReport, LoadedFile, Refusal, changes_between, from_manifest, to_manifest
from graph.iris import GRAPH, graph_iri
from graph.known import Known
from graph.nquads import GraphWriter, sorted_lines
from graph.sap_attributes import write_sap_attributes
from graph.snapshot import current_hash, ingest_lock, open_store, read_manifest, refresh_times, write_snapshot
from graph.source_store import keep_source, kept_sources
from graph.sources import TABLES, SourceFile, find_sources, sources_digest
from graph.store import EmbeddedStore
from graph.tables import Row, read_table
from graph.turtle_bindings import read_turtle_bindings
from graph.vocabulary import OD
from odata.csdl import read_root as read_csdl_root
from odata.csdl_policy import CsdlPolicy
from odata.errors import MetadataError
from odata.safe_xml import parse_document

__all__ = ["Gathered", "IngestReport", "ingest"]

Progress = Callable[[str, int, int], None]
TableWriter = Callable[[GraphWriter, list[Row], Known], list[str]]
CATALOG = f"{GRAPH}catalog"


@dataclass(frozen=True)
class Gathered:
    """Sources that are no files here (metadata and codes of live services), services that gave none, and lines about what
    was cut or left out."""

    sources: tuple[SourceFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class _Build:
    """What one ingestion gathers."""

    root: Path
    policy: CsdlPolicy
    known: Known = field(default_factory=Known)
    graphs: list[tuple[str, str, GraphWriter]] = field(default_factory=list)
    loaded: list[LoadedFile] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    names: dict[tuple[str, str], LoadedFile] = field(default_factory=dict)

    def keep(self, kind: str, name: str, source: SourceFile, writer: GraphWriter) -> None:
        """Take in the finished graph of one file."""
        entry = LoadedFile(source.shown, kind, name, source.digest, len(writer.lines()), source.read_at)
        self.loaded.append(entry)
        self.names[kind, name] = entry
        self.graphs.append((kind, name, writer))


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
    with ingest_lock(root):
        previous = _current_manifest(root)
        if keep and previous is not None:
            files += kept_sources(root, from_manifest(previous).loaded, files)
        files.sort(key=lambda item: (item.shown, str(item.path)))
        identity = sources_digest(files, chosen)
        if previous is not None and previous.get("sources") == identity:
            return _unchanged(root, previous, files).told(more.refused, more.notes)
        build = _Build(root, chosen)
        _read_all(files, build, progress)
        if not build.graphs:
            reasons = [refusal.reason for refusal in (*build.refused, *more.refused)]
            raise NothingToIngest(f"nothing to ingest: {'; '.join(reasons) or 'no file to load was found'}")
        lines = sorted_lines(writer.lines() for _, _, writer in build.graphs)
        build.graphs.clear()
        return _publish(build, lines, identity, previous, at).told(more.refused, more.notes)


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
    build: _Build,
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


def _read_all(files: Sequence[SourceFile], build: _Build, progress: Progress | None) -> None:
    """Services and processes first, then the tables that refer to them, then what is derived."""
    models = [source for source in files if source.table is None]
    tables = sorted(
        (source for source in files if source.table is not None), key=lambda item: TABLES.index(item.table or "")
    )
    for number, source in enumerate((*models, *tables), start=1):
        try:
            if source.table is None:
                _read_model(source, build)
            else:
                _read_table(source, build)
        except (MetadataError, SourceError) as error:
            build.refused.append(Refusal(source.shown, " ".join(str(error).split())))
        except RecursionError:
            reason = f"{source.shown}: elements are nested too deeply to be read; no service or model needs that"
            build.refused.append(Refusal(source.shown, reason))
        if progress is not None:
            progress(source.shown, number, len(files))
    derived = GraphWriter(f"{GRAPH}derived")
    refers_to.write_derived(derived, build.known)
    if derived.lines():
        build.graphs.append(("derived", "", derived))
    _write_catalog(build)


def _read_model(source: SourceFile, build: _Build) -> None:
    data, name = source.read(), source.name
    root = parse_document(data, source.shown)
    if is_bpmn(root) or source.shown.lower().endswith(".bpmn"):
        if _taken("process", name, source, build):
            return
        document = read_bpmn_root(root, data, source.shown)
        writer, findings = write_processes(name, document)
        for process in document.processes:
            for node in process.nodes:
                if node.kind not in GATEWAYS:
                    build.known.add_node(name, process.id, node.id)
        build.keep("process", name, source, writer)
    else:
        if _taken("service", name, source, build):
            return
        metadata = read_csdl_root(root, data, source.shown, build.policy)
        build.known.add_service(name, metadata)
        build.keep("service", name, source, write_service(name, metadata))
        attributes = write_sap_attributes(name, metadata)
        if attributes.lines():
            build.graphs.append(("sap", name, attributes))
        findings = tuple(str(finding) for finding in metadata.findings)
    keep_source(build.root, source, data)
    build.warnings += [f"{source.shown}: {finding}" for finding in findings]


def _taken(kind: str, name: str, source: SourceFile, build: _Build) -> bool:
    """Whether the same content is loaded under that name already; other content under it is refused."""
    other = build.names.get((kind, name))
    if other is None:
        return False
    if other.digest != source.digest:
        reason = f"the {kind} name {name} is taken by {other.file}"
        raise SourceError(source.shown, None, "", reason, "rename one of the two files")
    build.warnings.append(f"{source.shown}: same content as {other.file}, loaded once")
    return True


def _read_table(source: SourceFile, build: _Build) -> None:
    kind, data = source.table or "", source.read()
    if kind == "valuehelp":
        writer = GraphWriter(graph_iri(kind, source.name, source.digest))
        problems = write_read_codes(writer, data, source.shown, build.known)
        build.keep(kind, source.name, source, writer)
    else:
        columns, write = _table_writer(kind)
        turtle = source.shown.lower().endswith(".ttl")
        rows = read_turtle_bindings(data, source.shown) if turtle else read_table(data, source.shown, columns)
        writer = GraphWriter(graph_iri(kind, "", source.digest))
        problems = write(writer, rows, build.known)
        build.keep(kind, source.shown, source, writer)
    keep_source(build.root, source, data)
    (build.unresolved if kind == "bindings" else build.warnings).extend(problems)


def _table_writer(kind: str) -> tuple[Sequence[str], TableWriter]:
    if kind == "bindings":
        return bindings.COLUMNS, bindings.write_bindings
    if kind == "codes":
        return curated.CODE_COLUMNS, curated.write_codes
    if kind == "required":
        return curated.REQUIRED_COLUMNS, curated.write_required
    return refers_to.COLUMNS, refers_to.write_declared


def _write_catalog(build: _Build) -> None:
    """The graph of graphs: readers find from it which named graph holds what."""
    catalog = GraphWriter(CATALOG)
    for kind, name, writer in build.graphs:
        catalog.type(writer.graph, OD.Catalog)
        catalog.text(writer.graph, OD.kind, kind)
        catalog.text(writer.graph, OD.name, name)
    if build.graphs:
        build.graphs.append(("catalog", "", catalog))
