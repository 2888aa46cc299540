"""Weights chosen without the process that a query belongs to: what tuning on the benchmark adds to its own figures.

Every weight is tried at some factors of its committed value, one at a time. Each query is ranked with the setting that is best
over the queries of the other processes (those without a process are split into parts by their id). The grid lies around
the committed weights, so a row made from it is still on the optimistic side.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from statistics import mean
from typing import Any

from evaluation.retrieval.bench import Bench, Query
from evaluation.retrieval.comparisons import clusters_of, compare_pair
from evaluation.retrieval.ranking import groups_of, rank_all, spelling
from evaluation.retrieval.results import Scores, means
from evaluation.retrieval.scoring import score_all
from evaluation.retrieval.world import World
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.weights import Weights

FACTORS = (0.5, 2.0)
PARTS = 5

Make = Callable[[Corpus, Weights], Retriever]


def tuned_rows(
    world: World, bench: Bench, others: Mapping[str, Scores], *, make: Make = CountersignRetriever, seed: int = 0
) -> dict[str, Any]:
    """``results`` (type -> metrics), ``comparisons`` with ``others``, and which setting each process got (``chosen``)."""
    tried = _try_all(world, bench, make)
    folds = {query.id: fold_of(query) for query in bench.scored}
    chosen = {
        fold: best_for(tried, [name for name in folds if folds[name] != fold]) for fold in sorted({*folds.values()})
    }
    scores = {name: tried[chosen[fold]][name] for name, fold in folds.items()}
    groups, clusters = groups_of(bench), clusters_of(bench)
    return {
        "results": means(scores, groups),
        "comparisons": [
            row
            for other, theirs in others.items()
            for kind, names in groups.items()
            for row in compare_pair(
                scores, theirs, names, clusters, seed=seed, labels={"a": "countersign", "b": other, "type": kind}
            )
        ],
        "chosen": chosen,
        "settings": len(tried),
    }


def settings(weights: Weights) -> Iterator[tuple[str, Weights]]:
    """The committed weights, and each with one of them changed."""
    yield "committed", weights
    for name, value in weights.numbers().items():
        if value:
            for factor in FACTORS:
                yield f"{name} x {factor:g}", weights.changed(name, value * factor)


def best_for(tried: Mapping[str, Scores], names: Sequence[str]) -> str:
    """The setting with the best mean over Recall@3 and complete-chain@5; of equal ones the first, so the committed one."""
    if not names:
        return next(iter(tried))
    values = {
        setting: round(mean(scores[name]["recall@3"] + scores[name]["complete_chain@5"] for name in names), 9)
        for setting, scores in tried.items()
    }
    return max(values, key=lambda setting: values[setting])


def fold_of(query: Query) -> str:
    """A query's process; for one without, a part by its id."""
    return query.process or f"part {sha256(query.id.encode()).digest()[0] % PARTS}"


def _try_all(world: World, bench: Bench, make: Make) -> dict[str, Scores]:
    corpus, names = world.corpus(), spelling(bench, world.view)
    found: dict[str, Scores] = {}
    for setting, weights in settings(Weights()):
        world.say(f"  weights: {setting}")
        found[setting] = score_all(rank_all(make(corpus, weights), bench.scored, names, timed=False).judged(bench))
    return found
