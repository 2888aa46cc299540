"""Medians, percentiles, ratios."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.bench.numbers import median, milliseconds, percentile, ratio
from tests.unit.evaluation.events import second

SAMPLES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50)


def test_percentile_is_a_sample_that_covers_the_share():
    assert [percentile(range(1, 21), share) for share in (0.05, 0.5, 0.95, 1.0)] == [1, 10, 19, 20]


def test_median_of_an_even_number_lies_between():
    assert (median([4, 1, 3]), median([4, 1, 3, 2])) == (3, 2.5)


@pytest.mark.parametrize("of", [median, lambda none: percentile(none, 0.95)])
def test_no_samples_are_an_error(of):
    with pytest.raises(ValueError, match="no samples"):
        of([])


def test_ratio_without_a_floor_is_infinite():
    assert (ratio(3, 2), ratio(3, 0)) == (1.5, math.inf)


def test_milliseconds_between_instants():
    assert milliseconds(second(1), second(2.5)) == 1500


@given(SAMPLES)
def test_percentiles_and_median_lie_within_the_samples(samples):
    assert min(samples) <= median(samples) <= max(samples)
    assert percentile(samples, 0.0) <= percentile(samples, 0.5) <= percentile(samples, 1.0) == max(samples)
