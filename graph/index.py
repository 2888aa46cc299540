"""The vector index of one graph snapshot and one embedding model: built once, loaded by every worker.

It stands in ``<snapshot>/index/<fingerprint>/``: FAISS files (endpoints, process nodes, and the nodes' labels and
documentation alone) and a manifest. It is built beside its place and renamed into it, so that a reader sees a whole index or
none, and two builders at once do no harm.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from graph.embeddings import Embedder, Fingerprint, Vectors
from graph.retrieval.errors import IndexCorrupt, IndexMismatch, IndexMissing, IndexUnusable, StaleIndex
from graph.search_text import DENSE_PROPERTIES, documentation_text, endpoint_text, label_text, node_text
from graph.vector_cache import VectorCache
from graph.views import GraphView

FORMAT = 3
KINDS = ("endpoints", "nodes", "labels", "documentation")
_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Passages:
    """Texts of one kind with the IRIs that they stand for, sorted by IRI."""

    iris: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over IRIs and texts: a change of either makes an index stale."""
        return hashlib.sha256(json.dumps([self.iris, self.texts]).encode()).hexdigest()


def passages_of(view: GraphView) -> dict[str, Passages]:
    """Kind -> passages: ``endpoints``; ``nodes`` of processes, and their ``labels`` and ``documentation`` alone."""
    endpoints = sorted(view.endpoints(), key=lambda item: item.iri)
    nodes = sorted(view.process_nodes(), key=lambda item: item.iri)
    iris = tuple(item.iri for item in nodes)
    texts = [endpoint_text(item, DENSE_PROPERTIES) for item in endpoints]
    return {
        "endpoints": Passages(tuple(item.iri for item in endpoints), tuple(texts)),
        "nodes": Passages(iris, tuple(node_text(item) for item in nodes)),
        "labels": Passages(iris, tuple(label_text(item) for item in nodes)),
        "documentation": Passages(iris, tuple(documentation_text(item) for item in nodes)),
    }


class VectorTable:
    """Unit vectors of one kind of passage, row i belonging to ``iris[i]``; inner product is cosine."""

    def __init__(self, iris: Sequence[str], index: Any) -> None:
        self.iris = tuple(iris)
        self._index = index
        flat = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d) if index.ntotal else np.zeros(0, np.float32)
        self._vectors: Vectors = flat.reshape(index.ntotal, index.d)

    def scores(self, queries: Vectors) -> npt.NDArray[np.float32]:
        """Cosines of query vectors (n, d) with every row, shape (n, rows)."""
        return np.asarray(queries @ self._vectors.T, dtype=np.float32)

    def nearest(self, query: Vectors, k: int) -> list[tuple[str, float]]:
        """The ``k`` best (IRI, cosine), best first; equal cosines in order of IRI, also across the cut."""
        total = len(self.iris)
        k, width = min(k, total), min(k + 8, total)
        while k > 0:
            values, rows = self._index.search(query[None, :], width)
            found = [(round(float(value), 6), self.iris[row]) for value, row in zip(values[0], rows[0], strict=True)]
            if width == total or found[-1][0] < found[k - 1][0]:
                return [(iri, value) for value, iri in sorted(found, key=lambda pair: (-pair[0], pair[1]))[:k]]
            width = min(width * 2, total)
        return []


@dataclass(frozen=True)
class SearchIndex:
    """The tables of one snapshot and one model; ``labels`` and ``documentation`` have the rows of ``nodes``."""

    graph_hash: str
    fingerprint: Fingerprint
    endpoints: VectorTable
    nodes: VectorTable
    labels: VectorTable
    documentation: VectorTable


def index_folder(snapshot: Path, fingerprint: Fingerprint) -> Path:
    """Where the index of that model stands in a snapshot's directory."""
    return snapshot / "index" / fingerprint.key


