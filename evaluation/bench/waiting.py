"""Waiting for something to become true, with an end."""

import asyncio
from collections.abc import Callable

PATIENCE_SECONDS = 240.0
"""Long, because loading the embedding model on a busy machine is part of the first wait."""
LOOK_EVERY_SECONDS = 0.02


class NeverHappened(RuntimeError):
    """Waited in vain; the message names what for. The bench itself has failed then, not a goal."""


async def until(holds: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Return as soon as ``holds`` is true. Raises ``NeverHappened`` after ``seconds``."""
    clock = asyncio.get_running_loop()
    end = clock.time() + seconds
    while not holds():
        if clock.time() > end:
            raise NeverHappened(f"waited {seconds:.0f} s for: {what}")
        await asyncio.sleep(LOOK_EVERY_SECONDS)
