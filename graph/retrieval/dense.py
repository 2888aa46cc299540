"""Dense retrieval: cosine of the query with the endpoints' passages, nothing else."""

from graph.retrieval.base import Corpus, Evidence, make_hits
from graph.retrieval.evidence import weigh
from wire.context import Hit, Reason


class DenseRetriever:
    """The baseline of every comparison."""

    name = "dense"

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``."""
        found = self._corpus.index.endpoints.nearest(self._corpus.embed([query])[0], k)
        rows = [self._corpus.row[iri] for iri, _ in found]
        scores = {row: score for row, (_, score) in zip(rows, found, strict=True)}
        ranks = {row: rank for rank, row in enumerate(rows, start=1)}
        return make_hits(self._corpus, rows, scores, lambda row: (dense_reason(ranks[row], scores[row]),))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)


def dense_reason(rank: int, cosine: float) -> Reason:
    """The reason of a hit that stands where its cosine puts it."""
    return Reason(kind="dense", text=f"nearest text, rank {rank} (cosine {cosine:.2f})")
