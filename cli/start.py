"""Starting a run: one deterministic id, one row, one workflow."""

from temporalio.client import Client
from temporalio.common import (
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from cli.context import now
from cli.errors import CommandError
from cli.exit_codes import Exit
from ledger.errors import KeyReused
from ledger.records import RunRow
from ledger.store import Ledger
from policies.canonical import digest
from policies.run_identity import request_digest
from settings import Settings
from wire.task import FINAL_STATES, RunState, TaskInput, TaskRequest


async def start_run(
    client: Client, settings: Settings, ledger: Ledger, task: TaskInput, request: TaskRequest
) -> RunRow:
    """Register and start the run, or find it. Starting twice is the same run. Raises ``CommandError``."""
    task_key = {"key": request.key} if request.key is not None else {"request": request_digest(request)}
    try:
        row = ledger.register_run(task, request, digest(task_key), request_digest(request), now())
    except KeyReused as error:
        raise CommandError(str(error)) from error
    if row.state in FINAL_STATES:
        raise CommandError(
            f"{row.run_id} ran before ({row.state.value}, {row.closed_at:%Y-%m-%d %H:%M:%S} UTC): "
            f"'starter.py show {row.run_id}' tells what came of it; to ask again, give a --key of its own",
            Exit.ALREADY_CLOSED,
        )
    try:
        await client.start_workflow(
            "AgentTask",
            row.task,
            id=row.run_id,
            task_queue=settings.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            search_attributes=_attributes(row.task),
            static_summary=row.task.goal[:180],
            static_details=f"requester {row.task.requester} · policy {row.task.policy_version} · brain {row.task.brain}",
        )
    except WorkflowAlreadyStartedError as error:
        if row.state is not RunState.HALTED:
            ledger.halt([row.run_id], "execution_ended", "its execution in Temporal was ended from outside", now())
        raise CommandError(
            f"the execution of {row.run_id} has ended in Temporal though the ledger holds it as {row.state.value}: "
            f"an operator must look ('starter.py show {row.run_id}')",
            Exit.HALTED,
        ) from error
    except RPCError as error:
        raise CommandError(f"Temporal refused to start {row.run_id}: {error.message}", Exit.UNREACHABLE) from error
    return row


def _attributes(task: TaskInput) -> TypedSearchAttributes:
    return TypedSearchAttributes(
        [
            SearchAttributePair(SearchAttributeKey.for_keyword("RunState"), RunState.RETRIEVING.value),
            SearchAttributePair(SearchAttributeKey.for_int("Step"), 0),
            SearchAttributePair(SearchAttributeKey.for_keyword("PolicyVersion"), task.policy_version),
        ]
    )
