"""The default retriever: dense and word scores fused, and a walk along the process that the query is about.

1. The query and each of its clauses are scored against endpoints and process nodes; words of other languages are translated
   into the words of metadata first.
2. If the query asks for a chain, the process that answers its clauses best is chosen, each clause is anchored to a node of it,
   and the endpoints bound to the anchors and to what follows them gain.
3. The dense first keeps a seat among the first three, the dense second among the first five.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graph.clauses import split_clauses
from graph.retrieval.anchors import Reached, asks_for_chain, best_process, find_anchors, walk_from
from graph.retrieval.base import Corpus, Evidence, make_hits, ranking
from graph.retrieval.bm25 import words_reason
from graph.retrieval.dense import dense_reason
from graph.retrieval.evidence import weigh
from graph.retrieval.glossary import expand, readings
from graph.retrieval.weights import Weights
from graph.search_text import tokens
from wire.context import Hit, Reason

Matrix = npt.NDArray[np.float64]

DENSE_SEATS = (3, 5)
"""The dense first stands at rank 3 or better, the dense second at rank 5 or better."""


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
        bound = corpus.processes.bound_at
        covered = {corpus.endpoints[row].service for row in bound}
        self._prior = np.array(
            [
                self._weights.bound * (row in bound) + self._weights.covered * (item.service in covered)
                for row, item in enumerate(corpus.endpoints)
            ],
            dtype=np.float64,
        )

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``."""
        if k < 1 or not self._corpus.endpoints:
            return []
        clauses = split_clauses(query)
        read = self._read(query, clauses)
        scores = read.endpoints[0]
        if len(read.parts) > 1:
            scores = np.maximum(scores, self._weights.clause * read.endpoints[1:].max(axis=0))
        reached = self._walk(read) if asks_for_chain(query, clauses) else {}
        for row, step in reached.items():
            scores[row] = max(scores[row], step.score + self._weights.step)
        dense = ranking(read.cosines[0], max(DENSE_SEATS))
        rows = _seat(ranking(scores, max(k, *DENSE_SEATS)), dense)[:k]
        words = tokens(" ".join(read.parts))
        found = {row: float(scores[row]) for row in rows}
        return make_hits(self._corpus, rows, found, lambda row: self._explain(read, words, dense, reached, row))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)

    def _read(self, query: str, clauses: tuple[str, ...]) -> _Query:
        asked = (query, *(clauses if len(clauses) > 1 else ()))
        parts = tuple(expand(part) for part in asked)
        corpus, weights = self._corpus, self._weights
        read = [readings(part) for part in asked]
        corpus.embed([text for texts in read for text in texts])  # all through the model at once
        near = [corpus.nearness(texts) for texts in read]
        cosines = np.array([endpoints for endpoints, _ in near], dtype=np.float64)
        nodes = np.array([nodes for _, nodes in near], dtype=np.float64)
        endpoint_words = np.array([corpus.lexicon.scores(tokens(part)) for part in parts], dtype=np.float64)
        node_words = np.array([corpus.node_lexicon.scores(tokens(part)) for part in parts], dtype=np.float64)
        endpoints = cosines + self._prior + weights.words * endpoint_words / (endpoint_words + weights.words_half)
        nodes = nodes + weights.node_words * node_words / (node_words + weights.node_words_half)
        return _Query(parts, cosines, endpoints, nodes)

    def _walk(self, read: _Query) -> dict[int, Reached]:
        processes, weights = self._corpus.processes, self._weights
        process = best_process(processes, read.nodes)
        if process is None:
            return {}
        anchors = find_anchors(processes, process, read.nodes)
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
