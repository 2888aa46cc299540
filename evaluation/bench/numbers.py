"""Medians, percentiles and ratios over few samples."""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime


def percentile(samples: Iterable[float], share: float) -> float:
    """The smallest sample that ``share`` (0 to 1) of all samples do not exceed. Raises ``ValueError`` without samples."""
    ordered = sorted(samples)
    if not ordered:
        raise ValueError("no samples to take a percentile of")
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median(samples: Iterable[float]) -> float:
    """The middle sample; the mean of both middle ones when their number is even. Raises ``ValueError`` without samples."""
    ordered = sorted(samples)
    if not ordered:
        raise ValueError("no samples to take a median of")
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def ratio(part: float, floor: float) -> float:
    """How many times ``floor`` is in ``part``; infinite when there is no floor to stand on."""
    return part / floor if floor > 0 else math.inf


def per(totals: Sequence[float], count: int) -> float:
    """The totals together, for each of ``count`` runs."""
    return sum(totals) / count


def milliseconds(start: datetime, end: datetime) -> float:
    """From one instant to another, in ms."""
    return (end - start).total_seconds() * 1000
