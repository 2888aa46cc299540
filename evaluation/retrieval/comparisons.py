"""Which methods are compared, over which metrics, and the rows that come out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from evaluation.retrieval.bench import Bench
from evaluation.retrieval.results import Scores
from evaluation.retrieval.statistics import compare, holm

OURS, PUBLISHED, BASELINE = "countersign", "hybrid", "dense"
COMPARED = ("recall@1", "recall@3", "recall@5", "recall@10", "ndcg@10", "mrr", "complete_chain@5", "complete_chain@10")


def pairs_of(methods: Sequence[str]) -> list[tuple[str, str]]:
    """Ours against each, and hybrid against dense; without ours, each against dense."""
    if OURS in methods:
        pairs = [(OURS, other) for other in methods if other != OURS]
        return [*pairs, *([(PUBLISHED, BASELINE)] if {PUBLISHED, BASELINE} <= set(methods) else [])]
    return [(other, BASELINE) for other in methods if other != BASELINE and BASELINE in methods]


def compare_all(
    scores: Mapping[str, Scores], bench: Bench, groups: Mapping[str, Sequence[str]], *, seed: int = 0
) -> list[dict[str, object]]:
    """One row for each pair, type and metric. ``p_holm`` corrects over the rows of one pair and one type."""
    clusters = clusters_of(bench)
    return [
        row
        for a, b in pairs_of(list(scores))
        for kind, names in groups.items()
        for row in compare_pair(scores[a], scores[b], names, clusters, seed=seed, labels={"a": a, "b": b, "type": kind})
    ]


def compare_pair(
    one: Scores,
    other: Scores,
    names: Sequence[str],
    clusters: Mapping[str, str],
    *,
    labels: Mapping[str, str],
    seed: int = 0,
) -> Iterator[dict[str, object]]:
    """The rows of one pair over the queries ``names``."""
    table = np.array([[one[name][metric] - other[name][metric] for metric in COMPARED] for name in names])
    found = compare(table, [clusters[name] for name in names], seed=seed)
    adjusted = holm({metric: item.p for metric, item in zip(COMPARED, found, strict=True)})
    for metric, item in zip(COMPARED, found, strict=True):
        yield {**labels, "metric": metric, **asdict(item), "p_holm": adjusted[metric]}


def clusters_of(bench: Bench) -> dict[str, str]:
    """Query id -> its process; a query without one stands for itself."""
    return {query.id: f"process {query.process}" if query.process else f"query {query.id}" for query in bench.scored}
