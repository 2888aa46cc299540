"""Measures, goals and the report."""

import pytest

from evaluation.bench.measure import Measure, at_least, at_most
from evaluation.bench.registry import GROUPS, Group
from evaluation.bench.report import group_lines, report_json, summary_line


@pytest.mark.parametrize(
    ("goal", "met"), [(at_most(2), True), (at_most(1.9), False), (at_least(2), True), (None, None)]
)
def test_a_goal_is_met_at_its_bound(goal, met):
    assert Measure("ratio", 2.0, "x", goal).met is met


def test_the_table_says_value_goal_and_verdict():
    group = Group("engine", "cost", lambda _: [])
    title, line = group_lines(group, [Measure("CPU", 2.71, "x", at_most(2), "in turn")], 3.2)
    assert title.strip() == "engine: cost (3 s)"
    assert line.split() == ["CPU", "2.71", "x", "at", "most", "2:", "FAIL", "in", "turn"]


def test_the_summary_names_missed_goals_only():
    measures = [Measure("a", 1, "", at_most(2)), Measure("b", 3, "", at_most(2)), Measure("c", 9, "")]
    assert summary_line(measures).strip() == "1 of 2 goals reached; not: b"


def test_json_holds_every_measure_and_failure():
    report = report_json({"memory": [Measure("worker", 75.5, "MiB")]}, {"demo": "RuntimeError: no"})
    assert report["groups"]["memory"][0]["value"] == 75.5
    assert report["failed"] == {"demo": "RuntimeError: no"}


def test_group_names_are_unique():
    names = [group.name for group in GROUPS]
    assert len(set(names)) == len(names)
