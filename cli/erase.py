"""``erase``: what policy keeps no longer. The mailroom does the same by itself; this is for who wants to see it done."""

from typing import Annotated, Any

import typer

from cli.context import Context, ledger_of, load_policy, now, operator_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.output import complain, print_json, say
from cli.runs import find_run
from ledger.erasure import Erased
from ledger.errors import LedgerError
from ledger.store import Ledger
from wire.policy import Policy

ONE_GO = 1000
"""Due runs that are erased in one call."""
ALL_OF_THEM = 1_000_000


def erase(
    context: typer.Context,
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]…", help="Run ids, or their beginnings; not with --due.")
    ] = None,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why; stands in the audit trail. Not needed with --dry-run.")
    ] = "",
    due: Annotated[bool, typer.Option("--due", help="Every run whose retention has ended.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say which runs are due, and erase nothing.")] = False,
) -> None:
    """Erase runs that closed longer than policy's retention_days ago: mails, contents, names. Digests and chain stay."""
    here: Context = context.obj
    if not dry_run and not reason.strip():
        raise CommandError("erasing needs --reason: say why, it is what auditors will read")
    if bool(runs) == due:
        raise CommandError("name runs, or --due for every run whose retention has ended")
    settings = here.settings()
    policy = load_policy(settings)
    person, _ = operator_of(policy)
    if policy.retention_days is None:
        raise CommandError(f"policy {policy.version} names no retention_days: nothing is ever erased under it")
    with ledger_of(settings, policy) as ledger:
        wanted = [find_run(ledger, run).run_id for run in runs or ()] or list(ledger.due_runs(policy, now(), ONE_GO))
        done, failed = (
            ([], _not_due(ledger, policy, wanted)) if dry_run else _erase_all(ledger, policy, person.id, reason, wanted)
        )
        wanted = [run_id for run_id in wanted if all(fault["run_id"] != run_id for fault in failed)]
    if here.json:
        print_json({"due": wanted if dry_run else [], "erased": done, "refused": failed})
    else:
        _tell(wanted if dry_run else [], done, failed, days=policy.retention_days)
    if failed:
        raise typer.Exit(int(Exit.FAILED if done else Exit.USAGE))


def _not_due(ledger: Ledger, policy: Policy, wanted: list[str]) -> list[dict[str, Any]]:
    """Those of the runs named that an erasure would refuse by now."""
    due = set(ledger.due_runs(policy, now(), ALL_OF_THEM))
    return [{"run_id": run_id, "why": f"run {run_id} is not due"} for run_id in wanted if run_id not in due]


def _erase_all(
    ledger: Ledger, policy: Policy, actor: str, reason: str, wanted: list[str]
) -> tuple[list[Erased], list[dict[str, Any]]]:
    """Each run in a transaction of its own; one that cannot be erased holds up no other."""
    done: list[Erased] = []
    failed: list[dict[str, Any]] = []
    for run_id in wanted:
        try:
            done.append(ledger.erase(run_id, policy, actor, "operator", reason, now()))
        except LedgerError as error:
            failed.append({"run_id": run_id, "why": str(error)})
    return done, failed


def _tell(due: list[str], done: list[Erased], failed: list[dict[str, Any]], *, days: int) -> None:
    for run_id in due:
        say(f"{run_id}: due ({days} day{'' if days == 1 else 's'})")
    for erased in done:
        shared = f"; {erased.shared} of them are named by other runs and stay for these" if erased.shared else ""
        say(f"{erased.run_id}: erased, {erased.events} events and {erased.contents} contents{shared}")
    for fault in failed:
        complain(f"starter.py: {fault['why']}")
    if not (due or done or failed):
        say(
            f"nothing is due: no run closed more than {days} day{'' if days == 1 else 's'} ago that still holds its mails"
        )
