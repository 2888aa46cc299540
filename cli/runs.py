"""``run``, ``list``, ``show``, ``wait``, ``cancel``: what a requester and an operator do with runs."""

import asyncio
from typing import Annotated, Any

import typer

from cli.context import Context, actor_of, ledger_of, load_policy, now, temporal_client
from cli.errors import CommandError
from cli.exit_codes import BY_STATE, Exit
from cli.follow import follow
from cli.masked import masker
from cli.narrate import narrate
from cli.order import Order, make_task
from cli.output import print_json, say, table
from ledger.errors import RunClosed, RunUnknown
from ledger.records import RunRow
from ledger.store import Ledger
from settings import Settings
from wire.task import RunState


def run(
    context: typer.Context,
    goal: Annotated[
        str,
        typer.Argument(metavar="GOAL", help="What should be done, in a sentence or two. Without a model: in English."),
    ],
    approver: Annotated[
        list[str] | None,
        typer.Option(metavar="PERSON", help="Narrow the approvers that policy names (id or address; repeatable)."),
    ] = None,
    service: Annotated[
        list[str] | None, typer.Option(metavar="SERVICE", help="Limit the task to these services (repeatable).")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Task key: the same key is the same run. Default: the request itself."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Show what happens, also while approvers are waited for, until the run ends.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Everything up to the composed mail; nothing is sent or written.")
    ] = False,
) -> None:
    """Start a task. The same request again is the same run, never a second order."""
    here: Context = context.obj
    settings = here.settings()
    order = Order(goal, tuple(approver or ()), tuple(service or ()), key, dry_run)
    with ledger_of(settings) as ledger:
        code = asyncio.run(_run(here, settings, ledger, order, wait=wait))
    raise typer.Exit(code)


async def _run(here: Context, settings: Settings, ledger: Ledger, order: Order, *, wait: bool) -> int:
    from cli.start import start_run  # loads the Temporal SDK, which the other commands do without

    task, request = make_task(settings, ledger, order)
    client = await temporal_client(settings)
    asked_at = now()
    row = await start_run(client, settings, ledger, task, request)
    if not here.json:
        same = f" · asked before, {row.state.value} now: no second run" if row.registered_at < asked_at else ""
        say(f"run {row.run_id} · brain {row.task.brain}{same}")
        if settings.temporal_ui:
            say(ui_address(settings, row.run_id))
    if wait:
        row = await _until_settled(here, ledger, row.run_id)
    if here.json:
        print_json(as_json(settings, row))
    return int(BY_STATE.get(row.state, Exit.OK)) if wait else int(Exit.OK)


async def _until_settled(here: Context, ledger: Ledger, run_id: str, timeout: float | None = None) -> RunRow:
    shown = masker(here.settings(), ledger, run_id)
    async for event in follow(ledger, run_id, timeout=timeout):
        for line in [] if here.json else narrate(ledger, event):
            say(shown(line))
    return ledger.run(run_id)


def ui_address(settings: Settings, run_id: str) -> str:
    """Where the Temporal UI shows the run."""
    return f"{settings.temporal_ui}/namespaces/{settings.temporal_namespace}/workflows/{run_id}"


def as_json(settings: Settings, row: RunRow) -> dict[str, Any]:
    """A run for programs."""
    return {
        "run_id": row.run_id,
        "state": row.state.value,
        "detail": row.detail,
        "summary": row.summary,
        "goal": row.task.goal,
        "requester": row.task.requester,
        "brain": row.task.brain,
        "policy_version": row.task.policy_version,
        "graph_hash": row.task.graph_hash,
        "registered_at": row.registered_at.isoformat(),
        "closed_at": row.closed_at.isoformat() if row.closed_at else None,
        "erased_at": row.erased_at.isoformat() if row.erased_at else None,
        "temporal_ui": ui_address(settings, row.run_id) if settings.temporal_ui else None,
    }


