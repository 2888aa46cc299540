"""Holds a state folder with one part that only sleeps, and waits to be killed: ``python leave_a_part_behind.py STATE``."""

import sys
from pathlib import Path

from embedded.deployment import Deployment, Plan
from embedded.supervisor import Part


def plan(state: Path) -> Plan:
    """A plan that starts nothing by itself."""
    return Plan(
        state, state, (), state / "policy.toml", ("approvals@countersign.example",), "approvals@countersign.example"
    )


if __name__ == "__main__":
    deployment = Deployment(plan(Path(sys.argv[1])))
    deployment.start(Part("sleeper", ["sleep", "600"], lambda _: True))
    sys.stdout.write(f"{deployment.supervisor.pid('sleeper')}\n")
    sys.stdout.flush()
    sys.stdin.read()
