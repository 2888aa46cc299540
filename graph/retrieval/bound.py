"""Bindings alone: what any process node is bound to stands first, in dense order; the mapping counts, the process does not."""

import numpy as np

from graph.retrieval.base import Corpus, Evidence, make_hits
from graph.retrieval.evidence import weigh
from wire.context import Hit, Reason


class BindingsOnlyRetriever:
    """A control: how far one gets by knowing which endpoints a process uses at all."""

    name = "bindings-only"

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._bound = np.array([row in corpus.processes.bound_at for row in range(len(corpus.endpoints))], dtype=bool)

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``. ``score`` is the cosine, one more where the endpoint is bound."""
        corpus = self._corpus
        if not corpus.endpoints:
            return []
        cosines = np.round(corpus.index.endpoints.scores(corpus.embed([query]))[0].astype(np.float64), 6)
        order = np.lexsort((np.arange(len(cosines)), -cosines, ~self._bound))[: max(k, 0)]
        scores = {int(row): float(cosines[row] + self._bound[row]) for row in order}
        return make_hits(corpus, list(scores), scores, lambda row: (self._reason(row, float(cosines[row])),))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)

    def _reason(self, row: int, cosine: float) -> Reason:
        starts = self._corpus.processes.bound_at.get(row)
        if not starts:
            return Reason(kind="dense", text=f"bound to no process (cosine {cosine:.2f})")
        node = self._corpus.processes.nodes[starts[0]]
        return Reason(kind="binding", text=f'is step "{node.label}" of {node.process} (cosine {cosine:.2f})')
