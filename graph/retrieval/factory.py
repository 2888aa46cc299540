"""Retrievers by name."""

from collections.abc import Callable, Mapping
from pathlib import Path

from graph.embeddings import Embedder
from graph.index import ensure_index
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.bm25 import Bm25Retriever
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.dense import DenseRetriever
from graph.retrieval.errors import UnknownRetriever
from graph.retrieval.hybrid import HybridRetriever
from graph.views import GraphView

RETRIEVERS: Mapping[str, Callable[[Corpus], Retriever]] = {
    "dense": DenseRetriever,
    "bm25": Bm25Retriever,
    "hybrid": HybridRetriever,
    "countersign": CountersignRetriever,
}


def make_retriever(name: str, corpus: Corpus) -> Retriever:
    """The retriever of that name over ``corpus``."""
    if name not in RETRIEVERS:
        raise UnknownRetriever(f"retriever {name!r}: known are {', '.join(RETRIEVERS)}")
    return RETRIEVERS[name](corpus)


def open_retriever(
    name: str, view: GraphView, embedder: Embedder, snapshot: Path, *, cache: Path | None = None
) -> Retriever:
    """A retriever over the index in the snapshot's directory, which is built first when it is missing or unusable."""
    return make_retriever(name, Corpus(view, ensure_index(view, embedder, snapshot, cache=cache), embedder))
