"""The report as text and as JSON."""

import os
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.bench.measure import Measure
from evaluation.bench.registry import Group

VERDICTS = {True: "pass", False: "FAIL", None: ""}


def group_lines(group: Group, measures: Sequence[Measure], seconds: float) -> list[str]:
    """A group's table."""
    width = max((len(m.name) for m in measures), default=0)
    return [f"\n{group.name}: {group.about} ({seconds:.0f} s)", *[_line(m, width) for m in measures]]


def summary_line(measures: Sequence[Measure]) -> str:
    """How many goals were reached, and which were not."""
    judged = [m for m in measures if m.met is not None]
    missed = [m.name for m in judged if not m.met]
    return f"\n{len(judged) - len(missed)} of {len(judged)} goals reached" + (
        f"; not: {', '.join(missed)}" if missed else ""
    )


def report_json(groups: Mapping[str, Sequence[Measure]], failed: Mapping[str, str]) -> dict[str, Any]:
    """Everything, with what a reader needs to judge wall times by."""
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_average": list(os.getloadavg()),
        "groups": {name: [m.as_json() for m in measures] for name, measures in groups.items()},
        "failed": dict(failed),
    }


def _line(measure: Measure, width: int) -> str:
    goal = "" if measure.goal is None else f"{measure.goal}: {VERDICTS[measure.met]}"
    text = f"  {measure.name:<{width}}  {_number(measure.value):>9} {measure.unit:<10} {goal:<18} {measure.note}"
    return text.rstrip()


def _number(value: float) -> str:
    """Whole numbers as such, others with three digits that count."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.{2 if abs(value) < 10 else 1}f}"
