"""``doctor``: one line a part, exit code 0 when all is right and 1 when something is not."""

from collections.abc import Sequence
from typing import Annotated

import typer

from cli.context import Context
from cli.doctor.finding import Finding, secrets_in, without_secrets, wrong
from cli.doctor.running import run_checks
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.output import print_json, say
from settings import Settings


def doctor(
    context: typer.Context,
    seconds: Annotated[float, typer.Option(min=0.5, max=600, metavar="N", help="How long a check may take.")] = 20.0,
) -> None:
    """Look at every part: is it right, and if not, how is it mended? Changes nothing and sends nothing."""
    here: Context = context.obj
    try:
        settings = here.settings()
    except CommandError as error:
        findings: Sequence[Finding] = [wrong("settings", str(error), "mend the setting that is named")]
    else:
        findings = examine(settings, seconds)
    if here.json:
        print_json({"right": not any(f.is_bad for f in findings), "findings": [f.as_json() for f in findings]})
    else:
        for line in lines_of(findings):
            say(line)
    if any(finding.is_bad for finding in findings):
        raise typer.Exit(int(Exit.FAILED))


def examine(settings: Settings, seconds: float) -> Sequence[Finding]:
    """All findings, without secrets."""
    # Imported here: mail, DNS and HTTP take a while to load, and no other command needs all of them.
    from cli.doctor.checks import checks_of

    secrets = [secret for secret in secrets_in(settings) if secret]
    return [without_secrets(finding, secrets) for finding in run_checks(checks_of(settings, seconds), seconds)]


def lines_of(findings: Sequence[Finding]) -> list[str]:
    """One line a finding, and one for all."""
    width = max((len(f.part) for f in findings), default=0)
    lines = [
        f"{f.status.value:8} {f.part:{width}}  {f.told}{f' -> {f.mend}' if f.mend else ''}".rstrip() for f in findings
    ]
    bad, doubtful = sum(f.is_bad for f in findings), sum(f.status.value == "warning" for f in findings)
    told = "all is right" if not bad else f"{bad} not right"
    warned = f", {doubtful} warning{'' if doubtful == 1 else 's'}" if doubtful else ""
    return [*lines, f"{told}{warned}"]
