"""The default retriever: a fused score for the query and each of its clauses, and a walk along the process that it is about.

1. The query and its clauses are scored against endpoints and process nodes (``graph.retrieval.reading``); words of other
   languages and of offices are taken for the words of metadata.
2. The score of each part becomes shares of one whole. What kind of query it is says how the parts count: a list of
   things to do asks for something in each clause, a list of properties asks for one thing.
3. Steps of a process gain where the query is about that process; if it asks what comes next, the process is walked from
   the node that it stands at.
4. Where one thing is asked for, the first by cosine keeps a seat among the first three.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from graph.clauses import split_clauses
from graph.retrieval.anchors import Walk, process_shares, softmax, walk_from_state
from graph.retrieval.base import Corpus, Evidence, make_hits, ranking
from graph.retrieval.evidence import weigh
from graph.retrieval.reading import Reading, read_query
from graph.retrieval.reasons import Explainer
from graph.retrieval.weights import Weights
from wire.context import Hit

Shares = npt.NDArray[np.float64]

_LEAST = 1e-30
_SEAT = 3


class CountersignRetriever:
    """Fused scores, and a walk along the process."""

    name = "countersign"

    def __init__(self, corpus: Corpus, weights: Weights | None = None) -> None:
        self._corpus = corpus
        self._weights = weights or Weights()
        self._explainer = Explainer(corpus)

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``. Scores are shares of one whole."""
        if k < 1 or not self._corpus.endpoints:
            return []
        reading = read_query(self._corpus, self._weights, query, split_clauses(query))
        processes = process_shares(self._corpus.processes, reading, self._weights.blend)
        walk = self._walk(reading, processes)
        shares = self._blend(reading, processes, walk)
        rows = self._seated(reading, ranking(np.log(np.maximum(shares, _LEAST)), max(k, _SEAT)))[:k]
        found = {row: float(shares[row]) for row in rows}
        reasons = self._explainer.explain(reading, processes, walk, rows)
        return make_hits(self._corpus, rows, found, lambda row: reasons[row])

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)

    def _seated(self, reading: Reading, rows: list[int]) -> list[int]:
        """``rows`` with the first by cosine third at least, unless two of our first three lead to one another: those are
        the parents and children that a query names, and they stay together."""
        first, top = reading.dense[0], rows[:_SEAT]
        if reading.asked.kind not in ("one", "asked") or first in top or self._corpus.traits.linked(top):
            return rows
        return [*top[: _SEAT - 1], first, *(row for row in rows[_SEAT - 1 :] if row != first)]

    def _walk(self, reading: Reading, processes: Mapping[str, float]) -> Walk | None:
        if not self._walk_share(reading):
            return None
        return walk_from_state(self._corpus.processes, reading, processes, self._weights.blend)

    def _walk_share(self, reading: Reading) -> float:
        blend = self._weights.blend
        return {"forward": blend.walk_forward, "situation": blend.walk_situation}.get(reading.asked.kind, 0.0)

    def _blend(self, reading: Reading, processes: Mapping[str, float], walk: Walk | None) -> Shares:
        blend, asked = self._weights.blend, reading.asked.kind
        whole = {
            "one": 1.0,
            "asked": 1.0,
            "maybe": blend.whole_maybe,
            "steps": blend.whole_steps,
            "situation": blend.whole_situation,
            "forward": blend.whole_forward,
        }[asked]
        shares = softmax(reading.scores[0])
        if len(reading.parts) > 1 and whole < 1:
            scores = reading.scores[list(self._counted(reading))] + blend.context * reading.scores[0]
            scores = scores + blend.process * self._of_process(processes)
            shares = whole * shares + (1 - whole) * softmax(scores).mean(axis=0)
        if walk is not None:
            part = self._walk_share(reading)
            shares = (1 - part) * shares + part * walk.shares
        return shares + blend.ancestor * self._corpus.traits.of_children(shares, reading.named)

    def _counted(self, reading: Reading) -> Sequence[int]:
        """The clauses that name something: beside a state of affairs, the question what comes next does not."""
        return reading.states if reading.asked.kind in ("forward", "situation") else reading.clauses

    def _of_process(self, shares: Mapping[str, float]) -> Shares:
        """For each endpoint the share of the likeliest process that it is bound in."""
        processes = self._corpus.processes
        found = np.zeros(len(self._corpus.endpoints))
        for row, nodes in processes.bound_at.items():
            found[row] = max(shares.get(processes.nodes[node].process_id, 0.0) for node in nodes)
        return found
