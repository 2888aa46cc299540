"""The run of one task: retrieve, then turns of reason, validate and act, until the agent is done.

Workflow id = run id. One execution only: steps are capped, so there is no continue-as-new.
"""

import asyncio
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

from wire import activity_signatures as stage
from wire.activity_signatures import CloseInput, Proposed, ProposeInput, StepInput
from wire.task import RunResult, RunState, TaskInput
from workflows.approval_wait import ApprovalWait
from workflows.stages import CLOSE, PROPOSE, READ, RETRIEVE, VALIDATE
from workflows.surface import Surface
from workflows.write_stage import WriteEnd, WriteStage

FOREIGN = frozenset({"ForeignExecution", "EpochMismatch"})


@workflow.defn(name="AgentTask")
class AgentTask:
    """One task under human control."""

    @workflow.init
    def __init__(self, task: TaskInput) -> None:
        self._task = task
        self._wait = ApprovalWait()
        self._surface = Surface(task.run_id, task.goal)
        self._writes = WriteStage(task.run_id, self._wait, self._surface, dry_run=task.dry_run)
        self._turns = 0
        self._effects = 0

    @workflow.signal(name="decision")
    def decision(self, *envelopes: Any) -> None:
        """Somebody says that the ledger holds news. Only noted: no field is believed, nothing is raised, nothing is lost."""
        self._wait.note(envelopes)

    @workflow.query(name="state")
    def state(self) -> dict[str, Any]:
        """Where the run stands: state, step, turns taken, writes done."""
        return {
            "state": self._surface.state.value,
            "step": self._surface.step,
            "turns": self._turns,
            "writes": self._effects,
        }

    @workflow.run
    async def run(self, task: TaskInput) -> RunResult:
        """The whole route of design.md section 2."""
        try:
            state, summary = await self._carry_out(task)
        except asyncio.CancelledError:
            state, summary = RunState.CANCELLED, "cancelled in Temporal"
        except ActivityError as error:
            cause = error.cause
            if is_cancelled_exception(error):
                # The cancellation met the run inside an activity.
                return await self._close(RunState.CANCELLED, "cancelled in Temporal")
            if isinstance(cause, ApplicationError) and cause.type in FOREIGN:
                raise ApplicationError(str(cause), type=cause.type, non_retryable=True) from error
            state, summary = RunState.FAILED, f"{error.activity_type}: {cause or error}"
        return await self._close(state, summary)

    async def _carry_out(self, task: TaskInput) -> tuple[RunState, str]:
        self._surface.show(RunState.RETRIEVING, "retrieving endpoints")
        found = await workflow.execute_activity(stage.retrieve_context, task, summary=task.goal[:120], **RETRIEVE)
        if found.out_of_scope or not found.endpoints:
            return RunState.NEEDS_INPUT, "no endpoint of the catalogue serves this goal"
        for self._turns in range(1, task.step_cap + 1):
            self._surface.show(RunState.REASONING, f"turn {self._turns}: the agent reasons")
            ask = ProposeInput(
                run_id=task.run_id, turn=self._turns, context_digest=found.context_digest, goal=task.goal
            )
            proposed = await workflow.execute_activity(
                stage.propose_call, ask, summary=f"turn {self._turns}", **PROPOSE
            )
            if proposed.action != "call":
                return _said(proposed)
            end = await self._act(proposed)
            if end is not None:
                return end
        return RunState.FAILED, f"the agent was not done after {task.step_cap} turns"

    async def _act(self, proposed: Proposed) -> tuple[RunState, str] | None:
        """Validate the proposed call and carry it out; None when the agent takes another turn."""
        step = StepInput(run_id=self._task.run_id, step=proposed.step)
        self._surface.show(RunState.VALIDATING, f"step {proposed.step}: {proposed.summary}", step=proposed.step)
        call = await workflow.execute_activity(stage.validate_call, step, summary=proposed.summary, **VALIDATE)
        if call.denied:
            return RunState.FAILED, call.denied
        if not call.valid:
            return None
        if not call.write:
            await workflow.execute_activity(stage.execute_read, step, summary=call.label, **READ)
            return None
        return self._after_write(await self._writes.countersign(call))

    def _after_write(self, end: WriteEnd) -> tuple[RunState, str] | None:
        if end.kind == "composed":
            return RunState.COMPLETED, end.summary
        if end.state is not None:
            return end.state, end.summary
        self._effects += end.kind == "executed"
        return None

    async def _close(self, state: RunState, summary: str) -> RunResult:
        await workflow.wait_condition(workflow.all_handlers_finished)
        self._surface.show(state, summary)
        close = CloseInput(run_id=self._task.run_id, state=state, summary=summary, at=workflow.now())
        return await workflow.execute_activity(stage.close_run, close, summary=state.value, **CLOSE)


def _said(proposed: Proposed) -> tuple[RunState, str]:
    if proposed.action == "ask":
        return RunState.NEEDS_INPUT, proposed.summary
    if proposed.after_reject:
        return RunState.REJECTED, proposed.summary
    return (RunState.FAILED if proposed.failed else RunState.COMPLETED), proposed.summary
