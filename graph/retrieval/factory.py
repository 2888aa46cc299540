"""Retrievers by name."""

from collections.abc import Callable, Mapping
from pathlib import Path

from graph.embeddings import Embedder
from graph.index import ensure_index
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.bm25 import Bm25Retriever
from graph.retrieval.bound import BindingsOnlyRetriever
from graph.retrieval.chunkrag import open_chunkrag
from graph.retrieval.chunks import ChunkSources
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.dense import DenseRetriever
from graph.retrieval.errors import IndexMissing, UnknownRetriever
from graph.retrieval.hybrid import open_hybrid, open_hybrid_no_bindings, open_hybrid_no_sequence
from graph.retrieval.tokens import open_tokens
from graph.views import GraphView

RETRIEVERS: Mapping[str, Callable[[Corpus], Retriever]] = {
    "dense": DenseRetriever,
    "bm25": Bm25Retriever,
    "hybrid": open_hybrid,
    "hybrid-no-bindings": open_hybrid_no_bindings,
    "hybrid-no-sequence": open_hybrid_no_sequence,
    "bindings-only": BindingsOnlyRetriever,
    "countersign": CountersignRetriever,
}
"""Those that need the index of the snapshot only."""

CHUNKED: Mapping[str, Callable[[Corpus, ChunkSources], Retriever]] = {"tokens": open_tokens, "chunkrag": open_chunkrag}
"""Those that cut texts into chunks of their own, which are built when one is asked for."""

NAMES = (
    *("dense", "tokens", "bm25", "chunkrag", "hybrid"),
    *("hybrid-no-bindings", "hybrid-no-sequence", "bindings-only", "countersign"),
)


def make_retriever(name: str, corpus: Corpus, chunks: ChunkSources | None = None) -> Retriever:
    """The retriever of that name over ``corpus``. Raises ``UnknownRetriever``; ``IndexMissing`` for one of ``CHUNKED`` without
    ``chunks``."""
    if name in CHUNKED:
        if chunks is None:
            raise IndexMissing(f"retriever {name!r} needs chunks, and none were given")
        return CHUNKED[name](corpus, chunks)
    if name not in RETRIEVERS:
        raise UnknownRetriever(f"retriever {name!r}: known are {', '.join(NAMES)}")
    return RETRIEVERS[name](corpus)


def open_retriever(
    name: str,
    view: GraphView,
    embedder: Embedder,
    snapshot: Path,
    *,
    cache: Path | None = None,
    documents: Callable[[], Mapping[str, str]] = dict,
) -> Retriever:
    """A retriever over the index in the snapshot's directory, which is built first when it is missing or unusable.

    ``documents``: service -> text of its metadata; only ``chunkrag`` asks.
    """
    corpus = Corpus(view, ensure_index(view, embedder, snapshot, cache=cache), embedder)
    sources = ChunkSources(embedder, snapshot, cache, documents)
    return make_retriever(name, corpus, sources)
