"""How long a search takes beyond encoding."""

from collections.abc import Sequence

import numpy as np


def quantiles(seconds: Sequence[float], cpu: Sequence[float]) -> dict[str, float]:
    """p50, p95 and the longest in milliseconds, and the same of processor time, which other work changes less."""
    return {
        f"{prefix}{name}": round(float(np.quantile(np.array(values), share)) * 1000, 2)
        for prefix, values in (("", seconds), ("cpu_", cpu))
        for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
    }
