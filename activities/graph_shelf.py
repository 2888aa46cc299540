"""The graph snapshots of one library, opened read-only and kept; the embedding model loads at the first search."""

from pathlib import Path
from threading import Lock

from graph.context import build_context
from graph.embeddings import Embedder, make_embedder
from graph.errors import SnapshotMissing
from graph.index import ensure_index
from graph.library import Library
from graph.reader import SnapshotReader
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.chunks import ChunkSources
from graph.retrieval.documents import documents_of
from graph.retrieval.factory import make_retriever
from graph.views import GraphView
from wire.context import TypedContext


class GraphShelf:
    """Implements ``activities.ports.Graphs``."""

    def __init__(self, library: Library, root: Path, *, embedder: str, retriever: str, budget_tokens: int) -> None:
        """``root``: folder on this machine for vectors that are kept over snapshots."""
        self._library = library
        self._root = root
        self._embedder_name = embedder
        self._retriever_name = retriever
        self._budget = budget_tokens
        self._embedder: Embedder | None = None
        self._open: dict[str, SnapshotReader] = {}
        self._retrievers: dict[str, Retriever] = {}
        self._lock = Lock()

    def current(self) -> str:
        """Hash of the snapshot that new runs get. Raises ``SnapshotMissing``."""
        digest = self._library.current()
        if digest is None:
            raise SnapshotMissing(f"no graph in {self._root}: run 'starter.py ingest' first")
        return digest

    def at(self, graph_hash: str) -> GraphView:
        """The snapshot of that hash."""
        with self._lock:
            return self._reader(graph_hash)

    def read_at(self, graph_hash: str, service: str) -> dict[str, str]:
        """When metadata and codes of a service were read live (``SnapshotReader.read_at``)."""
        with self._lock:
            return self._reader(graph_hash).read_at(service)

    def retriever(self, graph_hash: str) -> Retriever:
        """The retriever over that snapshot; builds the vector index when there is none yet."""
        with self._lock:
            if graph_hash not in self._retrievers:
                view = self._reader(graph_hash)
                self._embedder = self._embedder or make_embedder(self._embedder_name)
                folder = self._library.folder(graph_hash)
                index = ensure_index(view, self._embedder, folder, cache=self._root / "vectors")
                chunks = ChunkSources(
                    self._embedder, folder, self._root / "vectors", lambda: documents_of(self._root, graph_hash)
                )
                corpus = Corpus(view, index, self._embedder)
                self._retrievers[graph_hash] = make_retriever(self._retriever_name, corpus, chunks)
            return self._retrievers[graph_hash]

    def context(self, goal: str, graph_hash: str, services: tuple[str, ...]) -> TypedContext:
        """The typed context for a goal on that snapshot, of these services only when any are given."""
        retriever = self.retriever(graph_hash)
        context = build_context(goal, self.at(graph_hash), retriever, budget_tokens=self._budget)
        if not services:
            return context
        kept = tuple(e for e in context.endpoints if e.service in services)
        cut = (*context.cut, f"the task is limited to {', '.join(services)}")
        return context.model_copy(update={"endpoints": kept, "cut": cut})

    def warm(self) -> None:
        """Load the current index, the model and the word index, so that the first run does not wait for them."""
        # With an index on disk nothing was embedded yet: a model loads with its first text, words with the first search.
        self.retriever(self.current()).search("warm", 1)

    def _reader(self, graph_hash: str) -> SnapshotReader:
        if graph_hash not in self._open:
            self._open[graph_hash] = self._library.open(graph_hash)
        return self._open[graph_hash]
