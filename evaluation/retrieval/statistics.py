"""Paired comparisons: sign-flip randomisation, bootstrap by process, Holm.

The p-value is two-sided, (b + 1) / (m + 1): of m random sign patterns, b give a mean difference at least as far from zero as
the observed one. ``p`` flips each query by itself; ``p_by_process`` flips the queries of one process together, as the
bootstrap draws them together, since they are no independent draws. Intervals are percentiles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DRAWS = 9999
LEVEL = 0.95
_NOISE = 1e-12

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Compared:
    """Of one metric. ``delta`` = mean of a minus mean of b over ``n`` queries of ``clusters`` processes."""

    delta: float
    p: float
    p_by_process: float
    ci_low: float
    ci_high: float
    n: int
    clusters: int


def compare(differences: Array, clusters: Sequence[str], *, seed: int = 0, draws: int = DRAWS) -> list[Compared]:
    """Each column of ``differences`` (queries x metrics); ``clusters`` names the process of each query."""
    _, label = np.unique(np.array(clusters), return_inverse=True)
    count = int(label.max()) + 1
    sums = np.zeros((count, differences.shape[1]))
    np.add.at(sums, label, differences)
    sizes = np.bincount(label, minlength=count).astype(np.float64)
    alone = randomisation(differences, seed=seed, draws=draws)
    together = randomisation(sums, seed=seed, draws=draws)
    low, high = bootstrap(sums, sizes, seed=seed, draws=draws)
    table = np.round(np.column_stack([differences.mean(axis=0), alone, together, low, high]), 6)
    return [
        Compared(delta, p, by_process, ci_low, ci_high, len(differences), count)
        for delta, p, by_process, ci_low, ci_high in table.tolist()
    ]


def randomisation(differences: Array, *, seed: int, draws: int) -> Array:
    """Two-sided p of each column under random signs of its rows."""
    signs = np.random.default_rng([seed, 1, len(differences)]).integers(0, 2, (draws, len(differences))) * 2.0 - 1.0
    reached = np.abs(signs @ differences) >= np.abs(differences.sum(axis=0)) - _NOISE
    return np.asarray((reached.sum(axis=0) + 1) / (draws + 1))


def bootstrap(sums: Array, sizes: Array, *, seed: int, draws: int) -> tuple[Array, Array]:
    """Percentile interval of each column's mean; rows (sums over ``sizes`` queries each) are drawn with replacement."""
    count = len(sizes)
    times = np.random.default_rng([seed, 2, count]).multinomial(count, np.full(count, 1 / count), draws)
    drawn = (times @ sums) / (times @ sizes)[:, None]
    edge = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, [edge, 1 - edge], axis=0)
    return low, high


def holm(values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values of one family, by the same names."""
    found: dict[str, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(values, key=lambda name: (values[name], name))):
        least = max(least, min(1.0, values[name] * (len(values) - place)))
        found[name] = round(least, 6)
    return found
