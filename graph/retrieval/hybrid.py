"""Dense order kept, with a bounded expansion behind each of the first hits; what it follows makes the method and its ablations.

``hybrid`` follows binding -> follows -> binding, as published. ``hybrid-no-sequence`` has no follows edges: what is bound
to the same process remains, in no order. ``hybrid-no-bindings`` cannot enter the process layer: navigations and
``refersTo`` edges remain.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from graph.retrieval.base import Corpus, Evidence, make_hits
from graph.retrieval.dense import dense_reason
from graph.retrieval.evidence import weigh
from graph.views import EndpointSummary
from wire.context import Hit, Reason
from wire.endpoint import Verb

Neighbours = Callable[[int], Iterator[tuple[int, Reason]]]
"""Row of an endpoint -> rows of those next to it, nearest first, each with the reason."""


@dataclass(frozen=True)
class Expansion:
    """``seeds`` = how many dense hits are expanded, ``width`` = how many endpoints each may bring in."""

    seeds: int = 3
    width: int = 2


class HybridRetriever:
    """A seed is followed to its neighbours, whatever the query asks."""

    def __init__(self, name: str, corpus: Corpus, neighbours: Neighbours, expansion: Expansion | None = None) -> None:
        self.name = name
        self._corpus = corpus
        self._neighbours = neighbours
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
                for row, reason in self._expand(seed, set(scores)):
                    scores[row], reasons[row] = scores[seed], reason
        return make_hits(corpus, list(scores)[:k], scores, lambda row: (reasons[row],))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)

    def _expand(self, seed: int, taken: set[int]) -> list[tuple[int, Reason]]:
        found: dict[int, Reason] = {}
        for row, reason in self._neighbours(seed):
            if row not in taken and row != seed:
                found.setdefault(row, reason)
        return list(found.items())[: self._expansion.width]


def open_hybrid(corpus: Corpus) -> HybridRetriever:
    """Endpoints one bound step after any node that the seed is bound to."""
    processes = corpus.processes

    def neighbours(seed: int) -> Iterator[tuple[int, Reason]]:
        for start in processes.bound_at.get(seed, ()):
            for visit in processes.walk(start, limit=1):
                if visit.distance == 1:
                    node, origin = processes.nodes[visit.node], processes.nodes[start]
                    text = f'"{node.label}" follows "{origin.label}" in {node.process}'
                    yield from ((row, Reason(kind="follows", text=text)) for row, _ in processes.bindings[visit.node])

    return HybridRetriever("hybrid", corpus, neighbours)


def open_hybrid_no_sequence(corpus: Corpus) -> HybridRetriever:
    """Endpoints bound to the seed's node, then those bound to any node of its process, in an order that means nothing."""
    processes = corpus.processes
    shuffled = {
        process: sorted(rows, key=lambda row: sha256(processes.nodes[row].iri.encode()).digest())
        for process, rows in processes.by_process.items()
    }

    def neighbours(seed: int) -> Iterator[tuple[int, Reason]]:
        for start in processes.bound_at.get(seed, ()):
            origin = processes.nodes[start]
            # Ids and positions of nodes would give the sequence away.
            for other in (start, *shuffled[origin.process_id]):
                text = f'"{processes.nodes[other].label}" is a step of {origin.process}, too'
                yield from ((row, Reason(kind="binding", text=text)) for row, _ in processes.bindings[other])

    return HybridRetriever("hybrid-no-sequence", corpus, neighbours)


def open_hybrid_no_bindings(corpus: Corpus) -> HybridRetriever:
    """Sets that the seed's navigations lead to, then endpoints that take a key of the seed."""
    rows = {(item.service, item.endpoint): row for row, item in enumerate(corpus.endpoints)}
    takers: dict[tuple[str, str], list[tuple[tuple[str, str], str]]] = {}
    for carry in corpus.view.carries():
        target = (carry.to_service, carry.to_endpoint)
        takers.setdefault((carry.from_service, carry.from_endpoint), []).append((target, carry.to_property))

    def neighbours(seed: int) -> Iterator[tuple[int, Reason]]:
        item = corpus.endpoints[seed]
        for name, target_set in _navigations(corpus, item):
            if (item.service, target_set) in rows:
                text = f"{name} of {item.endpoint} leads to it"
                yield rows[item.service, target_set], Reason(kind="refers_to", text=text)
        for target, property_name in takers.get((item.service, item.endpoint), ()):
            if target in rows:
                text = f"takes {property_name} from {item.endpoint}"
                yield rows[target], Reason(kind="refers_to", text=text)

    return HybridRetriever("hybrid-no-bindings", corpus, neighbours)


def _navigations(corpus: Corpus, item: EndpointSummary) -> Iterator[tuple[str, str]]:
    """(navigation, set it leads to) in declared order."""
    if item.kind not in ("EntitySet", "Singleton") or not item.navigations:
        return
    contract = corpus.view.contract(item.service, item.endpoint, Verb.READ)
    owner, targets = contract.type(contract.entity_type), dict(contract.target_sets)
    for navigation in owner.navigations if owner else ():
        target = targets.get(f"{item.endpoint}/{navigation.name}") or navigation.target_set
        if target:
            yield navigation.name, target
