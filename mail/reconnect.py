"""How long to wait before the next connection: a value for the loop, which owns clock and socket."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mail.backoff import Backoff
from mail.errors import ImapLoginRefused
from mail.login_gate import REFUSED


@dataclass(frozen=True)
class Patience:
    """``ordinary`` trouble is tried again soon. A refused login is not: many servers lock an account after five or ten wrong
    passwords in half an hour, and here at most three fall into it. ``steady_seconds`` of work end a row of failures."""

    ordinary: Backoff = field(default_factory=Backoff)
    refused: Backoff = REFUSED
    steady_seconds: float = 60.0


class Retries:
    """Counts failures in a row."""

    def __init__(self, patience: Patience, jitter: Callable[[], float]) -> None:
        self._patience = patience
        self._jitter = jitter
        self._failures = 0
        self._refusals = 0

    def wait_after(self, error: BaseException, worked_seconds: float) -> float:
        """Seconds to wait after ``error`` ended a connection that had been read for ``worked_seconds`` (0: never)."""
        if worked_seconds >= self._patience.steady_seconds:
            self._failures = 0
        if worked_seconds > 0:
            self._refusals = 0
        if isinstance(error, ImapLoginRefused):
            self._refusals += 1
            return self._patience.refused.seconds(self._refusals - 1, self._jitter)
        self._failures += 1
        return self._patience.ordinary.seconds(self._failures - 1, self._jitter)
