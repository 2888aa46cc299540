"""Between a retriever and its scores: names as the benchmark writes them, full rankings, groups, golds added and lost."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from evaluation.retrieval.bench import Bench, Endpoint, Query
from evaluation.retrieval.ranking import LEAST, groups_of, pad, rank_all, spelling
from evaluation.retrieval.results import means, moved
from evaluation.retrieval.scoring import METRICS, judge
from graph.retrieval.base import Evidence
from tests.unit.graph.search.shop import ACTION, MemoryView
from wire.context import Hit

NAMES = {("S", f"e{n}"): ("S", f"e{n}") for n in range(30)}


class Fixed:
    """Answers every query with the same endpoints."""

    name = "fixed"

    def __init__(self, *found: Endpoint) -> None:
        self._found = found

    def search(self, query: str, k: int) -> list[Hit]:
        return [
            Hit(service=service, endpoint=name, kind="EntitySet", rank=rank, score=1)
            for rank, (service, name) in enumerate(self._found[:k], start=1)
        ]

    def evidence(self, query: str) -> Evidence:
        return Evidence(0, 0)


def query(name: str, kind: str = "single", *gold: Endpoint) -> Query:
    return Query(name, "text", kind, gold=gold or (("S", "e1"),))


def clock() -> Callable[[], float]:
    ticks: Iterator[int] = iter(range(1000))
    return lambda: float(next(ticks))


def test_short_rankings_are_filled_up_and_said_to_be() -> None:
    ranked = rank_all(Fixed(("S", "e7")), [query("q")], NAMES, clocks=(clock(), clock()))
    assert ranked.found["q"][0] == ("S", "e7")
    assert (len(set(ranked.found["q"])), ranked.padded, ranked.seconds) == (LEAST, ["q"], [1.0])


def test_the_filling_differs_by_query_and_not_by_run() -> None:
    assert pad("q", [], NAMES) == pad("q", [], reversed(NAMES))
    assert pad("q", [], NAMES) != pad("r", [], NAMES)


@pytest.mark.parametrize(
    ("golds", "expected"),
    [
        ((("DELIVERY", "Post"),), "Post"),
        ((("DELIVERY", "N.Post"),), "N.Post"),
        ((("DELIVERY", "Other"),), "N.Post"),
    ],
)
def test_bound_operations_are_named_as_the_benchmark_names_them(golds, expected) -> None:
    view = MemoryView(summaries=[replace(ACTION, endpoint="N.Post")])
    names = spelling(Bench((query("q", "single", *golds),), {}), view)
    assert names["DELIVERY", "N.Post"] == ("DELIVERY", expected)


def test_an_ambiguous_short_name_stays_long() -> None:
    view = MemoryView(summaries=[replace(ACTION, endpoint=f"{n}.Post", iri=f"urn:{n}") for n in "NM"])
    names = spelling(Bench((query("q", "single", ("DELIVERY", "Post")),), {}), view)
    assert set(names.values()) == {("DELIVERY", "N.Post"), ("DELIVERY", "M.Post")}


def test_groups_leave_out_of_scope_out() -> None:
    bench = Bench((query("1"), query("2", "probe"), Query("3", "text", "out_of_scope")), {})
    assert groups_of(bench) == {"single": ["1"], "probe": ["2"], "non_probe": ["1"], "all": ["1", "2"]}


def test_golds_added_and_evicted_are_counted_against_dense() -> None:
    asked = query("q", "single", ("S", "e1"), ("S", "e2"))
    ours, dense = (judge([("S", name)], asked, {}) for name in ("e1", "e2"))
    found = moved({"q": ours}, {"q": dense}, {"all": ["q"]})["all"]
    assert (found["golds_added@3"], found["golds_evicted@3"]) == (1, 1)


def test_means_are_over_the_queries_of_a_type() -> None:
    scores = {name: dict.fromkeys(METRICS, value) for name, value in (("1", 0.0), ("2", 1.0))}
    found = means(scores, {"all": ["1", "2"], "single": ["2"], "none": []})
    assert (found["all"]["recall@3"], found["single"]["mrr"], found["all"]["n"]) == (0.5, 1.0, 2)
    assert "none" not in found
