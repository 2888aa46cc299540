"""Retrievers by name."""

from collections.abc import Callable, Mapping

from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.bm25 import Bm25Retriever
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.dense import DenseRetriever
from graph.retrieval.errors import UnknownRetriever
from graph.retrieval.hybrid import HybridRetriever

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
