"""The generated replies: as many as the measures ask for, and a sample of each group judged through the whole route."""

import pytest

from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.judge import all_cases, judge, upper_bound, write_cases
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import languages

CASES = all_cases()


def of(group: str) -> list[Case]:
    return [case for case in CASES if case.group == group]


def test_the_matrix_is_as_wide_as_its_measures_ask():
    assert len(languages()) == 12
    assert len(SHAPES) >= 25
    assert len(of("non-approval")) >= 1500
    assert len(of("forgery")) >= 300


def test_the_bound_beside_a_zero():
    assert upper_bound(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert upper_bound(3, 3) == 1.0


@pytest.mark.parametrize("group", ["approval", "rejection", "non-approval", "forgery", "genuine", "again"])
def test_a_sample_is_judged_right(group, tmp_path):
    # A step that shares no factor with the number of shapes, so that the sample meets all of them.
    wanted = of(group)[:: max(1, len(of(group)) // 23)]
    earlier = {name for case in wanted for name in case.override.get("after", ())}
    sample = [*(case for case in CASES if case.name in earlier and case not in wanted), *wanted]
    write_cases(tmp_path, sample)
    assert judge(tmp_path, sample)["wrong"] == []
