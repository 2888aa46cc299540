"""The retriever port, what all retrievers share of one snapshot, and how scores become hits."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graph.embeddings import Embedder, Vectors
from graph.index import SearchIndex
from graph.retrieval.errors import StaleIndex
from graph.retrieval.fields import EndpointFields, NodeFields
from graph.retrieval.lexicon import Lexicon
from graph.retrieval.process_map import ProcessMap
from graph.retrieval.traits import Traits
from graph.search_text import endpoint_text, node_text, stems
from graph.views import GraphView
from graph.word_lists import strange_texts
from wire.context import Hit, Reason

Matrix = npt.NDArray[np.float64]
Explain = Callable[[int], tuple[Reason, ...]]

_REMEMBERED_QUERIES = 256


@dataclass(frozen=True)
class Evidence:
    """How much a catalogue has to do with a query, whatever the retriever.

    ``cosine`` in [-1, 1] is the best of any endpoint or process node; ``standing`` how many standard deviations it lies above
    those of texts that no catalogue answers, which makes models comparable; ``words`` in [0, 1] is the share of what the query
    names, weighted by rarity, that one single endpoint or node has; ``processes`` gives each process the cosine of its best
    node, best first.
    """

    cosine: float
    words: float
    processes: tuple[tuple[str, float], ...] = ()
    standing: float = 0.0


class Retriever(Protocol):
    """``search`` is deterministic: equal scores stand in order of IRI. A longer list begins with the shorter one."""

    name: str

    def search(self, query: str, k: int) -> list[Hit]:
        """At most ``k`` hits, best first, each endpoint once, each with a reason."""
        ...

    def evidence(self, query: str) -> Evidence:
        """Whether the catalogue has anything to do with the query."""
        ...


@dataclass(frozen=True)
class Nearness:
    """Cosines of several queries, one a row: with the endpoints' passages, with process nodes, and with the labels and the
    documentation of these alone."""

    endpoints: Matrix
    nodes: Matrix
    labels: Matrix
    documentation: Matrix

    def best(self) -> npt.NDArray[np.float64]:
        """The best cosine of each query with any endpoint or process node; 0 when there are none."""
        both = np.concatenate([self.endpoints, self.nodes], axis=1)
        return both.max(axis=1) if both.shape[1] else np.zeros(len(both))


class Corpus:
    """One snapshot as retrievers see it: endpoints in IRI order, vectors, words, processes. Safe to share by threads."""

    def __init__(self, view: GraphView, index: SearchIndex, embedder: Embedder) -> None:
        if index.graph_hash != view.graph_hash or index.fingerprint != embedder.fingerprint:
            raise StaleIndex("the search index belongs to another graph or embedding model; run ingest")
        self.view = view
        self.endpoints = tuple(sorted(view.endpoints(), key=lambda item: item.iri))
        self.row: Mapping[str, int] = {item.iri: row for row, item in enumerate(self.endpoints)}
        self.index = index
        self.processes = ProcessMap(view, dict(self.row))
        self.lexicon = Lexicon([endpoint_text(item) for item in self.endpoints])
        self.node_lexicon = Lexicon([node_text(node) for node in self.processes.nodes])
        self.carries = view.carries
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def fields(self) -> EndpointFields:
        """The words of endpoints. Built on first use, as what follows is: seconds for 20,000 endpoints."""
        return EndpointFields(self.endpoints)

    @cached_property
    def node_fields(self) -> NodeFields:
        """The words of process nodes."""
        return NodeFields(self.processes.nodes)

    @cached_property
    def stem_lexicon(self) -> Lexicon:
        """Word search over the stems of endpoints' passages."""
        return Lexicon([" ".join(stems(endpoint_text(item))) for item in self.endpoints])

    @cached_property
    def traits(self) -> Traits:
        """What speaks for an endpoint before any query."""
        return Traits(self.endpoints, self.processes)

    @cached_property
    def background(self) -> tuple[float, float]:
        """Mean and standard deviation of the best cosines of texts that no catalogue answers, with this one."""
        near = self.nearness([(text,) for text in strange_texts()])
        best = near.best()
        return float(best.mean()), max(float(best.std()), 1e-6)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Query vectors, shape (n, d); the last few are remembered, and all new ones go through the model at once."""
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            self._vectors.update(zip(missing, self._embedder.embed_queries(missing), strict=True))
            found = np.stack([self._vectors[text] for text in texts])
            while len(self._vectors) > _REMEMBERED_QUERIES:
                self._vectors.popitem(last=False)
        return found

    def nearness(self, queries: Sequence[Sequence[str]]) -> Nearness:
        """Cosines of queries, each given by one or more readings of which the best counts."""
        vectors = self.embed([text for readings in queries for text in readings])
        return self._nearness(vectors, queries, self.index.endpoints.scores(vectors))

    def nearness_of(self, query: str, parts: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.float32], Nearness]:
        """Cosines of ``query`` as it is written with all endpoints, and the ``nearness`` of its parts; embedded at once."""
        vectors = self.embed([query, *(text for readings in parts for text in readings)])
        # One product for all: reading the whole table is what costs.
        endpoints = self.index.endpoints.scores(vectors)
        return endpoints[0], self._nearness(vectors[1:], parts, endpoints[1:])

    def _nearness(
        self, vectors: Vectors, queries: Sequence[Sequence[str]], endpoints: npt.NDArray[np.float32]
    ) -> Nearness:
        starts = np.cumsum([0, *(len(readings) for readings in queries[:-1])])
        others = (self.index.nodes, self.index.labels, self.index.documentation)
        found = (endpoints, *(table.scores(vectors) for table in others))
        return Nearness(*(np.maximum.reduceat(table, starts, axis=0).astype(np.float64) for table in found))


def ranking(scores: npt.NDArray[np.float32] | Matrix, k: int) -> list[int]:
    """Rows of the ``k`` best scores, equal scores by row (= by IRI). Rounded, so that noise of the last bit decides nothing."""
    rounded = np.round(scores.astype(np.float64), 6)
    rows = np.arange(len(rounded))
    if 0 < k < len(rounded):
        rows = np.flatnonzero(rounded >= np.partition(rounded, -k)[-k])
    order = np.lexsort((rows, -rounded[rows]))
    return [int(row) for row in rows[order[: max(k, 0)]]]


def make_hits(corpus: Corpus, rows: Sequence[int], scores: Mapping[int, float], explain: Explain) -> list[Hit]:
    """Hits in the order of ``rows``."""
    hits = []
    for rank, row in enumerate(rows, start=1):
        item = corpus.endpoints[row]
        score = round(float(scores[row]), 6)
        hits.append(
            Hit(
                service=item.service,
                endpoint=item.endpoint,
                kind=item.kind,
                rank=rank,
                score=score,
                reasons=explain(row),
            )
        )
    return hits
