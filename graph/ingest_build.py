"""Reading the sources of one ingestion into named graphs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graph import bindings, curated, refers_to
from graph.bpmn import is_bpmn
from graph.bpmn import read_root as read_bpmn_root
from graph.code_snapshot import write_read_codes
from graph.errors import SourceError
from graph.from_bpmn import write_processes
from graph.from_csdl import write_service
from graph.ingest_report import LoadedFile, Refusal
from graph.iris import GRAPH, graph_iri
from graph.known import Known
from graph.nquads import GraphWriter
from graph.sap_attributes import write_sap_attributes
from graph.service_facts import CATALOG
from graph.source_store import keep_source
from graph.sources import TABLES, SourceFile
from graph.tables import Row, read_table
from graph.turtle_bindings import read_turtle_bindings
from graph.vocabulary import OD
from odata.csdl import is_csdl
from odata.csdl import read_root as read_csdl_root
from odata.csdl_policy import CsdlPolicy
from odata.deep import deep_recursion
from odata.errors import MetadataError
from odata.safe_xml import parse_document

Progress = Callable[[str, int, int], None]
TableWriter = Callable[[GraphWriter, list[Row], Known], list[str]]


@dataclass
class Build:
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


def read_all(files: Sequence[SourceFile], build: Build, progress: Progress | None) -> None:
    """Services and processes first, then the tables that refer to them, then what is derived."""
    models = [source for source in files if source.table is None]
    tables = sorted(
        (source for source in files if source.table is not None), key=lambda item: TABLES.index(item.table or "")
    )
    for number, source in enumerate((*models, *tables), start=1):
        try:
            if source.table is None:
                with deep_recursion():
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


def _read_model(source: SourceFile, build: Build) -> None:
    data, name = source.read(), source.name
    root = parse_document(data, source.shown)
    # The root decides, not the name; the name only says what a file that is neither was meant to be.
    if is_bpmn(root) or (source.shown.lower().endswith(".bpmn") and not is_csdl(root)):
        if _taken("process", name, source, build):
            return
        document = read_bpmn_root(root, data, source.shown)
        writer, findings = write_processes(name, document, build.known)
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


def _taken(kind: str, name: str, source: SourceFile, build: Build) -> bool:
    """Whether the same content is loaded under that name already; other content under it is refused."""
    other = build.names.get((kind, name))
    if other is None:
        return False
    if other.digest != source.digest:
        reason = f"the {kind} name {name} is taken by {other.file}"
        raise SourceError(source.shown, None, "", reason, "rename one of the two files")
    build.warnings.append(f"{source.shown}: same content as {other.file}, loaded once")
    return True


def _read_table(source: SourceFile, build: Build) -> None:
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


def _write_catalog(build: Build) -> None:
    """The graph of graphs: readers find from it which named graph holds what."""
    catalog = GraphWriter(CATALOG)
    for kind, name, writer in build.graphs:
        catalog.type(writer.graph, OD.Catalog)
        catalog.text(writer.graph, OD.kind, kind)
        catalog.text(writer.graph, OD.name, name)
    if build.graphs:
        build.graphs.append(("catalog", "", catalog))
