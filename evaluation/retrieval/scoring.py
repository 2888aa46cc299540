"""Rankings to numbers. Twins are resolved first (``judge``); the measures are those of ``ir_measures`` (trec_eval).

What no measure of lists can say is computed here: whether a whole chain was found, and recall over what k places can hold.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from evaluation.retrieval.bench import Bench, Endpoint, Query, Twins, load_bench

__all__ = ["CUTS", "METRICS", "Bench", "Judged", "judge", "load_bench", "score", "score_all"]

CUTS = (1, 3, 5, 10)
METRICS = (
    *(f"{name}@{k}" for name in ("recall", "possible_recall", "ndcg", "complete_chain") for k in CUTS),
    "mrr",
)


@dataclass(frozen=True)
class Judged:
    """A ranking after the rule for twins: each place holds the number of the gold that it covers, or None = wrong.

    ``endpoints``: what stands at each place.
    """

    golds: int
    places: tuple[int | None, ...]
    endpoints: tuple[Endpoint, ...] = ()

    def covered(self, k: int) -> frozenset[int]:
        """Numbers of the golds among the first ``k`` places."""
        return frozenset(place for place in self.places[:k] if place is not None)


def judge(ranking: Iterable[Endpoint], query: Query, twins: Twins) -> Judged:
    """A gold, or a twin of one, covers that gold once; further twins of what is covered, and every other ``also``, are taken
    out of the ranking: neither right nor wrong."""
    number = {gold: index for index, gold in enumerate(query.gold)}
    covered: set[int] = set()
    places: list[int | None] = []
    kept: list[Endpoint] = []
    for endpoint in dict.fromkeys(ranking):
        meant = _meant(endpoint, number, query, twins)
        open_ones = [index for index in meant if index not in covered]
        if open_ones:
            covered.add(open_ones[0])
            places.append(open_ones[0])
            kept.append(endpoint)
        elif not meant and endpoint not in query.also:
            places.append(None)
            kept.append(endpoint)
    return Judged(len(query.gold), tuple(places), tuple(kept))


def _meant(endpoint: Endpoint, number: Mapping[Endpoint, int], query: Query, twins: Twins) -> list[int]:
    """The golds that an endpoint may stand for; a gold stands for itself only."""
    if endpoint in number:
        return [number[endpoint]]
    others = twins.get(endpoint, frozenset()) | query.instead_of.get(endpoint, frozenset())
    return sorted(number[other] for other in others if other in number)


def score(ranking: Iterable[Endpoint], query: Query, twins: Twins) -> dict[str, float]:
    """All ``METRICS`` of one ranking."""
    return score_all({query.id: judge(ranking, query, twins)})[query.id]


def score_all(judged: Mapping[str, Judged]) -> dict[str, dict[str, float]]:
    """Query id -> metric -> value, all at once (far quicker than one by one). Every query must have gold."""
    qrels = {name: {f"g{index}": 1 for index in range(item.golds)} for name, item in judged.items()}
    runs = {name: _as_run(item.places) for name, item in judged.items()}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    evaluator, names = _evaluator(qrels)
    for value in evaluator.iter_calc(runs):
        found[value.query_id][names[str(value.measure)]] = float(value.value)
    return {name: _with_sets(found.get(name, {}), item) for name, item in judged.items()}


def _as_run(places: Sequence[int | None]) -> dict[str, float]:
    """Falling scores, since trec_eval sorts by score and not by place."""
    return {
        f"w{place}" if gold is None else f"g{gold}": float(len(places) - place) for place, gold in enumerate(places)
    }


@cache
def _measures() -> dict[str, Any]:
    from ir_measures import RR, R, nDCG

    return {**{f"recall@{k}": R @ k for k in CUTS}, **{f"ndcg@{k}": nDCG @ k for k in CUTS}, "mrr": RR}


def _evaluator(qrels: Mapping[str, Mapping[str, int]]) -> tuple[Any, dict[str, str]]:
    from ir_measures import evaluator

    measures = _measures()
    return evaluator(list(measures.values()), qrels), {str(measure): name for name, measure in measures.items()}


def _with_sets(values: Mapping[str, float], item: Judged) -> dict[str, float]:
    # An empty ranking is no run to trec_eval: it has found nothing.
    whole = {name: values.get(name, 0.0) for name in _measures()}
    for k in CUTS:
        covered = len(item.covered(k))
        whole[f"possible_recall@{k}"] = covered / min(item.golds, k)
        whole[f"complete_chain@{k}"] = float(covered == item.golds)
    return {name: whole[name] for name in METRICS}
