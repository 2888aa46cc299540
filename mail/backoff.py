"""Exponential backoff with full jitter, as a value: the caller owns clock and randomness."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """Waits between tries: at most ``first * 2**n`` seconds, never above ``most``, spread over the upper half."""

    first: float = 0.5
    most: float = 60.0

    def seconds(self, attempt: int, jitter: Callable[[], float]) -> float:
        """Wait after failed try number ``attempt`` (from 0); ``jitter`` answers a number in [0, 1)."""
        ceiling = min(self.most, self.first * 2.0 ** min(attempt, 20))
        return ceiling * (0.5 + jitter() / 2)
