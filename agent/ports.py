"""The port that every brain implements."""

from collections.abc import Sequence
from typing import Literal, Protocol

from wire.agent import Observation, Turn
from wire.context import TypedContext


class Brain(Protocol):
    """Decides one ReAct turn. It sees the typed context and what came of earlier turns, and nothing else."""

    @property
    def name(self) -> Literal["planner", "endpoint", "faulty"]:
        """Which brain decides; every surface shows it."""
        ...

    @property
    def model(self) -> str:
        """The model behind it, or the planner's own version."""
        ...

    @property
    def prompt_version(self) -> str:
        """Changes whenever the same input could be answered otherwise."""
        ...

    async def next_turn(self, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int) -> Turn:
        """Turn ``turn`` (from 1). Raises ``agent.errors.BrainFailed`` with the exchanges when there is none."""
        ...
