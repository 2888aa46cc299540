"""The rule for twins, the measures against the library and against formulas, and what holds for any ranking."""

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from evaluation.retrieval.bench import Endpoint, Query
from evaluation.retrieval.scoring import CUTS, METRICS, judge, score

NAMES = [("S", letter) for letter in "abcdefghijkl"]
RANKINGS = st.lists(st.sampled_from(NAMES), max_size=20)
GOLDS = st.lists(st.sampled_from(NAMES[:6]), min_size=1, max_size=5, unique=True)
A, B, C, D, X = (("S", letter) for letter in "abcdx")


def query(*gold: Endpoint, also: tuple[Endpoint, ...] = (), instead_of=None) -> Query:
    return Query("q", "text", "single", gold=gold, also=frozenset(also), instead_of=instead_of or {})


def twins(*pairs: tuple[Endpoint, Endpoint]):
    return {a: frozenset(y for x, y in both(pairs) if x == a) for a, _ in both(pairs)}


def both(pairs):
    return [*pairs, *((b, a) for a, b in pairs)]


@pytest.mark.parametrize(
    ("ranking", "places"),
    [
        ([X, A], (None, 0)),
        ([C, A], (0,)),  # the twin covers, the gold itself is then nothing new
        ([A, C, X], (0, None)),
        ([C, D, B], (0, 1)),  # a second twin of what is found is taken out
        ([("S", "z"), B], (1,)),  # `also` is taken out
        ([A, A, B], (0, 1)),
        ([], ()),
    ],
)
def test_twins_cover_once_and_what_is_left_over_is_taken_out(ranking, places) -> None:
    asked = query(A, B, also=(("S", "z"),))
    assert judge(ranking, asked, twins((A, C), (A, D))).places == places


def test_also_instead_of_a_gold_covers_it() -> None:
    asked = query(A, B, also=(C, D), instead_of={C: frozenset([B])})
    assert judge([C, D, B, A], asked, {}).places == (1, 0)


def test_a_twin_of_two_golds_covers_one_at_a_time() -> None:
    pairs = twins((A, C), (B, C))
    assert judge([C, X], query(A, B), pairs).places == (0, None)
    assert judge([C, B, X], query(A, B), pairs).places == (0, 1, None)


def test_two_golds_that_are_twins_stand_for_themselves() -> None:
    assert judge([B, A], query(A, B), twins((A, B))).places == (1, 0)


@given(ranking=RANKINGS, gold=GOLDS)
def test_without_twins_the_measures_are_those_of_the_library(ranking, gold) -> None:
    distinct = list(dict.fromkeys(ranking))
    run = {"q": {f"{name}": float(-place) for place, (_, name) in enumerate(distinct)}}
    measures = {f"{name}@{k}": kind @ k for k in CUTS for name, kind in (("recall", R), ("ndcg", nDCG))} | {"mrr": RR}
    expected = ir_measures.calc_aggregate(measures.values(), {"q": {name: 1 for _, name in gold}}, run)
    found = score(ranking, query(*gold), {})
    assert {name: found[name] for name in measures} == pytest.approx({n: expected[m] for n, m in measures.items()})


@given(ranking=RANKINGS, gold=GOLDS)
def test_measures_equal_their_formulas(ranking, gold) -> None:
    hits = [name in gold for name in dict.fromkeys(ranking)]
    found = score(ranking, query(*gold), {})
    ideal = sum(1 / math.log2(i + 2) for i in range(min(len(gold), 5)))
    assert found["recall@5"] == pytest.approx(sum(hits[:5]) / len(gold))
    assert found["possible_recall@3"] == pytest.approx(sum(hits[:3]) / min(len(gold), 3))
    assert found["complete_chain@5"] == (sum(hits[:5]) == len(gold))
    assert found["ndcg@5"] == pytest.approx(sum(h / math.log2(i + 2) for i, h in enumerate(hits[:5])) / ideal)
    assert found["mrr"] == pytest.approx(1 / (hits.index(True) + 1) if any(hits) else 0)


@given(ranking=RANKINGS, gold=GOLDS)
def test_every_measure_is_between_0_and_1_and_recall_grows_with_k(ranking, gold) -> None:
    found = score(ranking, query(*gold), {})
    assert all(0 <= found[name] <= 1 for name in METRICS)
    assert [found[f"recall@{k}"] for k in CUTS] == sorted(found[f"recall@{k}"] for k in CUTS)


@given(ranking=RANKINGS, gold=GOLDS, extra=st.sets(st.sampled_from(NAMES[6:])))
def test_also_never_lowers_a_measure(ranking, gold, extra) -> None:
    plain, lenient = (score(ranking, query(*gold, also=tuple(names)), {}) for names in ((), extra))
    assert all(lenient[name] >= plain[name] - 1e-9 for name in METRICS)