def build_index(view: GraphView, embedder: Embedder, snapshot: Path, *, cache: Path | None = None) -> SearchIndex:
    """Encode what the cache does not hold, write the index into the snapshot's directory, and load it.

    ``cache`` is a folder kept over snapshots; without one, every text is encoded.
    """
    folder = index_folder(snapshot, embedder.fingerprint)
    folder.parent.mkdir(parents=True, exist_ok=True)
    kinds = passages_of(view)
    work = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    try:
        for kind, passages in kinds.items():
            vectors = _encode(embedder, passages.texts, cache)
            table = faiss.IndexFlatIP(embedder.fingerprint.dims)
            table.add(vectors)
            faiss.write_index(table, str(work / f"{kind}.faiss"))
        manifest = _manifest(view.graph_hash, embedder.fingerprint, kinds)
        written = manifest | {"files": {kind: _digest(work / f"{kind}.faiss") for kind in kinds}}
        (work / _MANIFEST).write_text(json.dumps(written, indent=1), encoding="utf-8")
        _put_in_place(work, folder, manifest)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return load_index(view, embedder.fingerprint, snapshot)


def load_index(view: GraphView, fingerprint: Fingerprint, snapshot: Path) -> SearchIndex:
    """The index built earlier, without encoding anything. Raises ``IndexUnusable`` saying what is wrong with it."""
    folder = index_folder(snapshot, fingerprint)
    kinds = passages_of(view)
    _check(folder, _manifest(view.graph_hash, fingerprint, kinds))
    tables = {kind: VectorTable(passages.iris, _read(folder / f"{kind}.faiss")) for kind, passages in kinds.items()}
    return SearchIndex(view.graph_hash, fingerprint, *(tables[kind] for kind in KINDS))


def ensure_index(view: GraphView, embedder: Embedder, snapshot: Path, *, cache: Path | None = None) -> SearchIndex:
    """Load the index, or build it when it is missing, stale or damaged."""
    try:
        return load_index(view, embedder.fingerprint, snapshot)
    except IndexUnusable:
        return build_index(view, embedder, snapshot, cache=cache)


def _encode(embedder: Embedder, texts: Sequence[str], cache: Path | None) -> Vectors:
    return embedder.embed_passages(texts) if cache is None else VectorCache(cache).embed(embedder, texts)


def _manifest(graph_hash: str, fingerprint: Fingerprint, kinds: dict[str, Passages]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "graph_hash": graph_hash,
        "model": asdict(fingerprint),
        "passages": {kind: {"rows": len(passages.iris), "digest": passages.digest} for kind, passages in kinds.items()},
    }


def _check(folder: Path, wanted: dict[str, Any]) -> None:
    path = folder / _MANIFEST
    if not path.is_file():
        raise IndexMissing(f"{folder}: no search index for this graph and embedding model; run ingest to build it")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise IndexCorrupt(f"{path}: not readable as JSON ({error}); run ingest to build the index again") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise IndexCorrupt(f"{path}: unknown format; run ingest to build the index again")
    if found.get("graph_hash") != wanted["graph_hash"]:
        built, snapshot = found.get("graph_hash"), wanted["graph_hash"]
        raise StaleIndex(f"{folder}: built from graph {built}, but the snapshot is {snapshot}; run ingest")
    if found.get("model") != wanted["model"]:
        raise IndexMismatch(f"{folder}: built with another embedding model ({found.get('model')}); run ingest")
    if found.get("passages") != wanted["passages"]:
        raise StaleIndex(f"{folder}: the texts of the endpoints or process nodes differ from those indexed; run ingest")
    _check_files(folder, found.get("files"))


def _check_files(folder: Path, digests: Any) -> None:
    for kind in KINDS:
        path = folder / f"{kind}.faiss"
        if not path.is_file() or not isinstance(digests, dict) or _digest(path) != digests.get(kind):
            raise IndexCorrupt(f"{path}: missing, or not the bytes that were written; run ingest")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path) -> Any:
    try:
        return faiss.read_index(str(path))
    except RuntimeError as error:
        raise IndexCorrupt(f"{path}: FAISS cannot read it ({error}); run ingest to build the index again") from error


def _put_in_place(work: Path, folder: Path, manifest: dict[str, Any]) -> None:
    try:
        work.rename(folder)
        return
    except OSError:
        if not folder.is_dir():
            raise
    try:
        _check(folder, manifest)  # another builder was first and made the same: ours is not needed
    except IndexUnusable:
        old = Path(tempfile.mkdtemp(prefix=".replaced-", dir=folder.parent))
        folder.rename(old / "index")
        work.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
