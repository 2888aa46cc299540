"""Chunks of text with the endpoints that each leads to, their vectors, and the retriever over them.

Vectors come from the cache by content hash. The finished table stands in ``<snapshot>/chunks/<fingerprint>/<kind>.npz`` with
what it was built from, so that a worker starts without encoding, and a table of another graph, model or text is refused.
Nothing here is built unless a chunk retriever is asked for.
"""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graph.embeddings import Embedder, Vectors
from graph.retrieval.base import Corpus, Evidence, make_hits, ranking
from graph.retrieval.errors import IndexCorrupt, IndexMissing, IndexUnusable, StaleIndex
from graph.retrieval.evidence import weigh
from graph.vector_cache import VectorCache
from wire.context import Hit, Reason

Progress = Callable[[int, int], None]

_FORMAT = 1
_SLICE = 256
"""So many chunks are encoded and cached at a time: what a killed build has paid for is kept."""


@dataclass(frozen=True)
class Chunk:
    """A piece of text and the rows of the endpoints that it leads to."""

    text: str
    rows: tuple[int, ...]


@dataclass(frozen=True)
class ChunkSources:
    """Where chunk retrievers get what an index does not hold.

    ``folder``: the snapshot's directory; ``cache``: vectors kept over snapshots; ``documents``: service -> text of its
    metadata, asked for by ``chunkrag`` only; ``progress``: called with (chunks done, chunks) while encoding.
    """

    embedder: Embedder
    folder: Path
    cache: Path | None = None
    documents: Callable[[], Mapping[str, str]] = dict
    progress: Progress | None = None


class ChunkTable:
    """Unit vectors of chunks, and flat (chunk, endpoint row) pairs."""

    def __init__(self, vectors: Vectors, chunk_of: npt.NDArray[np.int64], row_of: npt.NDArray[np.int64]) -> None:
        self.vectors, self.chunk_of, self.row_of = vectors, chunk_of, row_of

    def scores(self, query: Vectors, rows: int) -> npt.NDArray[np.float32]:
        """Best cosine of any chunk that leads to an endpoint, by row; -inf where none does."""
        found = np.full(rows, -np.inf, dtype=np.float32)
        if len(self.vectors):
            np.maximum.at(found, self.row_of, (self.vectors @ query)[self.chunk_of])
        return found


class ChunkRetriever:
    """An endpoint is as near as the nearest chunk that leads to it."""

    def __init__(self, name: str, corpus: Corpus, table: ChunkTable) -> None:
        self.name = name
        self._corpus = corpus
        self._table = table

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``. Endpoints that no chunk leads to are no hits."""
        if not self._corpus.endpoints:
            return []
        scores = self._table.scores(self._corpus.embed([query])[0], len(self._corpus.endpoints))
        rows = [row for row in ranking(scores, k) if np.isfinite(scores[row])]
        place = {row: rank for rank, row in enumerate(rows, start=1)}
        found = {row: float(scores[row]) for row in rows}
        return make_hits(
            self._corpus,
            rows,
            found,
            lambda row: (Reason(kind="dense", text=f"nearest chunk, rank {place[row]} (cosine {found[row]:.2f})"),),
        )

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)


def ensure_table(
    kind: str, corpus: Corpus, sources: ChunkSources, digest: str, cut: Callable[[], Sequence[Chunk]]
) -> ChunkTable:
    """Load the table, or cut, encode and write it. ``digest`` names the texts and the way of cutting."""
    try:
        return load_table(kind, corpus, sources, digest)
    except IndexUnusable:
        chunks = cut()
        vectors = _encode(sources, [chunk.text for chunk in chunks])
        pairs = [(number, row) for number, chunk in enumerate(chunks) for row in chunk.rows]
        flat = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
        table = ChunkTable(vectors, flat[:, 0], flat[:, 1])
        _write(_path(kind, sources), table, _manifest(corpus, sources, digest))
        return table


def load_table(kind: str, corpus: Corpus, sources: ChunkSources, digest: str) -> ChunkTable:
    """The table built earlier. Raises ``IndexUnusable`` saying what is wrong with it."""
    path = _path(kind, sources)
    if not path.is_file():
        raise IndexMissing(f"{path}: no chunks for this graph and embedding model")
    try:
        with np.load(path, allow_pickle=False) as held:
            manifest = json.loads(str(held["manifest"]))
            table = ChunkTable(held["vectors"], held["chunk_of"], held["row_of"])
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise IndexCorrupt(f"{path}: not readable ({error}); remove it to build it again") from error
    if manifest != _manifest(corpus, sources, digest):
        raise StaleIndex(f"{path}: built from another graph, model or text; build it again")
    return table


def texts_digest(parts: Sequence[object]) -> str:
    """SHA-256 over anything that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def _path(kind: str, sources: ChunkSources) -> Path:
    return sources.folder / "chunks" / sources.embedder.fingerprint.key / f"{kind}.npz"


def _manifest(corpus: Corpus, sources: ChunkSources, digest: str) -> dict[str, object]:
    return {
        "format": _FORMAT,
        "graph_hash": corpus.index.graph_hash,
        "model": asdict(sources.embedder.fingerprint),
        "texts": digest,
    }


def _encode(sources: ChunkSources, texts: Sequence[str]) -> Vectors:
    """Equal texts once, shortest first, so that the texts of one batch are about equally long."""
    order = sorted(dict.fromkeys(texts), key=lambda text: (len(text), text))
    known: dict[str, Vectors] = {}
    for start in range(0, len(order), _SLICE):
        some = order[start : start + _SLICE]
        made = (
            sources.embedder.embed_passages(some)
            if sources.cache is None
            else VectorCache(sources.cache).embed(sources.embedder, some)
        )
        known.update(zip(some, made, strict=True))
        if sources.progress is not None:
            sources.progress(min(start + _SLICE, len(order)), len(order))
    if not texts:
        return np.zeros((0, sources.embedder.fingerprint.dims), dtype=np.float32)
    return np.stack([known[text] for text in texts])


def _write(path: Path, table: ChunkTable, manifest: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".building-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(
                file,
                vectors=table.vectors,
                chunk_of=table.chunk_of,
                row_of=table.row_of,
                manifest=np.array(json.dumps(manifest)),
            )
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
