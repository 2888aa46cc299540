"""``demo``: the main job once, on real parts, shown as it happens: found, drafted, asked by mail, answered, done, proved."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.audit import of_ledger
from cli.context import Context, first_approver, ledger_of, starter_command, temporal_client
from cli.demo_approver import Narrated, approver
from cli.exit_codes import BY_STATE, Exit
from cli.follow import LOOK_EVERY, follow
from cli.narrate import narrate
from cli.order import Order, make_task
from cli.output import say
from cli.runs import ui_address
from cli.up import CATALOGUE, bring_up, until_stopped
from embedded.approver_client import Account
from embedded.deployment import Deployment
from ledger.records import RunRow
from ledger.store import Ledger
from settings import DEFAULT_STATE, REPOSITORY, Settings
from wire.task import RunState

POLICY = REPOSITORY / "policies" / "data" / "demo.toml"
DEMO_GOAL = "CG01"
MOST_LOOKS = 50


def demo(
    context: typer.Context,
    goal: Annotated[str | None, typer.Argument(metavar="GOAL", help="Another goal than the demo's own.")] = None,
    interactive: Annotated[bool, typer.Option("--interactive", help="You are the approver.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the parts and the Temporal UI up until Ctrl-C.")] = False,
    catalogue: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Other services than the shipped ones (repeatable).")
    ] = None,
) -> None:
    """Run one task end to end: Temporal, mail pair, OData service, worker and mailroom, each a process of its own."""
    given: Context = context.obj
    here = Context(state_dir=given.state_dir or DEFAULT_STATE / "demo", json=False, debug=given.debug)
    say("starting Temporal, mail, OData service, worker and mailroom …")
    deployment = bring_up(here, catalogue or [CATALOGUE], POLICY)
    try:
        settings = here.settings()
        code = asyncio.run(_run(settings, deployment, goal or demo_goal(), interactive=interactive))
        if keep:
            say(f"\nstill up: {settings.temporal_ui} (Ctrl-C stops everything)")
            say(f'another terminal: {starter_command(deployment.state)} run "…" --wait')
            until_stopped(deployment)
    finally:
        deployment.stop()
    raise typer.Exit(code)


def demo_goal() -> str:
    """The demo's goal as the catalogue has it."""
    lines = (CATALOGUE / "goals.jsonl").read_text(encoding="utf-8").splitlines()
    return next(str(row["goal"]) for row in map(json.loads, lines) if row["id"] == DEMO_GOAL)


async def _run(settings: Settings, deployment: Deployment, goal: str, *, interactive: bool) -> int:
    from cli.start import start_run  # loads the Temporal SDK, which other commands do without

    with ledger_of(settings) as ledger:
        order = Order(goal, key=f"demo {datetime.now(UTC).isoformat()}")
        task, request = make_task(settings, ledger, order)
        client = await temporal_client(settings)
        say(f"\nGOAL  {goal}")
        row = await start_run(client, settings, ledger, task, request)
        say(f"run   {row.run_id}\nUI    {ui_address(settings, row.run_id)} (while this runs)")
        say("The first run on new metadata loads the embedding model and reads the catalogue: half a minute or so.\n")
        narrated, account = Narrated(), _account(deployment, first_approver(settings))
        with approver(account, row.run_id, narrated, interactive=interactive):
            async for event in follow(ledger, row.run_id):
                for line in [] if event.kind == "request_accepted" else narrate(ledger, event):
                    say(f"{event.at:%H:%M:%S}  {line}")
                narrated.told(event)
        row = await _at_rest(ledger, row.run_id)
        say(f"\nAUDIT, from records alone ({starter_command(deployment.state)} audit {row.run_id[:10]})")
        verdict, lines, _ = of_ledger(ledger, row.run_id)
        for line in [*lines, *_what_next(deployment, row)]:
            say(line)
        if not verdict.intact:
            return int(Exit.NOT_INTACT)
        # With a person as approver every honest end is a success of the demo.
        return int(Exit.OK if interactive else BY_STATE.get(row.state, Exit.FAILED))


async def _at_rest(ledger: Ledger, run_id: str) -> RunRow:
    """The run as it stands in the end: where policy has no tail, overdue becomes expired at once."""
    for _ in range(MOST_LOOKS):
        if ledger.run(run_id).state is not RunState.OVERDUE:
            break
        await asyncio.sleep(LOOK_EVERY)
    return ledger.run(run_id)


def _account(deployment: Deployment, address: str) -> Account:
    """The approver's mailbox on the embedded mail pair."""
    ports, host = deployment.ports, "127.0.0.1"
    return Account(address, deployment.passwords[address], host, ports["imap"], host, ports["smtp"])


def _what_next(deployment: Deployment, row: RunRow) -> list[str]:
    """The end in words, and where a stranger can look now."""
    seconds = ((row.closed_at or row.state_at) - row.registered_at).total_seconds()
    return [
        f"\nRESULT  {row.state.value} after {seconds:.0f} s: {row.summary or row.detail}",
        f"NEXT    {starter_command(deployment.state)} show {row.run_id[:10]}     (all of this once more, without any server)",
        "        make demo INTERACTIVE=1     (you approve)",
        "        make demo KEEP=1            (everything stays up: the Temporal UI, and 'starter.py run' in another terminal)",
    ]
