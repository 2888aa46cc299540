"""Wall time of the demo after installation, in a fresh state folder and in the same one again."""

import resource
import subprocess
import sys
import time
from pathlib import Path

from evaluation.bench.measure import Measure, at_most

GOAL_SECONDS = 60.0


def demo_time(folder: Path, repository: Path) -> list[Measure]:
    """Run the demo twice, as ``make demo`` does after installing. It must end well: else there is nothing to time."""
    before = _children_cpu()
    fresh = _seconds(folder, repository)
    fresh_cpu = _children_cpu() - before
    warm = _seconds(folder, repository)
    return [
        Measure(
            "demo, fresh state", fresh, "s", at_most(GOAL_SECONDS), "ingests, starts all parts, two approved writes"
        ),
        Measure(
            "demo, fresh state: CPU", fresh_cpu, "s", note="of all its processes; what others' load does not change"
        ),
        Measure("demo, warm state", warm, "s", at_most(GOAL_SECONDS), "the same state folder again"),
    ]


def _seconds(folder: Path, repository: Path) -> float:
    command = [sys.executable, str(repository / "starter.py"), "--state", str(folder), "demo"]
    start = time.monotonic()
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=600, check=False)
    taken = time.monotonic() - start
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise RuntimeError(f"the demo ended with exit code {done.returncode}: {' | '.join(lines[-3:])[:400]}")
    return taken


def _children_cpu() -> float:
    """CPU seconds of all processes that this one, or one below it, has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
