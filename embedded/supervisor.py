"""Starts the parts as processes of their own, waits until each says it is ready, and stops them again."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class PartFailed(RuntimeError):
    """A part did not come up. The message holds its name, its log file and the last lines of that log."""


@dataclass(frozen=True)
class Part:
    """One process. ``ready`` is asked with the log so far until it answers true."""

    name: str
    command: Sequence[str]
    ready: Callable[[str], bool]
    env: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 60.0


class Supervisor:
    """Owns the running parts; their output goes to ``logs/<name>.log``."""

    def __init__(self, logs: Path, cwd: Path, held: Sequence[int] = ()) -> None:
        """``held``: file descriptors that every part inherits, such as a lock that must outlive a killed parent."""
        self._logs = logs
        self._cwd = cwd
        self._held = held
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        logs.mkdir(parents=True, exist_ok=True)

    def start(self, *parts: Part) -> None:
        """Start the parts side by side and return when all are ready. Raises ``PartFailed``."""
        marks = {part.name: self._spawn(part) for part in parts}
        for part in parts:
            self._await_ready(part, marks[part.name])

    def pid(self, name: str) -> int:
        """Process id of a running part."""
        return self._processes[name].pid

    def pids(self) -> dict[str, int]:
        """Process ids by name."""
        return {name: process.pid for name, process in self._processes.items()}

    def kill(self, name: str) -> None:
        """kill -9, and wait until it is gone."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def ended(self) -> list[str]:
        """Names of parts that ended by themselves."""
        return [name for name, process in self._processes.items() if process.poll() is not None]

    def stop(self) -> None:
        """Stop all parts, last started first: SIGTERM, then SIGKILL after ten seconds."""
        for process in reversed(self._processes.values()):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        for process in reversed(self._processes.values()):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()

    def _spawn(self, part: Part) -> int:
        log = self._logs / f"{part.name}.log"
        start = log.stat().st_size if log.exists() else 0
        with log.open("ab") as output:
            self._processes[part.name] = subprocess.Popen(
                list(part.command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._cwd,
                pass_fds=self._held,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **part.env},
            )
        return start

    def _await_ready(self, part: Part, start: int) -> None:
        log = self._logs / f"{part.name}.log"
        end = time.monotonic() + part.timeout
        process = self._processes[part.name]
        while True:
            with log.open("rb") as stream:
                stream.seek(start)
                text = stream.read().decode("utf-8", "replace")
            if part.ready(text):
                return
            if process.poll() is not None or time.monotonic() > end:
                said = (
                    f"ended with {process.poll()}"
                    if process.poll() is not None
                    else f"not ready in {part.timeout:.0f} s"
                )
                tail = " | ".join(text.strip().splitlines()[-3:]) or "(it printed nothing)"
                raise PartFailed(f"{part.name}: {said}; {log}: {tail}")
            time.sleep(0.02)


def says(text: str) -> Callable[[str], bool]:
    """Ready when the log holds ``text``."""
    return lambda log: text in log
