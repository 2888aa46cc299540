"""Methods over one graph and one benchmark, and what is told of them as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from evaluation.retrieval.bench import OUT_OF_SCOPE, Bench, Endpoint
from evaluation.retrieval.comparisons import BASELINE, compare_all
from evaluation.retrieval.controls import double_places
from evaluation.retrieval.latency import quantiles
from evaluation.retrieval.ranking import Ranked, groups_of, open_methods, rank_all, spelling
from evaluation.retrieval.results import Scores, means, moved, scope_counts
from evaluation.retrieval.scoring import Judged, score_all
from evaluation.retrieval.world import World, missing_golds


@dataclass(frozen=True)
class Run:
    """By method: rankings, judged rankings, scores, and counts of queries out of scope."""

    bench: Bench
    ranked: Mapping[str, Ranked]
    judged: Mapping[str, Mapping[str, Judged]]
    scores: Mapping[str, Scores]
    scope: Mapping[str, Mapping[str, int]]
    missing: Mapping[str, Sequence[Endpoint]]


def run_methods(world: World, bench: Bench, methods: Sequence[str]) -> Run:
    """Rank and score every query by every method. Golds that the metadata lacks are said and count as not found."""
    names = spelling(bench, world.view)
    missing = missing_golds(bench, frozenset(names.values()))
    for name, golds in missing.items():
        world.say(
            f"query {name}: not in the metadata: {', '.join('/'.join(gold) for gold in golds)}; counted as not found"
        )
    open_one = open_methods(world)
    ranked: dict[str, Ranked] = {}
    scope: dict[str, Mapping[str, int]] = {}
    for name in dict.fromkeys(methods):
        begun = perf_counter()
        retriever = open_one(name)
        ranked[name] = rank_all(retriever, bench.queries, names)
        scope[name] = scope_counts(retriever, bench)
        world.say(f"{name}: {len(bench.queries)} queries in {perf_counter() - begun:.1f} s")
    judged = {name: found.judged(bench) for name, found in ranked.items()}
    scores = {name: score_all(found) for name, found in judged.items()}
    return Run(bench, ranked, judged, scores, scope, missing)


def tell(run: Run, seed: int = 0) -> dict[str, Any]:
    """Results, comparisons, rankings and times as JSON holds them."""
    groups = groups_of(run.bench)
    dense = run.judged.get(BASELINE)
    return {
        "queries": len(run.bench.queries),
        "missing_golds": {name: [list(gold) for gold in golds] for name, golds in run.missing.items()},
        "results": results_of(run, run.bench),
        "comparisons": compare_all(run.scores, run.bench, groups, seed=seed),
        "controls": {"dense_2k": double_places(dense, groups)} if dense else {},
        "latency_ms": {name: quantiles(found.seconds, found.cpu) for name, found in run.ranked.items()},
        "padded": {name: found.padded for name, found in run.ranked.items() if found.padded},
        "rankings": {name: found.found for name, found in run.ranked.items()},
    }


def results_of(run: Run, bench: Bench) -> dict[str, dict[str, Any]]:
    """Method -> type -> metric, of the queries of ``bench`` (those of the run, or of one of its splits)."""
    groups = groups_of(bench)
    found: dict[str, dict[str, Any]] = {}
    for name, scores in run.scores.items():
        table: dict[str, Any] = dict(means(scores, groups))
        if BASELINE in run.judged:
            for kind, counts in moved(run.judged[name], run.judged[BASELINE], groups).items():
                table[kind] = {**table[kind], **counts}
        if bench is run.bench:
            table[OUT_OF_SCOPE] = dict(run.scope[name])
        found[name] = table
    return found
