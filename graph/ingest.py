"""Sources -> snapshot: read every file, refuse what cannot be read, check the tables, build, swap.

One file never stops another. Nothing becomes visible before the whole snapshot is on disk.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graph import bindings, curated, refers_to
from graph.bpmn import is_bpmn
from graph.bpmn import read_root as read_bpmn_root
from graph.bpmn_model import GATEWAYS
from graph.errors import NothingToIngest, SnapshotMissing, SourceError
from graph.from_bpmn import write_processes
from graph.from_csdl import write_service
from graph.ingest_report import IngestReport, LoadedFile, Refusal, changes_between, from_manifest, to_manifest
from graph.iris import GRAPH, graph_iri
from graph.known import Known
from graph.nquads import GraphWriter, sorted_lines
from graph.snapshot import current_hash, ingest_lock, read_manifest, write_snapshot
from graph.sources import TABLES, SourceFile, find_sources, sources_digest
from graph.tables import Row, read_table
from graph.vocabulary import OD
from odata.csdl import read_root as read_csdl_root
from odata.csdl_policy import CsdlPolicy
from odata.errors import MetadataError
from odata.safe_xml import parse_document

__all__ = ["IngestReport", "ingest"]

Progress = Callable[[str, int, int], None]
TableWriter = Callable[[GraphWriter, list[Row], Known], list[str]]
CATALOG = f"{GRAPH}catalog"


@dataclass
class _Build:
    """What one ingestion gathers."""

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
        entry = LoadedFile(source.shown, kind, name, source.digest, len(writer.lines()))
        self.loaded.append(entry)
        self.names[kind, name] = entry
        self.graphs.append((kind, name, writer))


def ingest(
    sources: Sequence[Path], root: Path, *, progress: Progress | None = None, policy: CsdlPolicy | None = None
) -> IngestReport:
    """Load files and folders into a new snapshot under ``root`` and make it current.

    ``progress`` is called with (file, number done, number of files). Raises ``NothingToIngest`` when no file could be
    loaded, ``SourceError`` for a path that does not exist. The same sources again give the same snapshot, at once.
    """
    files = find_sources(sources)
    identity = sources_digest(files)
    with ingest_lock(root):
        previous = _current_manifest(root)
        if previous is not None and previous.get("sources") == identity:
            return from_manifest(previous, unchanged=True)
        build = _Build(policy or CsdlPolicy())
        _read_all(files, build, progress)
        if not build.graphs:
            reasons = "; ".join(refusal.reason for refusal in build.refused) or "no file to load was found"
            raise NothingToIngest(f"nothing to ingest: {reasons}")
        lines = sorted_lines(writer.lines() for _, _, writer in build.graphs)
        build.graphs.clear()
        return _publish(root, identity, lines, build, previous)


def _current_manifest(root: Path) -> Mapping[str, object] | None:
    digest = current_hash(root)
    try:
        return read_manifest(root, digest) if digest else None
    except SnapshotMissing:
        # Somebody removed the folder: build it again.
        return None


def _publish(
    root: Path, identity: str, lines: list[str], build: _Build, previous: Mapping[str, object] | None
) -> IngestReport:
    report = IngestReport(
        graph_hash="",
        quads=len(lines),
        loaded=tuple(build.loaded),
        refused=tuple(build.refused),
        warnings=tuple(build.warnings),
        unresolved=tuple(build.unresolved),
        changes=changes_between(previous, build.loaded),
    )
    digest = write_snapshot(root, lines, to_manifest(report, identity))
    unchanged = previous is not None and previous.get("graph_hash") == digest
    return report.of_snapshot(digest, unchanged)


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
    data = source.path.read_bytes()
    root = parse_document(data, source.shown)
    name = source.path.stem
    if is_bpmn(root) or source.path.suffix.lower() == ".bpmn":
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
        findings = tuple(str(finding) for finding in metadata.findings)
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
    kind = source.table or ""
    columns, write = _table_writer(kind)
    rows = read_table(source.path.read_bytes(), source.shown, columns)
    writer = GraphWriter(graph_iri(kind, "", source.digest))
    problems = write(writer, rows, build.known)
    build.keep(kind, source.shown, source, writer)
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
