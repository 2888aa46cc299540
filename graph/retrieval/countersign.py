"""The default retriever: dense and word scores fused, and a walk along the process that the query is about.

1. The query and each of its clauses are scored against endpoints and process nodes; words of other languages are translated
   into the words of metadata first.
2. If the query asks for a chain, the process that answers its clauses best is chosen, each clause is anchored to a node of it,
   and the endpoints bound to the anchors and to what follows them gain.
3. Otherwise the dense first keeps a seat among the first three, the dense second among the first five.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graph.clauses import split_clauses
from graph.retrieval.anchors import Reached, asks_for_chain, best_process, find_anchors, walk_from
from graph.retrieval.base import Corpus, Evidence, Matrix, Nearness, make_hits, ranking
from graph.retrieval.bm25 import words_reason
from graph.retrieval.dense import dense_reason
from graph.retrieval.evidence import weigh
from graph.retrieval.glossary import expand, readings
from graph.retrieval.prior import endpoint_prior
from graph.retrieval.weights import Weights
from graph.search_text import tokens
from wire.context import Hit, Reason

DENSE_SEATS = (3, 5)
"""Unless a chain is asked for, the dense first stands at rank 3 or better, the dense second at rank 5 or better."""


@dataclass(frozen=True)
class _Query:
    """The parts of a query, whole first; row i of the matrices belongs to ``parts[i]``."""

    parts: tuple[str, ...]
    cosines: Matrix
    endpoints: Matrix
    nodes: Matrix


class CountersignRetriever:
    """Activity-anchored walk over fused scores."""

    name = "countersign"

    def __init__(self, corpus: Corpus, weights: Weights | None = None) -> None:
        self._corpus = corpus
        self._weights = weights or Weights()
        self._prior = endpoint_prior(corpus, self._weights)

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``."""
        if k < 1 or not self._corpus.endpoints:
            return []
        clauses = split_clauses(query)
        read = self._read(query, clauses)
        scores = read.endpoints[0].copy()
        if len(read.parts) > 1:
            scores = np.maximum(scores, self._weights.clause * read.endpoints[1:].max(axis=0))
        chain = asks_for_chain(query, clauses)
        reached = self._walk(read) if chain else {}
        for row, step in reached.items():
            scores[row] = max(scores[row], step.score + self._weights.step)
        dense = ranking(read.cosines[0], max(DENSE_SEATS))
        rows = ranking(scores, max(k, *DENSE_SEATS))
        rows = (rows if chain else _seat(rows, dense))[:k]
        words = tokens(" ".join(read.parts))
        found = {row: float(scores[row]) for row in rows}
        return make_hits(self._corpus, rows, found, lambda row: self._explain(read, words, dense, reached, row))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)

    def _read(self, query: str, clauses: tuple[str, ...]) -> _Query:
        asked = (query, *(clauses if len(clauses) > 1 else ()))
        near = self._corpus.nearness([readings(part) for part in asked])
        parts = tuple(expand(part) for part in asked)
        spoken = [tokens(part) for part in parts]
        nodes = self._nodes(near, np.array([self._corpus.node_lexicon.scores(words) for words in spoken]))
        endpoints = self._endpoints(near, nodes, np.array([self._corpus.lexicon.scores(words) for words in spoken]))
        return _Query(parts, near.endpoints, endpoints, nodes)

    def _nodes(self, near: Nearness, words: npt.NDArray[np.float32]) -> Matrix:
        return near.nodes + self._weights.node_words * words / (words + self._weights.node_words_half)

    def _endpoints(self, near: Nearness, nodes: Matrix, words: npt.NDArray[np.float32]) -> Matrix:
        weights = self._weights
        scores = (1 - weights.name) * near.endpoints + weights.name * near.names + self._prior
        scores += weights.words * words / (words + weights.words_half)
        for row, bound in self._corpus.processes.bound_at.items():
            scores[:, row] = np.maximum(scores[:, row], weights.node * nodes[:, bound].max(axis=1))
        return scores

    def _walk(self, read: _Query) -> dict[int, Reached]:
        processes, weights = self._corpus.processes, self._weights
        process = best_process(processes, read.nodes)
        if process is None:
            return {}
        least = read.endpoints.max(axis=1) - weights.slack
        anchors = [item for item in find_anchors(processes, process, read.nodes) if item.score >= least[item.part]]
        return walk_from(processes, anchors, decay=weights.decay, reach=weights.reach)

    def _explain(
        self, read: _Query, words: list[str], dense: list[int], reached: dict[int, Reached], row: int
    ) -> tuple[Reason, ...]:
        reasons = [reached[row].reason] if row in reached else []
        part = int(np.argmax(np.round(read.cosines[:, row], 6)))
        if row in dense:
            reasons.append(dense_reason(dense.index(row) + 1, float(read.cosines[0, row])))
        elif not reasons:
            about = f' for "{read.parts[part]}"' if part else ""
            reasons.append(Reason(kind="dense", text=f"near text{about} (cosine {read.cosines[part, row]:.2f})"))
        if self._corpus.lexicon.matched(words, row):
            reasons.append(words_reason(self._corpus, words, row))
        return tuple(reasons)


def _seat(rows: list[int], dense: list[int]) -> list[int]:
    """``rows`` with the first dense hits moved up to their seats; nothing else changes its order."""
    seated = list(rows)
    for row, seat in zip(dense, DENSE_SEATS, strict=False):
        if row not in seated[:seat]:
            seated = [other for other in seated if other != row]
            seated.insert(seat - 1, row)
    return seated
