"""The ways a run can go, each played to a point worth keeping as a history. Played on a time-skipping server."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from tests.fakes.stages import WINDOW, ScriptedStages
from wire.activity_signatures import DecisionAnswer, DispatchResult
from wire.approval import Outcome, RequestStatus
from wire.task import RunState

Play = Callable[[ScriptedStages, Any], Awaitable[None]]


@dataclass(frozen=True)
class Scenario:
    """``play`` moves the run; with ``ends`` it must have ended afterwards, else it is left parked."""

    name: str
    play: Play
    task: dict[str, Any] = field(default_factory=dict)
    stages: dict[str, Any] = field(default_factory=dict)
    ends: RunState | None = RunState.COMPLETED


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def _says(stages: ScriptedStages, outcome: Outcome, after: timedelta = timedelta(minutes=5), review: int = 0) -> None:
    request = stages.sent[-1]
    assert request.accepted_at is not None
    record = stages.decision(outcome, request.accepted_at + after, review, request.step)
    stages.answer = lambda query: DecisionAnswer(decision=record, read_past=True)


def _is(stages: ScriptedStages, state: RunState) -> None:
    stages.answer = lambda query: DecisionAnswer(run_state=state)


async def _answered(stages: ScriptedStages, handle: Any, outcome: Outcome, requests: int = 1, **how: Any) -> None:
    await _until(lambda: len(stages.sent) == requests)
    _says(stages, outcome, review=stages.sent[-1].review, **how)
    await handle.signal("decision", {"evidence_id": f"mail {requests}"})


async def _quiet(stages: ScriptedStages, handle: Any) -> None:
    """Nobody does anything."""


async def _silence(stages: ScriptedStages, handle: Any) -> None:
    """The mailroom reads on, and finds nothing."""
    stages.answer = lambda query: DecisionAnswer(read_past=True)


async def _approved(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.ACCEPTED)


async def _one_of_two(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.ACCEPTED, 1)
    await _until(lambda: len(stages.sent) == 2)


async def _two_writes(stages: ScriptedStages, handle: Any) -> None:
    await _one_of_two(stages, handle)
    await _answered(stages, handle, Outcome.ACCEPTED, 2)


async def _rejected(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.REJECTED)


async def _late(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.LATE, after=WINDOW + timedelta(seconds=1))
    await _answered(stages, handle, Outcome.ACCEPTED, 2)


async def _drifted(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.ACCEPTED)
    await _answered(stages, handle, Outcome.ACCEPTED, 2)


async def _halted(stages: ScriptedStages, handle: Any) -> None:
    await _until(lambda: len(stages.sent) == 1)
    _is(stages, RunState.HALTED)
    await handle.signal("decision", {"evidence_id": "collision"})
    await _until(lambda: len(stages.queries) == 1)


async def _released(stages: ScriptedStages, handle: Any) -> None:
    await _halted(stages, handle)
    _is(stages, RunState.AWAITING_APPROVAL)
    await handle.signal("decision", {"evidence_id": "act-9"})
    await _answered(stages, handle, Outcome.ACCEPTED, 2)


async def _cancelled(stages: ScriptedStages, handle: Any) -> None:
    await _until(lambda: len(stages.sent) == 1)
    _is(stages, RunState.CANCELLED)
    await handle.signal("decision", {"evidence_id": "act-7"})


async def _cancelled_in_temporal(stages: ScriptedStages, handle: Any) -> None:
    await _until(lambda: len(stages.sent) == 1)
    await handle.cancel()


async def _unknown(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.ACCEPTED)
    await _until(lambda: len(stages.written) == 1)
    _is(stages, RunState.CANCELLED)
    await handle.signal("decision", {"evidence_id": "act-12"})


async def _looked_up(stages: ScriptedStages, handle: Any) -> None:
    await _answered(stages, handle, Outcome.ACCEPTED)
    await _until(lambda: len(stages.written) == 1)
    await handle.signal("decision", {"evidence_id": "act-12"})


async def _no_before_the_gate(stages: ScriptedStages, handle: Any) -> None:
    await _until(lambda: len(stages.sent) == 1)
    received = stages.sent[-1].accepted_at
    assert received is not None
    yes, no = (stages.decision(outcome, received) for outcome in (Outcome.ACCEPTED, Outcome.REJECTED))
    stages.answer = lambda query: DecisionAnswer(decision=no if stages.written else yes)
    await handle.signal("decision", {"evidence_id": "yes"})


async def _undeliverable(stages: ScriptedStages, handle: Any) -> None:
    await _until(lambda: len(stages.sent) == 1)
    _is(stages, RunState.UNDELIVERABLE)
    await handle.signal("decision", {"evidence_id": "bounce"})
    await _until(lambda: len(stages.queries) == 1)
    _is(stages, RunState.AWAITING_APPROVAL)
    await handle.signal("decision", {"evidence_id": "act-8"})
    await _answered(stages, handle, Outcome.ACCEPTED, 2)


async def _forged(stages: ScriptedStages, handle: Any) -> None:
    await _until(lambda: len(stages.sent) == 1)
    forged = {"run_id": "r", "step": 1, "review": 0, "evidence_id": "forged", "outcome": "accepted"}
    await handle.signal("decision", forged)
    await _until(lambda: len(stages.queries) == 1)


READ_AND_WRITE = {"turns": ["read", "invalid", "write"]}
SCENARIOS = (
    Scenario("approved", _approved),
    Scenario("read_invalid_then_parked", _forged, stages=READ_AND_WRITE, ends=None),
    Scenario("two_writes", _two_writes, stages={"turns": ["write", "write"]}),
    Scenario("second_write_parked", _one_of_two, stages={"turns": ["write", "write"]}, ends=None),
    Scenario("rejected", _rejected),
    Scenario("late_then_approved", _late),
    Scenario("nobody_answered", _silence, ends=RunState.EXPIRED),
    Scenario("drifted", _drifted, stages={"dispatches": [DispatchResult(kind="drifted", summary="price changed")]}),
    Scenario("halted", _halted, ends=None),
    Scenario("halted_and_released", _released),
    Scenario("cancelled_by_operator", _cancelled, ends=RunState.CANCELLED),
    Scenario("cancelled_in_temporal", _cancelled_in_temporal, ends=RunState.CANCELLED),
    Scenario(
        "outcome_unknown", _unknown, stages={"dispatches": [DispatchResult(kind="unknown")]}, ends=RunState.CANCELLED
    ),
    Scenario("differs_then_the_same", _looked_up, stages={"dispatches": [DispatchResult(kind="differs")]}),
    Scenario("no_before_the_gate", _no_before_the_gate, stages={"dispatches": [DispatchResult(kind="refused")]}),
    Scenario("withdrawn_unsent", _drifted, stages={"statuses": [RequestStatus.WITHDRAWN]}),
    Scenario("undeliverable", _undeliverable, stages={"statuses": [RequestStatus.UNDELIVERABLE]}),
    Scenario("denied", _quiet, stages={"turns": ["denied"]}, ends=RunState.FAILED),
    Scenario("step_cap", _quiet, task={"step_cap": 3}, stages={"turns": ["read"] * 9}, ends=RunState.FAILED),
    Scenario("dry_run", _quiet, task={"dry_run": True}),
)
