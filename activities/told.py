"""What the brain is told of a turn; with it the run moves on to the next one."""

from contextlib import suppress
from datetime import datetime

from ledger.errors import RunClosed
from ledger.store import Ledger
from wire.agent import Observation
from wire.task import RunState


def reasoning(turn: int) -> str:
    """How the ledger names the state of a run that is at that turn."""
    return f"turn {turn}"


def tell(ledger: Ledger, run_id: str, observation: Observation, at: datetime) -> None:
    """Record the observation, and that the next turn follows: both or neither."""
    with ledger.jointly(run_id):
        ledger.observe(run_id, observation.turn, observation, at)
        # A run that was closed meanwhile takes no state any more, but what it was told stays on record.
        with suppress(RunClosed):
            ledger.set_state(run_id, RunState.REASONING, reasoning(observation.turn + 1), at)
