"""The floor: a plain Temporal application of the product's shape, with nothing of the product in it.

As many trivial activities and durable waits as the product's run has; what the product costs above it is the product's own.
"""

from datetime import timedelta

from pydantic import BaseModel
from temporalio import workflow

STEP = "floor_step"
STEP_TIMEOUT = timedelta(seconds=30)


class FloorTask(BaseModel):
    """``stretches``: activities before the first wait, between waits, and after the last."""

    key: str
    stretches: tuple[int, ...]
    deadline_seconds: float = 86_400.0


class StepDone(BaseModel):
    """What a step hands to the next."""

    number: int
    text: str


class FloorDecision(BaseModel):
    """An answer that lets the run go on."""

    evidence_id: str
    verdict: str


@workflow.defn
class FloorRun:
    """Stretches of activities, parked on a signal between them."""

    def __init__(self) -> None:
        self._decisions: list[FloorDecision] = []

    @workflow.signal
    def decide(self, decision: FloorDecision) -> None:
        """Note a decision once."""
        if all(decision.evidence_id != known.evidence_id for known in self._decisions):
            self._decisions.append(decision)

    @workflow.run
    async def run(self, task: FloorTask) -> int:
        """The number of the last step."""
        done = StepDone(number=0, text=task.key)
        for waits, count in enumerate(task.stretches):
            await self._decided(waits, timedelta(seconds=task.deadline_seconds))
            for _ in range(count):
                done = await workflow.execute_activity(
                    STEP, done, result_type=StepDone, start_to_close_timeout=STEP_TIMEOUT
                )
        return done.number

    async def _decided(self, count: int, deadline: timedelta) -> None:
        """Park, under a durable timer, until ``count`` decisions have come."""
        if len(self._decisions) < count:
            await workflow.wait_condition(lambda: len(self._decisions) >= count, timeout=deadline)
