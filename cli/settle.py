"""``settle``: an operator says what became of a write that nobody can prove. Nothing is sent by it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from cli.context import now
from cli.errors import CommandError
from cli.operators import Reason, Run, act_on_run
from ledger.records import RunRow
from ledger.settling import Saw
from ledger.store import Ledger
from wire.policy import Person, Policy


def settle(
    context: typer.Context,
    run_id: Run,
    outcome: Annotated[str, typer.Option(metavar="OUTCOME", help="succeeded or failed.")],
    reason: Reason,
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What was seen, and where.")] = "",
    key: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Key of what the write made (repeatable).")
    ] = None,
) -> None:
    """Say what became of a write whose outcome is unknown, or whose read-back differs.

    The run looks at the service once more, by reading alone; what that proves counts for more than the word. Who asked for the
    run or approves in it cannot settle it.
    """
    saw = Saw(outcome=_outcome(outcome), key=_key(key or ()), evidence=evidence.strip())
    if saw.outcome == "succeeded" and not (saw.key or saw.evidence):
        raise CommandError("say what you saw: --key NAME=VALUE of what the write made, or --evidence TEXT")

    def work(ledger: Ledger, policy: Policy, person: Person, row: RunRow) -> dict[str, Any]:
        step = ledger.settle(row.run_id, person.id, reason, saw, policy, now())
        said = f"step {step} settled as {saw.outcome}; unless the service proves otherwise the run goes on so"
        return {"step": step, "outcome": saw.outcome, "said": said}

    act_on_run(context, run_id, reason, work)


def _outcome(text: str) -> Literal["succeeded", "failed"]:
    if text not in ("succeeded", "failed"):
        raise CommandError(f"--outcome {text}: succeeded or failed")
    return "succeeded" if text == "succeeded" else "failed"


def _key(given: Sequence[str]) -> dict[str, str]:
    found = dict(text.partition("=")[::2] for text in given)
    wrong = next((text for text in given if not text.partition("=")[0] or "=" not in text), None)
    if wrong is not None:
        raise CommandError(f'--key "{wrong}": write it as NAME=VALUE')
    return found
