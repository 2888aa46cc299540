"""Driving a mailroom process: start, wait for what it says, stop or kill."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mail.imap import ImapSettings

ROOT = Path(__file__).resolve().parents[2]
LOOK_SECONDS = 0.2
Event = dict[str, Any]


class NothingSaid(RuntimeError):
    """Raised when the room did not say in time what was waited for; the message holds its last events."""


@dataclass
class RunningRoom:
    """A mailroom process and everything that it has said."""

    process: "subprocess.Popen[str]"
    events: list[Event] = field(default_factory=list)
    _said: threading.Condition = field(default_factory=lambda: threading.Condition(threading.RLock()))

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            with self._said:
                self.events.append(json.loads(line))
                self._said.notify_all()

    def of(self, event: str) -> list[Event]:
        """Everything said under that name so far."""
        with self._said:
            return [said for said in self.events if said["event"] == event]

    def until(self, holds: Callable[["RunningRoom"], bool], what: str, seconds: float = 300.0) -> None:
        """Wait until ``holds``, which may look at the ledger as well as at the events. Raises NothingSaid."""
        end = time.monotonic() + seconds
        with self._said:
            while not holds(self):
                self._said.wait(LOOK_SECONDS)
                if time.monotonic() >= end:
                    raise NothingSaid(f"no {what} within {seconds:.0f} s; last events: {self.events[-5:]}")

    def stop(self) -> Event:
        """End it in order; what it used: ``mebibytes`` of memory at its peak, ``cpu_seconds``, and how many ``polls``."""
        self.process.terminate()
        self.process.wait(60)
        self._reader.join(10)
        return self.of("ended")[-1] | self.of("used")[-1]

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait(20)
        self._reader.join(10)


@contextmanager
def running_room(
    imap: ImapSettings, ledger: str, policy: Path, *extra: str, module: str = "evaluation.mailroom.room_process"
) -> Iterator[RunningRoom]:
    """A mailroom process, killed at exit if it still runs."""
    command = [sys.executable, "-m", module, "--ledger", ledger, "--policy", str(policy)]
    command += ["--imap", f"{imap.host}:{imap.port}", "--user", imap.username, "--password", imap.password, *extra]
    room = RunningRoom(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
    try:
        yield room
    finally:
        if room.process.poll() is None:
            room.kill()
        if room.process.stdout is not None:
            room.process.stdout.close()
