"""What somebody asks for on the command line, checked against policy and graph before anything is started."""

from contextlib import closing
from dataclasses import dataclass

from cli.context import load_policy, named_person, requester_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from graph.errors import GraphError
from graph.library import open_library
from ledger.store import Ledger
from policies.people import persons_named
from policies.rulebook import policy_version
from policies.run_identity import derive_run_id
from settings import Settings
from wire.policy import Policy
from wire.task import TaskInput, TaskRequest


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
    if any("\ud800" <= char <= "\udfff" for char in goal):
        raise CommandError("the goal is not valid UTF-8: check the terminal's encoding")
    requester, source = requester_of(policy)
    if requester.id not in policy.requesters:
        raise CommandError(f"policy {policy.version} does not let {requester.id} start runs: add them to 'requesters'")
    graph_hash = _current_graph(settings, order.services)
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


def _current_graph(settings: Settings, services: tuple[str, ...]) -> str:
    """Hash of the snapshot that the run will stand on. Raises ``CommandError`` without one, or without these services."""
    try:
        with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
            found = library.current()
            known = library.open(found).services() if found is not None and services else []
    except GraphError as error:
        raise CommandError(str(error)) from error
    if found is None:
        place = settings.graph_endpoint.url or settings.graphs
        raise CommandError(
            f"no graph in {place}: 'starter.py up' loads the shipped catalogue, 'starter.py ingest' your metadata",
            Exit.NOT_FOUND,
        )
    for name in services:
        if name not in known:
            raise CommandError(f"the graph has no service {name} (it has: {', '.join(sorted(known))})")
    return found


def _narrowed(policy: Policy, requester: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Approvers that the caller narrows to, as person ids. Only policy can name somebody."""
    chosen = tuple(named_person(policy, name).id for name in names)
    lines = [line for r in policy.rules for line in (r.approvers, r.escalate_to, *r.escalate_further)]
    allowed = {name for line in lines for name in persons_named(policy, line)}
    for name in chosen:
        if name == requester:
            raise CommandError(f"{name} asks for this run and so cannot approve in it: name somebody else")
        if name not in allowed:
            raise CommandError(
                f"no rule of policy {policy.version} names {name} as approver (it names: {', '.join(sorted(allowed))})"
            )
    return chosen
