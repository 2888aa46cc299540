"""The graph that retrievers see: metadata and the benchmark's process layer. Queries, twins and golds stay outside."""

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from evaluation.retrieval.bench import Bench, Endpoint
from evaluation.retrieval.errors import BenchError
from graph.embeddings import Embedder, Fingerprint, Vectors
from graph.index import ensure_index
from graph.ingest import ingest
from graph.ingest_report import IngestReport
from graph.reader import open_snapshot
from graph.retrieval.base import Corpus
from graph.retrieval.chunks import ChunkSources
from graph.retrieval.documents import documents_of
from graph.tables import read_table
from graph.views import GraphView

TABLES = ("bindings.csv", "carryover.csv", "codes.csv", "required.csv")

Say = Callable[[str], None]


class Remembering:
    """Encodes each query text once, however many methods and graphs ask for it."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vectors] = {}

    @property
    def fingerprint(self) -> Fingerprint:
        """See ``Embedder``."""
        return self._inner.fingerprint

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._inner.embed_queries(missing), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else self._inner.embed_queries([])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._inner.embed_passages(texts)


@dataclass(frozen=True)
class World:
    """A graph and a model. ``work`` goes away after the run; ``cache`` keeps vectors by content for later runs."""

    view: GraphView
    embedder: Embedder
    work: Path
    cache: Path
    documents: Callable[[], Mapping[str, str]] = dict
    say: Say = print

    @cached_property
    def _model(self) -> Embedder:
        return Remembering(self.embedder)

    def corpus(self, view: GraphView | None = None) -> Corpus:
        """What retrievers need, of the graph itself or of a changed view of it."""
        seen = view or self.view
        index = ensure_index(seen, self._model, self._folder(seen), cache=self.cache / "vectors")
        return Corpus(seen, index, self._model)

    def chunks(self) -> ChunkSources:
        """Where chunk retrievers get their texts."""
        return ChunkSources(
            self.embedder, self._folder(self.view), self.cache / "vectors", self.documents, self._progress
        )

    def _folder(self, view: GraphView) -> Path:
        return self.work / "derived" / view.graph_hash

    def _progress(self, done: int, total: int) -> None:
        self.say(f"  encoded {done} of {total} chunks")


def build_world(
    benches: Sequence[Path], metadata: Path, embedder: Embedder, work: Path, cache: Path, say: Say
) -> World:
    """Ingest the metadata and the joined process layers. Raises ``GraphError``, ``BenchError``."""
    if not metadata.is_dir():
        raise BenchError(f"{metadata}: no such folder; --metadata needs the folder of the services' $metadata files")
    root = work / "graph"
    report = ingest([metadata, *_processes(benches), *_tables(benches, work)], root)
    say(f"graph: {report.quads} facts of {len(report.loaded)} files")
    for line in _complaints(report):
        say(line)
    view = open_snapshot(root, report.graph_hash)
    return World(view, embedder, work, cache, lambda: documents_of(root, report.graph_hash), say)


def missing_golds(bench: Bench, known: Collection[Endpoint]) -> dict[str, list[Endpoint]]:
    """Query id -> its golds that the metadata does not have."""
    found = {query.id: [gold for gold in query.gold if gold not in known] for query in bench.scored}
    return {name: golds for name, golds in found.items() if golds}


def _processes(benches: Sequence[Path]) -> list[Path]:
    """Process files, of byte-equal ones the first."""
    files = [path for bench in benches for path in sorted(bench.rglob("*.bpmn"))]
    distinct = {sha256(path.read_bytes()).hexdigest(): path for path in reversed(files)}
    return sorted(distinct.values())


def _tables(benches: Sequence[Path], work: Path) -> Iterator[Path]:
    """Tables of the folders; where several have one, their rows in one file, equal rows once."""
    for name in TABLES:
        held = [bench / name for bench in benches if (bench / name).is_file()]
        if len(held) == 1:
            yield held[0]
        elif held:
            joined = work / "joined" / name
            joined.parent.mkdir(parents=True, exist_ok=True)
            joined.write_text(join_tables(held), encoding="utf-8")
            yield joined


def join_tables(paths: Sequence[Path]) -> str:
    """CSV text with the columns of all files in order of appearance, and each distinct row once."""
    rows: dict[tuple[tuple[str, str], ...], None] = {}
    columns: dict[str, None] = {}
    for path in paths:
        header = next(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig", "replace"), newline="")), [])
        columns.update(dict.fromkeys(name.strip() for name in header))
        for row in read_table(path.read_bytes(), str(path), ()):
            rows[tuple(sorted((name, value) for name, value in row.values.items() if value))] = None
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(dict(row) for row in rows)
    return out.getvalue()


def _complaints(report: IngestReport) -> Iterator[str]:
    if report.refused:
        names = ", ".join(refusal.file for refusal in report.refused)
        yield f"not read: {len(report.refused)} files ({names})"
    if report.unresolved:
        reasons = sorted({line.rpartition(": ")[2] for line in report.unresolved})
        yield f"{len(report.unresolved)} rows of the process layer do not resolve and are left out: {'; '.join(reasons)}"