def list_runs(
    context: typer.Context,
    state: Annotated[
        list[RunState] | None,
        typer.Option(metavar="STATE", help=f"Only runs in these states (repeatable): {', '.join(RunState)}."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most this many, newest first.")] = 50,
) -> None:
    """The newest runs and where each stands."""
    here: Context = context.obj
    settings = here.settings()
    with ledger_of(settings) as ledger:
        rows = ledger.runs(tuple(state or ()), limit)
        goals = [] if here.json else [masker(settings, ledger, row.run_id)(_goal(row)) for row in rows]
    if here.json:
        print_json([as_json(settings, row) for row in rows])
        return
    if not rows:
        say('no runs yet: starter.py run "…" starts one')
        return
    table(
        ("run", "state", "since (UTC)", "detail", "goal"),
        [
            (r.run_id, r.state.value, f"{r.state_at:%m-%d %H:%M:%S}", r.detail[:40], goal[:70])
            for r, goal in zip(rows, goals, strict=True)
        ],
    )


def _goal(row: RunRow) -> str:
    return "(erased by policy)" if row.erased_at else row.task.goal


def find_run(ledger: Ledger, run_id: str) -> RunRow:
    """The run, also by an unambiguous beginning of its id. Raises ``CommandError``."""
    try:
        return ledger.run(run_id)
    except RunUnknown as error:
        fitting = ledger.runs_beginning(run_id) if len(run_id) > 6 else ()
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise CommandError(f"{len(fitting)} runs begin with {run_id}: give more letters", Exit.NOT_FOUND) from error
        raise CommandError(
            f"run {run_id} is not in this ledger: 'starter.py list' shows those that are; --state says whose ledger",
            Exit.NOT_FOUND,
        ) from error


def show(
    context: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning (7 letters or more).")],
) -> None:
    """Everything that happened in a run, in words."""
    here: Context = context.obj
    settings = here.settings()
    with ledger_of(settings) as ledger:
        row = find_run(ledger, run_id)
        events = ledger.trail(row.run_id)
        if here.json:
            print_json({**as_json(settings, row), "events": [e.model_dump(mode="json") for e in events]})
            return
        shown = masker(settings, ledger, row.run_id)
        say(f"{row.run_id}: {row.state.value}{f' ({row.detail})' if row.detail else ''}")
        say(shown(f"goal: {_goal(row)}"))
        for event in events:
            for line in narrate(ledger, event):
                say(shown(f"{event.at:%m-%d %H:%M:%S}  {line}"))


def wait(
    context: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning (7 letters or more).")],
    timeout: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Stop looking after so long; the run goes on.")
    ] = None,
) -> None:
    """Show what happens until the run ends, or stands until somebody acts; the exit code says how.

    While approvers are waited for in time, so does this command.
    """
    here: Context = context.obj
    settings = here.settings()
    with ledger_of(settings) as ledger:
        row = asyncio.run(_until_settled(here, ledger, find_run(ledger, run_id).run_id, timeout))
    if here.json:
        print_json(as_json(settings, row))
    else:
        say(f"{row.run_id}: {row.state.value}")
    raise typer.Exit(int(BY_STATE.get(row.state, Exit.OVERDUE)))


def cancel(
    context: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning (7 letters or more).")],
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why; stands in the audit trail and in the withdrawal mail.")
    ],
) -> None:
    """Stop a run: open requests are withdrawn; a write that is on its way is waited for, never cut off."""
    here: Context = context.obj
    if not reason.strip():
        raise CommandError("the reason is empty: say why, it is what approvers and auditors will read")
    settings = here.settings()
    policy = load_policy(settings)
    with ledger_of(settings, policy) as ledger:
        row = find_run(ledger, run_id)
        person, source, role = actor_of(policy, row.task.requester)
        try:
            stopped = ledger.cancel(row.run_id, f"{person.id} ({source})", reason, now(), role)
        except RunClosed as error:
            raise CommandError(str(error), Exit.ALREADY_CLOSED) from error
    if here.json:
        print_json({"run_id": row.run_id, "cancelled": True, "write_under_way": not stopped})
    else:
        said = "cancelled" if stopped else "a write is on its way: its outcome comes first, then the run ends"
        say(f"{row.run_id}: {said}")
