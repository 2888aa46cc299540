"""The tests against their definitions, by counting where that can be done."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval.statistics import bootstrap, compare, holm, randomisation

DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=8)


@given(DIFFERENCES)
def test_randomisation_comes_near_the_exact_p(values: list[float]) -> None:
    column = np.array(values)[:, None]
    signs = list(itertools.product([-1, 1], repeat=len(values)))
    reached = [abs(np.dot(sign, values)) >= abs(sum(values)) - 1e-12 for sign in signs]
    found = randomisation(column, seed=0, draws=9999)[0]
    assert found == pytest.approx(sum(reached) / len(signs), abs=0.03)


def test_the_least_p_is_one_in_draws_plus_one() -> None:
    assert randomisation(np.ones((60, 1)), seed=0, draws=999)[0] == 1 / 1000


def test_no_difference_at_all_has_p_1() -> None:
    (found,) = compare(np.zeros((5, 1)), list("abcde"))
    assert (found.p, found.p_by_process, found.ci_low, found.ci_high) == (1, 1, 0, 0)


def test_queries_of_one_process_are_drawn_together() -> None:
    differences = np.array([[1.0]] * 10 + [[0.0]] * 10)
    alone = compare(differences, [str(n) for n in range(20)])[0]
    together = compare(differences, ["p"] * 10 + ["q"] * 10)[0]
    assert (together.ci_low, together.ci_high, together.clusters) == (0, 1, 2)
    assert 0 < alone.ci_low < 0.5 < alone.ci_high < 1
    assert alone.p < 0.01
    assert together.p_by_process == pytest.approx(1, abs=0.01)


@given(DIFFERENCES, st.integers(0, 3))
def test_the_mean_lies_in_its_interval_and_all_is_repeatable(values: list[float], seed: int) -> None:
    column = np.array(values)[:, None]
    names = [str(n) for n in range(len(values))]
    (found,) = compare(column, names, seed=seed, draws=499)
    assert found.ci_low - 1e-6 <= found.delta <= found.ci_high + 1e-6
    assert [found] == compare(column, names, seed=seed, draws=499)


def test_clusters_count_by_their_size() -> None:
    sums, sizes = np.array([[3.0], [0.0]]), np.array([3.0, 1.0])
    low, high = bootstrap(sums, sizes, seed=0, draws=999)
    assert (low[0], high[0]) == (0, 1)


def test_holm_by_hand() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == {"a": 0.03, "c": 0.06, "b": 0.06}
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
