"""What speaks for an endpoint before any query: the process layer uses it, and it heads a family of names."""

import bisect

import numpy as np
import numpy.typing as npt

from graph.retrieval.base import Corpus
from graph.retrieval.weights import Weights

_FULL_FAMILY = 3


def endpoint_prior(corpus: Corpus, weights: Weights) -> npt.NDArray[np.float64]:
    """Score that each endpoint has from the start, by row."""
    bound = corpus.processes.bound_at
    covered = {corpus.endpoints[row].service for row in bound}
    values = [
        weights.bound * (row in bound) + weights.covered * (item.service in covered)
        for row, item in enumerate(corpus.endpoints)
    ]
    return np.array(values, dtype=np.float64) + weights.head * family_share(corpus)


def family_share(corpus: Corpus) -> npt.NDArray[np.float64]:
    """0 to 1: how many endpoints of the same service begin with this one's name, three or more counting as 1."""
    names: dict[str, list[str]] = {}
    for item in corpus.endpoints:
        names.setdefault(item.service, []).append(item.endpoint)
    for found in names.values():
        found.sort()
    counts = [_followers(names[item.service], item.endpoint) for item in corpus.endpoints]
    return np.minimum(np.array(counts, dtype=np.float64), _FULL_FAMILY) / _FULL_FAMILY


def _followers(names: list[str], name: str) -> int:
    start = bisect.bisect_right(names, name)
    end = bisect.bisect_right(names, name + "\U0010ffff")
    return end - start
