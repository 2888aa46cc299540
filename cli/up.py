"""``up``: the embedded default in the foreground, until it is interrupted."""

import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from cli.context import Context, first_approver, load_policy, now, python_command, starter_command
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.ingest import ingest_into
from cli.ingest_answer import describe
from cli.output import print_json, say
from embedded.deployment import AlreadyRunning, Deployment, Plan
from embedded.supervisor import PartFailed
from settings import DEFAULT_STATE, REPOSITORY, Settings

CATALOGUE = REPOSITORY / "catalogue"


def up(
    context: typer.Context,
    catalogue: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="Folder with metadata, processes, bindings (repeatable). Default: the shipped catalogue.",
        ),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Policy file (TOML). Default: the one in settings.")
    ] = None,
) -> None:
    """Start Temporal, mail, OData service, worker and mailroom on this machine and keep them up until Ctrl-C."""
    here: Context = context.obj
    deployment = bring_up(here, catalogue or [CATALOGUE], policy)
    try:
        settings = here.settings()
        if here.json:
            print_json({"temporal_ui": settings.temporal_ui, "pids": deployment.supervisor.pids()})
        else:
            say(f"Temporal UI   {settings.temporal_ui}")
            say(f"state folder  {deployment.state}")
            say(f"mailboxes     {', '.join(deployment.passwords)} (passwords in {deployment.state / 'users.json'})")
            for line in _mail_program(settings, deployment):
                say(line)
            say(
                f'ready: {starter_command(deployment.state)} run "…" --wait in another terminal; Ctrl-C stops everything'
            )
        until_stopped(deployment)
    finally:
        deployment.stop()


def _mail_program(settings: Settings, deployment: Deployment) -> list[str]:
    """How an approver gets at the mail: with any mail program, or with the one that is here for trying out."""
    imap, smtp = (f"127.0.0.1:{deployment.ports[name]}" for name in ("imap", "smtp"))
    answer = f"--user {first_approver(settings)} --password … --answer approve --once"
    return [
        f"mail servers  IMAP {imap}, SMTP {smtp}, no TLS: for any mail program, or to approve the oldest unanswered request:",
        f"              {python_command()} -m embedded.approver --imap {imap} --smtp {smtp} {answer}",
    ]


def bring_up(here: Context, catalogues: list[Path], policy: Path | None) -> Deployment:
    """Start the servers, ingest the catalogues, start the product. Raises ``CommandError``; nothing is left running then."""
    for folder in catalogues:
        if not folder.is_dir():
            raise CommandError(f"{folder}: no such folder")
    # Whoever stops a command does it with kill as well: the parts must not outlive it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = here.settings()
    chosen = settings.model_copy(update={"policy_file": policy}) if policy else settings
    try:
        deployment = Deployment(_plan(here, chosen, catalogues))
    except AlreadyRunning as error:
        raise CommandError(str(error), Exit.FAILED) from error
    try:
        deployment.start_servers()
        report = ingest_into(here.settings(), catalogues, quiet=here.json)
        for line in [] if here.json else describe(report, now(), settings.codes_stale_days):
            say(line)
        deployment.start_product()
    except (PartFailed, FileNotFoundError) as error:
        deployment.stop()
        raise CommandError(str(error), Exit.FAILED) from error
    except BaseException:
        deployment.stop()
        raise
    return deployment


def _plan(here: Context, settings: Settings, catalogues: list[Path]) -> Plan:
    policy = load_policy(settings)
    addresses = [address for person in policy.persons for address in person.addresses]
    return Plan(
        state=here.state_dir or DEFAULT_STATE,
        repository=REPOSITORY,
        catalogues=tuple(folder.absolute() for folder in catalogues),
        policy_file=settings.policy_file,
        mailboxes=(settings.mail_from, settings.operator_address, *addresses),
        mail_user=settings.mail_from,
        embedder=settings.embedder,
    )


def until_stopped(deployment: Deployment) -> None:
    """Wait for Ctrl-C or SIGTERM; a part that ends by itself is said and ends the command."""
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    while not stop.wait(1.0):
        ended = deployment.supervisor.ended()
        if ended:
            logs = ", ".join(str(deployment.state / "logs" / f"{name}.log") for name in ended)
            raise CommandError(f"{', '.join(ended)} ended by itself: see {logs}", Exit.FAILED)
    sys.stdout.write("stopping\n")
