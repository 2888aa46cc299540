"""The same catalogue many times over, to see what a search costs at a size that no corpus here has."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import psutil

from evaluation.retrieval.bench import Bench
from evaluation.retrieval.latency import quantiles
from evaluation.retrieval.ranking import rank_all
from evaluation.retrieval.world import Remembering, World
from graph.embeddings import Embedder, Fingerprint, Vectors
from graph.index import ensure_index
from graph.retrieval.base import Corpus
from graph.retrieval.factory import make_retriever
from graph.vector_cache import VectorCache
from graph.views import EndpointSummary, GraphView

SIZE = 20_000
MOST_QUERIES = 60
_MEGABYTE = 1 << 20
_SCATTER = 0.01


class Scattered:
    """A model that gives a text that it meets again a slightly other vector: equal ones would be ties, which no real catalogue
    has by the thousand."""

    def __init__(self, inner: Embedder, cache: Path) -> None:
        self._inner, self._cache = Remembering(inner), VectorCache(cache)

    @property
    def fingerprint(self) -> Fingerprint:
        """See ``Embedder``."""
        return self._inner.fingerprint

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._inner.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        vectors = self._cache.embed(self._inner, texts)
        _, first = np.unique(np.array(texts), return_index=True)
        again = np.setdiff1d(np.arange(len(texts)), first)
        noise = np.random.default_rng(0).normal(0, _SCATTER, (len(again), vectors.shape[1]))
        vectors[again] += noise.astype(np.float32)
        return np.ascontiguousarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


class _Repeated:
    """Copies under other service names, so that texts are the same; the process layer stands once."""

    def __init__(self, view: GraphView, size: int) -> None:
        self._view, self._size = view, size
        self.graph_hash = sha256(f"{view.graph_hash} {size} endpoints".encode()).hexdigest()

    @cached_property
    def _endpoints(self) -> Sequence[EndpointSummary]:
        own = self._view.endpoints()
        copies = [
            replace(item, iri=f"{item.iri}?copy={number:04}", service=f"{item.service}_{number}")
            for number in range(1, self._size // max(len(own), 1) + 1)
            for item in own
        ]
        return sorted([*own, *copies][: self._size], key=lambda item: item.iri)

    def endpoints(self) -> Sequence[EndpointSummary]:
        return self._endpoints

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


def repeated(view: GraphView, size: int) -> GraphView:
    """``view`` with its endpoints repeated up to ``size``."""
    return cast(GraphView, _Repeated(view, size))


def measure_at(world: World, bench: Bench, size: int, methods: Sequence[str]) -> dict[str, Any]:
    """Search times beyond encoding over ``size`` endpoints, and the memory that corpus and retrievers took (RSS)."""
    before = psutil.Process().memory_info().rss
    view = world.view if size == len(world.view.endpoints()) else repeated(world.view, size)
    model = Scattered(world.embedder, world.cache / "vectors")
    corpus = Corpus(view, ensure_index(view, model, world.work / "scaled" / view.graph_hash), model)
    names = {(item.service, item.endpoint): (item.service, item.endpoint) for item in view.endpoints()}
    queries = bench.scored[:MOST_QUERIES]
    found: dict[str, Any] = {}
    for name in methods:
        retriever = make_retriever(name, corpus)
        retriever.search(queries[0].text, 10)
        ranked = rank_all(retriever, queries, names)
        found[name] = quantiles(ranked.seconds, ranked.cpu)
    grown = psutil.Process().memory_info().rss - before
    return {"endpoints": len(names), "queries": len(queries), "ms": found, "memory_mb": round(grown / _MEGABYTE)}
