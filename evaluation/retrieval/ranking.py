"""Rankings of every query by every method, and how long each search took beyond encoding."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from time import perf_counter, process_time

from evaluation.retrieval.bench import Bench, Endpoint, Query
from evaluation.retrieval.scoring import Judged, judge
from evaluation.retrieval.world import World
from graph.retrieval.base import Retriever
from graph.retrieval.factory import make_retriever
from graph.views import GraphView

DEPTH = 40
"""Of which at most ten count; twins taken out of the ranking leave enough."""
LEAST = 20


@dataclass
class Ranked:
    """``found``: query id -> endpoints, best first; ``padded``: ids of queries whose ranking was filled up; ``why``: query id
    -> endpoint -> kind of its first reason; ``seconds``, ``cpu``: of each search, on the wall and of the processor."""

    method: str
    found: dict[str, list[Endpoint]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    padded: list[str] = field(default_factory=list)
    why: dict[str, dict[Endpoint, str]] = field(default_factory=dict)

    def judged(self, bench: Bench) -> dict[str, Judged]:
        """Query id -> places, of the queries that have gold."""
        return {
            query.id: judge(self.found[query.id], query, bench.twins)
            for query in bench.scored
            if query.id in self.found
        }


Opened = Callable[[str], Retriever]
Names = Mapping[Endpoint, Endpoint]
Clock = Callable[[], float]


def open_methods(world: World) -> Opened:
    """A function from a method's name to its retriever, over one corpus."""
    corpus = world.corpus()
    return lambda name: make_retriever(name, corpus, world.chunks())


def rank_all(
    retriever: Retriever,
    queries: Iterable[Query],
    names: Names,
    *,
    timed: bool = True,
    clocks: tuple[Clock, Clock] = (perf_counter, process_time),
) -> Ranked:
    """Search every query; when ``timed``, once more with its vectors remembered, for the time beyond encoding."""
    ranked = Ranked(retriever.name)
    for query in queries:
        hits = retriever.search(query.text, DEPTH)
        found = [names[hit.service, hit.endpoint] for hit in hits]
        kinds = (hit.reasons[0].kind if hit.reasons else "" for hit in hits)
        ranked.why[query.id] = dict(zip(found, kinds, strict=True))
        if timed:
            begun = [clock() for clock in clocks]
            retriever.search(query.text, 10)
            wall, cpu = (clock() - start for clock, start in zip(clocks, begun, strict=True))
            ranked.seconds.append(wall)
            ranked.cpu.append(cpu)
        if len(found) < min(LEAST, len(names)):
            ranked.padded.append(query.id)
            found = pad(query.id, found, names.values())
        ranked.found[query.id] = found
    return ranked


def spelling(bench: Bench, view: GraphView) -> Names:
    """Every endpoint of the graph -> its name as the benchmark writes it.

    The graph names a bound operation with its namespace; a benchmark may leave that out where the rest is not ambiguous.
    """
    mentioned = bench.mentioned
    known = [(item.service, item.endpoint) for item in view.endpoints()]
    short = {name: (name[0], name[1].rpartition(".")[2]) for name in known}
    often = Counter(short.values())
    return {
        name: short[name] if name not in mentioned and short[name] in mentioned and often[short[name]] == 1 else name
        for name in known
    }


def pad(query_id: str, found: Sequence[Endpoint], everything: Iterable[Endpoint]) -> list[Endpoint]:
    """Fill up to ``LEAST`` with endpoints that were not found, in an order that knows nothing of them (a hash)."""
    left = set(everything).difference(found)
    order = sorted(left, key=lambda name: sha256("\0".join((query_id, *name)).encode()).digest())
    return [*found, *order[: max(LEAST - len(found), 0)]]


def groups_of(bench: Bench) -> Mapping[str, list[str]]:
    """Type -> query ids; besides each type of the benchmark: ``all``, and ``non_probe`` where there are probes and others."""
    found: dict[str, list[str]] = {}
    for query in bench.scored:
        found.setdefault(query.type, []).append(query.id)
    groups = dict(found)
    if "probe" in found and len(found) > 1:
        groups["non_probe"] = [name for kind, names in found.items() if kind != "probe" for name in names]
    groups["all"] = [query.id for query in bench.scored]
    return groups
