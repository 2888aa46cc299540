"""``demo``: the main job once, on real parts, shown as it happens: found, drafted, asked by mail, answered, done, proved."""

import asyncio
import json
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.audit import of_ledger
from cli.context import Context, ledger_of, load_policy, temporal_client
from cli.exit_codes import BY_STATE, Exit
from cli.follow import follow
from cli.narrate import narrate
from cli.order import Order, make_task
from cli.output import say
from cli.runs import ui_address
from cli.up import CATALOGUE, bring_up
from embedded.approver_client import Account, ApproverClient, InboxMail
from embedded.deployment import Deployment
from settings import DEFAULT_STATE, REPOSITORY, Settings

POLICY = REPOSITORY / "policies" / "data" / "demo.toml"
DEMO_GOAL = "CG01"


def demo(
    context: typer.Context,
    goal: Annotated[str | None, typer.Argument(help="Another goal than the demo's own.")] = None,
    interactive: Annotated[bool, typer.Option("--interactive", help="You are the approver.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the parts and the Temporal UI up until Ctrl-C.")] = False,
    catalogue: Annotated[
        list[Path] | None, typer.Option(help="Other services than the shipped ones (repeatable).")
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
            _wait_for_interrupt()
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
        with _approver(deployment, _approver_address(settings), interactive=interactive):
            row = await start_run(client, settings, ledger, task, request)
            say(f"run   {row.run_id}\nUI    {ui_address(settings, row.run_id)}\n")
            async for event in follow(ledger, row.run_id):
                for line in narrate(ledger, event):
                    say(f"{event.at:%H:%M:%S}  {line}")
        row = ledger.run(row.run_id)
        say(f"\nAUDIT, from records alone (starter.py --state {deployment.state} audit {row.run_id})")
        verdict, lines, _ = of_ledger(ledger, row.run_id)
        for line in lines:
            say(line)
        if not verdict.intact:
            return int(Exit.NOT_INTACT)
        # With a person as approver every honest end is a success of the demo.
        return int(Exit.OK if interactive else BY_STATE.get(row.state, Exit.FAILED))


def _approver_address(settings: Settings) -> str:
    """The first approver of the first rule: who the demo's approver is."""
    policy = load_policy(settings)
    name = policy.rules[0].approvers[0]
    return next(p.addresses[0] for p in policy.persons if p.id == name)


@contextmanager
def _approver(deployment: Deployment, address: str, *, interactive: bool) -> Iterator[None]:
    """A mail client beside the product: a process that approves, or the person at the terminal."""
    account = Account(
        address,
        deployment.passwords[address],
        "127.0.0.1",
        deployment.ports["imap"],
        "127.0.0.1",
        deployment.ports["smtp"],
    )
    if interactive:
        threading.Thread(target=_ask_person, args=(account,), daemon=True).start()
        yield
        return
    command = [sys.executable, "-m", "embedded.approver", "--follow", "--answer", "approve"]
    command += ["--imap", f"127.0.0.1:{account.imap_port}", "--smtp", f"127.0.0.1:{account.smtp_port}"]
    command += ["--user", account.user, "--password", account.password]
    process = subprocess.Popen(command, cwd=deployment.plan.repository, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _ask_person(account: Account) -> None:
    """Show each mail and send what the person types as a reply; an empty line answers nothing."""
    with ApproverClient(account) as client:
        for item in client.mails(86_400.0):
            _show(item)
            if not item.mail.asks:
                continue
            typed = _typed()
            if typed:
                unique = uuid.uuid5(uuid.NAMESPACE_OID, item.mail.message_id + typed)
                identifier = f"<{unique}@{account.user.rpartition('@')[2]}>"
                client.answer(item, typed, at=datetime.now(UTC), message_id=identifier)


def _show(item: InboxMail) -> None:
    rule = "=" * 78
    mail = item.mail
    say(f"{rule}\nFrom:    {mail.sender}\nDate:    {mail.date}\nSubject: {mail.subject}\n\n{mail.text}\n{rule}")


def _typed() -> str:
    """What the person writes above the quote: a first line, and a comment after REJECT."""
    say("Your reply (APPROVE, REJECT, or anything; an empty line sends nothing):")
    first = sys.stdin.readline().strip()
    if first.upper() != "REJECT":
        return first
    say("A comment for the agent (or an empty line):")
    comment = sys.stdin.readline().strip()
    return f"{first}\n\n{comment}" if comment else first


def _wait_for_interrupt() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        say("stopping")
