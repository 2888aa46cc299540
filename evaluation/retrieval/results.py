"""Means by method and type, golds gained and lost against dense, and whether strange queries were recognised."""

from collections.abc import Mapping, Sequence

from evaluation.retrieval.bench import OUT_OF_SCOPE, Bench
from evaluation.retrieval.scoring import CUTS, METRICS, Judged
from graph.clauses import split_clauses
from graph.retrieval.base import Retriever
from graph.scope import is_out_of_scope

Scores = Mapping[str, Mapping[str, float]]
"""Query id -> metric -> value."""


def means(scores: Scores, groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Type -> metric -> mean over its queries, with ``n``."""
    return {
        kind: {"n": len(names)}
        | {metric: round(sum(scores[name][metric] for name in names) / len(names), 6) for metric in METRICS}
        for kind, names in groups.items()
        if names
    }


def moved(
    judged: Mapping[str, Judged], dense: Mapping[str, Judged], groups: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, int]]:
    """Type -> ``golds_added@k`` and ``golds_evicted@k``: golds among the first k that dense does not have there, and the other
    way round."""
    return {
        kind: {
            f"golds_{what}@{k}": sum(len(one[name].covered(k) - other[name].covered(k)) for name in names)
            for k in CUTS
            for what, one, other in (("added", judged, dense), ("evicted", dense, judged))
        }
        for kind, names in groups.items()
        if names
    }


def scope_counts(retriever: Retriever, bench: Bench) -> dict[str, int]:
    """Queries out of scope that are recognised, and queries in scope that are refused, by the rule that contexts use."""
    refused = {query.id: _refused(retriever, query.text) for query in bench.queries}
    strange = [query.id for query in bench.queries if query.type == OUT_OF_SCOPE]
    return {
        "n": len(strange),
        "recognised": sum(refused[name] for name in strange),
        "in_scope": len(bench.scored),
        "false_alarms": sum(refused[query.id] for query in bench.scored),
    }


def _refused(retriever: Retriever, text: str) -> bool:
    clauses = split_clauses(text)
    return is_out_of_scope([retriever.evidence(part) for part in (text, *(clauses if len(clauses) > 1 else ()))])
