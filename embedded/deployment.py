"""The embedded default as a whole: servers, then the product's own processes, in one state folder on free ports.

state/up.lock      held while the parts run          state/parts.toml   where they listen (read by ``settings``)
state/users.json   mailboxes and their passwords     state/logs/        one log a part
"""

import fcntl
import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from embedded.ports import free_port, listening
from embedded.supervisor import Part, Supervisor, says
from embedded.temporal_server import server_command, server_ready

AUTHSERV_ID = "mx.countersign.example"


class AlreadyRunning(RuntimeError):
    """The parts of this state folder are up; the message names the process that holds them, or the parts it left behind."""


@dataclass(frozen=True)
class Plan:
    """What to run. ``mailboxes``: addresses that get one each; ``mail_user``: the one that approvals come back to."""

    state: Path
    repository: Path
    catalogues: tuple[Path, ...]
    policy_file: Path
    mailboxes: tuple[str, ...]
    mail_user: str
    embedder: str = "minilm-int8"
    env: Mapping[str, str] | None = None


class Deployment:
    """Starts and stops the parts of one state folder."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state = plan.state.absolute()
        self.state.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock()
        self._write_lock({})
        self.ports = self._ports()
        self.passwords = self._passwords()
        self.supervisor = Supervisor(self.state / "logs", plan.repository, held=[self._lock.fileno()])

    def start_servers(self) -> None:
        """Temporal, the mail pair and the OData service, side by side; then ``parts.toml``."""
        self.start(self.temporal(), self.mail(), self.odata())
        self._write_parts()

    def start_product(self) -> None:
        """The worker and the mailroom."""
        self.start(self.worker(), self.mailroom())

    def start(self, *parts: Part) -> None:
        """Start parts side by side and note their process ids beside the lock. Raises ``PartFailed``."""
        try:
            self.supervisor.start(*parts)
        finally:
            self._write_lock(self.supervisor.pids())

    def stop(self) -> None:
        """Stop everything and let the lock go."""
        self.supervisor.stop()
        (self.state / "up.lock").unlink(missing_ok=True)
        self._lock.close()

    def temporal(self) -> Part:
        """The engine."""
        port = self.ports["temporal"]
        command = server_command(self.state / "temporal.sqlite", port, self.ports["temporal_ui"])
        return Part("temporal", command, server_ready(port, self.ports["temporal_ui"]))

    def mail(self) -> Part:
        """The SMTP + IMAP pair."""
        command = [*self._module("embedded.mail_server"), "--state", str(self.state / "mail")]
        command += ["--smtp-port", str(self.ports["smtp"]), "--imap-port", str(self.ports["imap"])]
        command += ["--users", str(self.state / "users.json"), "--authserv-id", AUTHSERV_ID]
        return Part("mail", command, says("listening"))

    def odata(self) -> Part:
        """The services of all catalogues."""
        command = [*self._module("embedded.odata_service"), "--state", str(self.state / "odata.sqlite")]
        command += ["--port", str(self.ports["odata"])]
        for folder in self.plan.catalogues:
            services = folder / "services"
            command += ["--metadata", str(services if services.is_dir() else folder)]
            for option, name in (("--codes", "codes.csv"), ("--required", "required.csv"), ("--seed", "seed.json")):
                command += [option, str(folder / name)] if (folder / name).exists() else []
        return Part("odata", command, says("listening"))

    def worker(self) -> Part:
        """The Temporal worker."""
        return Part("worker", self._product("worker.py"), says("worker ready"), self.plan.env or {}, 120.0)

    def mailroom(self) -> Part:
        """The IMAP poller."""
        return Part("mailroom", self._product("mailroom.py"), says("mailroom ready"), self.plan.env or {})

    @property
    def temporal_ui(self) -> str:
        """Address of the Temporal UI."""
        return f"http://127.0.0.1:{self.ports['temporal_ui']}"

    def _product(self, script: str) -> list[str]:
        return [sys.executable, str(self.plan.repository / script), "--state", str(self.state)]

    def _module(self, name: str) -> Sequence[str]:
        return [sys.executable, "-m", name]

    def _take_lock(self) -> TextIOWrapper:
        """The parts inherit the lock: while one of them lives, nobody starts a second server on its files."""
        lock = (self.state / "up.lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            text = lock.read()
            lock.close()
            raise AlreadyRunning(_held_by(self.state, text)) from error
        return lock

    def _write_lock(self, parts: Mapping[str, int]) -> None:
        self._lock.seek(0)
        self._lock.truncate(0)
        self._lock.write(json.dumps({"up": os.getpid(), "parts": dict(parts)}))
        self._lock.flush()

    def _ports(self) -> dict[str, int]:
        """Ports of the last time where they are still free, so that bookmarks and parked clients keep working."""
        file = self.state / "ports.json"
        before: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
        names = ("temporal", "temporal_ui", "smtp", "imap", "odata")
        ports = {n: before[n] if n in before and not listening(before[n]) else free_port() for n in names}
        file.write_text(json.dumps(ports))
        return ports

    def _passwords(self) -> dict[str, str]:
        file = self.state / "users.json"
        known = {u["address"]: u["password"] for u in json.loads(file.read_text())} if file.exists() else {}
        users = {a: known.get(a) or secrets.token_urlsafe(18) for a in dict.fromkeys(self.plan.mailboxes)}
        file.touch(mode=0o600)
        file.write_text(json.dumps([{"address": a, "password": p} for a, p in users.items()], indent=1))
        return users

    def _write_parts(self) -> None:
        """Written whole or not at all: a command that reads it never sees half of it."""
        user, password = self.plan.mail_user, self.passwords[self.plan.mail_user]
        text = f"""# Written by 'starter.py up': where the embedded parts listen.
temporal_address = "127.0.0.1:{self.ports["temporal"]}"
temporal_ui = "{self.temporal_ui}"
policy_file = {json.dumps(str(self.plan.policy_file.absolute()))}
mail_from = "{user}"
embedder = "{self.plan.embedder}"

[imap]
host = "127.0.0.1"
port = {self.ports["imap"]}
user = "{user}"
password = "{password}"

[smtp]
host = "127.0.0.1"
port = {self.ports["smtp"]}
user = "{user}"
password = "{password}"

[odata]
base_url = "http://127.0.0.1:{self.ports["odata"]}/{{service}}/"
repeatability = true
"""
        draft = self.state / "parts.toml.new"
        draft.touch(mode=0o600)
        draft.write_text(text, encoding="utf-8")
        draft.replace(self.state / "parts.toml")


def _held_by(state: Path, text: str) -> str:
    """Who holds the lock, from what stands in it."""
    try:
        noted = json.loads(text)
        process, parts = int(noted["up"]), noted["parts"]
    except (ValueError, KeyError, TypeError):
        return f"the parts in {state} are already up (process unknown): use them, or stop that process first"
    if _alive(process):
        return f"the parts in {state} are already up (process {process}): use them, or stop that process first"
    left = ", ".join(f"{name} {pid}" for name, pid in parts.items() if _alive(pid))
    return f"process {process} died and left parts running in {state} ({left}): kill these processes, then try again"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
