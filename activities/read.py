"""Stage 4: reads need no approval; what they answer becomes the brain's observation."""

import json
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.guard import off_loop, on_own_run
from activities.judging import contract_of
from activities.ports import Parts
from activities.told import tell
from ledger.records import RunRow
from odata.errors import Busy, ODataError, Retryable
from wire.activity_signatures import ReadDone, StepInput
from wire.agent import Observation
from wire.call import CallResult, ValidatedCall
from wire.endpoint import EndpointContract

MOST_ROWS = 50
READ_ATTEMPTS = 5
LONGEST_DELAY = 120.0
"""Seconds; a service that asks for more gets a request before it, or the read's time would be over."""


class ReadStage:
    """Holds the parts for ``execute_read``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def execute_read(self, step: StepInput) -> ReadDone:
        """Send a read; its result becomes an observation."""
        parts = self._parts
        validated, contract = await on_own_run(parts, step.run_id, lambda row: self._call(row, step))
        client = parts.services.client(validated.call.service, contract.version)
        try:
            result = await client.read(validated.request)
        except Retryable as error:
            if activity.info().attempt < READ_ATTEMPTS:
                raise later(error) from error
            observation = await off_loop(_failed, parts, step, validated, "the service does not answer")
            return ReadDone(step=step.step, ok=False, summary=observation.text)
        except ODataError as error:
            observation = await off_loop(_failed, parts, step, validated, str(error))
            return ReadDone(step=step.step, ok=False, summary=observation.text)
        return await off_loop(_read, parts, step, validated, result)

    def _call(self, row: RunRow, step: StepInput) -> tuple[ValidatedCall, EndpointContract]:
        validated = self._parts.ledger.validated(step.run_id, step.step)
        if validated is None:
            raise ValueError(f"run {step.run_id}, step {step.step} has no valid call to read with")
        return validated, contract_of(self._parts, validated.call, row.task.graph_hash)


def later(error: Retryable) -> ApplicationError:
    """The same read again, when the service says so, or else as the stage is retried."""
    asked = error.retry_after if isinstance(error, Busy) else None
    delay = timedelta(seconds=min(asked, LONGEST_DELAY)) if asked is not None else None
    return ApplicationError(str(error), type=type(error).__name__, next_retry_delay=delay)


def _failed(parts: Parts, step: StepInput, validated: ValidatedCall, why: str) -> Observation:
    turn = parts.ledger.step(step.run_id, step.step).turn
    observation = Observation(turn=turn, kind="failed", call=validated.call, text=why)
    tell(parts.ledger, step.run_id, observation, parts.now())
    return observation


def _read(parts: Parts, step: StepInput, validated: ValidatedCall, result: CallResult) -> ReadDone:
    at = parts.now()
    rows = result.data if isinstance(result.data, list) else [result.data] if result.data is not None else []
    kept, cut = rows[:MOST_ROWS], len(rows) > MOST_ROWS or result.truncated
    body = json.dumps(result.data, ensure_ascii=False).encode()
    text = f"{len(rows)} row(s)" + (", truncated" if cut else "")
    data: Any = kept if isinstance(result.data, list) else result.data
    with parts.ledger.jointly(step.run_id):
        digest = parts.ledger.put(body, "application/json", at)
        # Named by the chain, so that the answer is kept and erased with its run.
        parts.ledger.note(step.run_id, "read_answered", {"step": step.step}, {"result": digest}, at)
        turn = parts.ledger.step(step.run_id, step.step).turn
        observation = Observation(turn=turn, kind="result", call=validated.call, text=text, data=data)
        tell(parts.ledger, step.run_id, observation, at)
    return ReadDone(step=step.step, ok=True, result_digest=digest, summary=text)
