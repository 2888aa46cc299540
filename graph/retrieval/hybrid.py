"""Dense order kept, with a bounded expansion along binding -> follows -> binding behind each of the first hits."""

from dataclasses import dataclass

from graph.retrieval.base import Corpus, Evidence, make_hits
from graph.retrieval.dense import dense_reason
from graph.retrieval.evidence import weigh
from wire.context import Hit, Reason


@dataclass(frozen=True)
class Expansion:
    """``seeds`` = how many dense hits are expanded, ``width`` = how many endpoints each may bring in."""

    seeds: int = 3
    width: int = 2


class HybridRetriever:
    """The published method: a seed is followed to what comes after it, whatever the query asks."""

    name = "hybrid"

    def __init__(self, corpus: Corpus, expansion: Expansion | None = None) -> None:
        self._corpus = corpus
        self._expansion = expansion or Expansion()

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``."""
        corpus = self._corpus
        depth = max(k, self._expansion.seeds)
        found = corpus.index.endpoints.nearest(corpus.embed([query])[0], depth)
        scores: dict[int, float] = {}
        reasons: dict[int, Reason] = {}
        for rank, (iri, cosine) in enumerate(found, start=1):
            seed = corpus.row[iri]
            if seed not in scores:
                scores[seed], reasons[seed] = cosine, dense_reason(rank, cosine)
            if rank <= self._expansion.seeds:
                for row, reason in self._successors(seed, set(scores)):
                    scores[row], reasons[row] = scores[seed], reason
        return make_hits(corpus, list(scores)[:k], scores, lambda row: (reasons[row],))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)

    def _successors(self, seed: int, taken: set[int]) -> list[tuple[int, Reason]]:
        """Endpoints one bound step after any node that the seed is bound to, at most ``width``."""
        processes = self._corpus.processes
        found: dict[int, Reason] = {}
        for start in processes.bound_at.get(seed, ()):
            for visit in processes.walk(start, limit=1):
                if visit.distance != 1:
                    continue
                node, origin = processes.nodes[visit.node], processes.nodes[start]
                text = f'"{node.label}" follows "{origin.label}" in {node.process}'
                for row, _ in processes.bindings[visit.node]:
                    if row not in taken and row != seed:
                        found.setdefault(row, Reason(kind="follows", text=text))
        return list(found.items())[: self._expansion.width]
