"""Notices that the mailroom does not get on, whatever holds it: a silent server, one that dribbles, a blocked thread.

Values only. Whoever works says what it begins and each time a step is done; whoever watches asks whether that is overdue.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Stall:
    """``doing`` has not got on for ``seconds``."""

    doing: str
    seconds: float


class Watchdog:
    """``patience``: seconds without a step that are too many. Thread-safe."""

    def __init__(self, patience: float, clock: Callable[[], float]) -> None:
        self._patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._doing = ""
        self._since = 0.0
        self._limit: float | None = None

    def begin(self, doing: str, waiting: float = 0.0) -> None:
        """From now on ``doing`` is under way; a wait of ``waiting`` seconds belongs to it."""
        with self._lock:
            self._doing, self._since = doing, self._clock()
            self._limit = self._since + waiting + self._patience

    def step(self) -> None:
        """It got on. Says nothing when nothing is under way: a step may come from a thread that was given up."""
        with self._lock:
            if self._limit is not None:
                self._since = self._clock()
                self._limit = max(self._limit, self._since + self._patience)

    def rest(self) -> None:
        """Nothing is under way."""
        with self._lock:
            self._limit = None

    def stall(self) -> Stall | None:
        """What is overdue now; asks for patience again from here on, so that each stall is told once."""
        with self._lock:
            now = self._clock()
            if self._limit is None or now < self._limit:
                return None
            self._limit = now + self._patience
            return Stall(self._doing, now - self._since)
