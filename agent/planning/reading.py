"""The text that a step may take values from."""

from dataclasses import dataclass, replace

from agent.planning.facts import Fact
from agent.planning.text import Token


@dataclass(frozen=True)
class Reading:
    """The text that a step may take values from: tokens and facts of its window."""

    goal: str
    tokens: tuple[Token, ...]
    facts: tuple[Fact, ...]


def window(reading: Reading, *spans: tuple[int, int]) -> Reading:
    """The parts of a reading that lie in one of the spans of the goal."""
    return replace(
        reading,
        tokens=tuple(t for t in reading.tokens if any(a <= t.start < b for a, b in spans)),
        facts=tuple(f for f in reading.facts if any(a <= f.start < b for a, b in spans)),
    )
