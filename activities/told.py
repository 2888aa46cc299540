"""What the brain is told of a turn; with it the run moves on to the next one."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from ledger.errors import RunClosed
from ledger.store import Ledger
from wire.agent import Observation
from wire.call import Finding
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


def told_invalid(ledger: Ledger, run_id: str, step: int, findings: tuple[Finding, ...]) -> Observation:
    """What speaks against a step's call, as the brain proposed it."""
    call, turn = ledger.proposal(run_id, step).call, ledger.step(run_id, step).turn
    rows: list[dict[str, Any]] = [f.model_dump(mode="json") for f in findings]
    text = "; ".join(f"{f.pointer or 'call'}: {f.message}" for f in findings)
    return Observation(turn=turn, kind="invalid", call=call, text=text, data=rows)
