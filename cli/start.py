"""Starting a run: who asks, who may approve, one deterministic id, one row, one workflow."""

from dataclasses import dataclass

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

from cli.context import load_policy, named_person, now, requester_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from graph.snapshot import current_hash
from ledger.errors import KeyReused
from ledger.records import RunRow
from ledger.store import Ledger
from policies.canonical import digest
from policies.rulebook import policy_version
from policies.run_identity import derive_run_id, request_digest
from settings import Settings
from wire.policy import Policy
from wire.task import FINAL_STATES, RunState, TaskInput, TaskRequest


@dataclass(frozen=True)
class Order:
    """What stands on the command line of ``run``."""

    goal: str
    approvers: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    key: str | None = None
    dry_run: bool = False


def make_task(settings: Settings, ledger: Ledger, order: Order) -> tuple[TaskInput, TaskRequest]:
    """The workflow's input. Raises ``CommandError`` for a goal, approver, requester or graph that cannot be used."""
    policy = load_policy(settings)
    goal = order.goal.strip()
    if not goal:
        raise CommandError("the goal is empty: say in a sentence what should be done")
    requester, source = requester_of(policy)
    if requester.id not in policy.requesters:
        raise CommandError(f"policy {policy.version} does not let {requester.id} start runs: add them to 'requesters'")
    graph_hash = current_hash(settings.graphs)
    if graph_hash is None:
        raise CommandError(f"no graph in {settings.graphs}: run 'starter.py ingest' with your metadata first")
    request = TaskRequest(
        goal=goal,
        requester=requester.id,
        requester_source=source,
        approvers=_narrowed(policy, requester.id, order.approvers),
        services=order.services,
        key=order.key,
        dry_run=order.dry_run,
    )
    task = TaskInput(
        run_id=derive_run_id(request),
        goal=goal,
        requester=requester.id,
        approvers=request.approvers,
        services=order.services,
        dry_run=order.dry_run,
        policy_version=policy_version(policy),
        graph_hash=graph_hash,
        ledger_epoch=ledger.epoch,
        brain=settings.brain,
        step_cap=policy.step_cap,
    )
    return task, request


def _narrowed(policy: Policy, requester: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Approvers that the caller narrows to, as person ids. Only policy can name somebody."""
    chosen = tuple(named_person(policy, name).id for name in names)
    allowed = {name for rule in policy.rules for name in (*rule.approvers, *rule.escalate_to)}
    for name in chosen:
        if name == requester:
            raise CommandError(f"{name} asks for this run and so cannot approve in it: name somebody else")
        if name not in allowed:
            raise CommandError(
                f"no rule of policy {policy.version} names {name} as approver (it names: {', '.join(sorted(allowed))})"
            )
    return chosen


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
