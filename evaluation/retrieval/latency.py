"""How long a search takes beyond encoding, and how much memory what it stands on takes."""

from collections.abc import Sequence

import numpy as np


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """p50, p95 and the longest, in milliseconds."""
    table = np.array(seconds) * 1000
    return {
        "p50": round(float(np.quantile(table, 0.5)), 2),
        "p95": round(float(np.quantile(table, 0.95)), 2),
        "max": round(float(table.max()), 2),
    }
