"""Checks side by side, each in a thread of its own and bounded in time: a part that hangs holds up no other."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cli.doctor.finding import Finding, unknown, wrong

Look = Callable[[], Sequence[Finding]]


@dataclass(frozen=True)
class Check:
    """Looks at ``part``; what it raises is a finding too, mended by ``mend``."""

    part: str
    look: Look
    mend: str


def run_checks(checks: Sequence[Check], seconds: float) -> list[Finding]:
    """All findings in the order of ``checks``. One that has not answered after ``seconds`` is said to be unknown."""
    found: dict[int, Sequence[Finding]] = {}

    def run(number: int, check: Check) -> None:
        try:
            found[number] = check.look()
        except Exception as error:  # whatever breaks in a part is what the command is there to tell
            found[number] = (wrong(check.part, f"{type(error).__name__}: {error}", check.mend),)

    threads = [threading.Thread(target=run, args=(n, c), daemon=True) for n, c in enumerate(checks)]
    end = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    findings: list[Finding] = []
    for number, check in enumerate(checks):
        answered = found.get(number)
        late = unknown(check.part, f"no answer within {seconds:g} s", f"{check.mend}; --seconds gives it longer")
        findings += [late] if answered is None else answered
    return findings
