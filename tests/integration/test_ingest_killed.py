"""Killed when all is read and nothing swapped, ingestion leaves the snapshot before it, and the next one goes through."""

import signal
import subprocess
import sys
from pathlib import Path

from graph.ingest import ingest
from graph.snapshot import current_hash, list_snapshots
from tests.unit.graph.world import write_world
from tests.unit.odata.csdl_samples import v4

_REPO = Path(__file__).resolve().parents[2]
_KILLED = """
import os, signal, sys
from pathlib import Path
from graph.ingest import ingest
def kill_at_the_last(file, number, total):
    if number == total:
        os.kill(os.getpid(), signal.SIGKILL)
ingest([Path(sys.argv[1])], Path(sys.argv[2]), progress=kill_at_the_last)
"""


def test_killed_before_the_swap(tmp_path: Path) -> None:
    sources, root = write_world(tmp_path / "sources"), tmp_path / "graph"
    before = ingest([sources], root).graph_hash
    write_world(sources, {"SHIP.xml": v4("<EntityType Name='A'/>")})
    done = subprocess.run([sys.executable, "-c", _KILLED, str(sources), str(root)], cwd=_REPO, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (current_hash(root), list_snapshots(root)) == (before, [before])
    after = ingest([sources], root).graph_hash
    assert (current_hash(root), after == before) == (after, False)
