"""Rows that say where a gain comes from: other sequence edges, a process left out, dense with twice the places."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Any

from evaluation.retrieval.bench import Bench, Query
from evaluation.retrieval.changed import backward, placebo, without_process
from evaluation.retrieval.ranking import Names, Ranked, groups_of, rank_all, spelling
from evaluation.retrieval.results import means
from evaluation.retrieval.scoring import CUTS, METRICS, Judged, score_all
from evaluation.retrieval.world import World
from graph.retrieval.factory import make_retriever
from graph.views import GraphView

METHODS = ("hybrid", "countersign")
DRAWS = 5

Rows = dict[str, dict[str, dict[str, Any]]]
"""Method -> type -> metrics."""


def placebo_rows(world: World, bench: Bench, methods: Sequence[str], draws: int = DRAWS) -> Rows:
    """Means over ``draws`` graphs with randomised sequence edges; ``recall@3_draws`` lists each draw's."""
    found: dict[str, list[dict[str, dict[str, float]]]] = {name: [] for name in methods}
    names = spelling(bench, world.view)
    for draw in range(draws):
        world.say(f"  placebo graph {draw + 1} of {draws}")
        corpus = world.corpus(placebo(world.view, draw))
        for name in methods:
            ranked = rank_all(make_retriever(name, corpus), bench.scored, names, timed=False)
            found[name].append(means(score_all(ranked.judged(bench)), groups_of(bench)))
    return {name: _mean_of(tables) for name, tables in found.items() if tables}


def backward_rows(world: World, bench: Bench, methods: Sequence[str]) -> Rows:
    """Over a graph whose sequence edges lead backward."""
    names, groups = spelling(bench, world.view), groups_of(bench)
    found = _rank_over(world, backward(world.view), bench.scored, methods, names)
    return {name: dict(means(score_all(ranked.judged(bench)), groups)) for name, ranked in found}


def _mean_of(tables: Sequence[Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, Any]]:
    return {
        kind: {"n": first["n"]}
        | {metric: round(mean(table[kind][metric] for table in tables), 6) for metric in METRICS}
        | {"recall@3_draws": [table[kind]["recall@3"] for table in tables]}
        for kind, first in tables[0].items()
    }


def left_out_rows(world: World, bench: Bench, methods: Sequence[str]) -> Rows:
    """The queries of each process over a graph that lacks it. Queries without a process are not in these rows."""
    ranked = {name: Ranked(name) for name in methods}
    for process, queries in _by_process(bench):
        world.say(f"  without process {process}")
        view = without_process(world.view, process)
        for name, found in _rank_over(world, view, queries, methods, spelling(bench, world.view)):
            ranked[name].found.update(found.found)
    asked = Bench(tuple(query for query in bench.scored if query.process), bench.twins)
    if not asked.queries:
        return {}
    groups = groups_of(asked)
    return {name: dict(means(score_all(found.judged(asked)), groups)) for name, found in ranked.items()}


def _by_process(bench: Bench) -> Iterator[tuple[str, list[Query]]]:
    found: dict[str, list[Query]] = {}
    for query in bench.scored:
        if query.process:
            found.setdefault(query.process, []).append(query)
    yield from sorted(found.items())


def _rank_over(
    world: World, view: GraphView, queries: Sequence[Query], methods: Sequence[str], names: Names
) -> Iterator[tuple[str, Ranked]]:
    corpus = world.corpus(view)
    for name in methods:
        yield name, rank_all(make_retriever(name, corpus), queries, names, timed=False)


def double_places(judged: Mapping[str, Judged], groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Type -> ``recall@k`` that a ranking reaches with 2k places: what more places alone would give."""
    return {
        kind: {
            f"recall@{k}": round(mean(len(judged[name].covered(2 * k)) / judged[name].golds for name in names), 6)
            for k in CUTS
        }
        for kind, names in groups.items()
    }
