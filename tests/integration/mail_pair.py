"""The embedded mail server as a real process, and the shortest ways to use it in tests."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from embedded.approver_client import Account, ApproverClient
from mail.imap import ImapSettings, Mailbox
from mail.smtp import SmtpSettings, send

ROOT = Path(__file__).resolve().parents[2]
AUTHSERV_ID = "mx.countersign.example"
APPROVALS = "approvals@countersign.example"
ANN = "ann@corp.example"
PASSWORDS = {APPROVALS: "room", ANN: "ann's", "mallory@evil.example": "m"}


def now() -> datetime:
    """The clock of the tests' own side."""
    return datetime.now(UTC)


@dataclass
class MailPair:
    """Where the server keeps its mail, where it listens, and by how much its clock is wrong. Ports are kept over restarts."""

    state: Path
    smtp_port: int = 0
    imap_port: int = 0
    clock_ahead: float = 0.0
    process: subprocess.Popen[str] | None = field(default=None)

    def start(self) -> None:
        """Start the process and wait for its line."""
        users = self.state / "users.json"
        users.write_text(json.dumps([{"address": user, "password": word} for user, word in PASSWORDS.items()]))
        command = [sys.executable, "-m", "embedded.mail_server", "--state", str(self.state), "--users", str(users)]
        command += [
            "--authserv-id",
            AUTHSERV_ID,
            "--smtp-port",
            str(self.smtp_port),
            "--imap-port",
            str(self.imap_port),
            f"--clock-ahead={self.clock_ahead}",
        ]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.smtp_port, self.imap_port = (int(part.rpartition(":")[2]) for part in line.split()[1:3])

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end."""
        assert self.process is not None
        os.kill(self.process.pid, number)
        code = self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def smtp(self, user: str) -> SmtpSettings:
        """Submission as ``user``."""
        return SmtpSettings("127.0.0.1", self.smtp_port, user, PASSWORDS[user])

    def imap(self, user: str = APPROVALS) -> ImapSettings:
        """The mailbox of ``user``."""
        return ImapSettings("127.0.0.1", self.imap_port, user, PASSWORDS[user], timeout_seconds=20)

    def mailbox(self, user: str = APPROVALS) -> Mailbox:
        """A connection with the inbox selected."""
        mailbox = Mailbox(self.imap(user))
        mailbox.select()
        return mailbox

    def send(self, raw: bytes, user: str = ANN, to: str = APPROVALS) -> None:
        """Submit a mail."""
        send(raw, user, to, self.smtp(user), now)

    def approver(self, user: str = ANN) -> ApproverClient:
        """The person's own mail client."""
        return ApproverClient(Account(user, PASSWORDS[user], "127.0.0.1", self.imap_port, "127.0.0.1", self.smtp_port))


@contextmanager
def mail_pair(state: Path, clock_ahead: float = 0.0) -> Iterator[MailPair]:
    """A running pair, ended at exit."""
    pair = MailPair(state, clock_ahead=clock_ahead)
    pair.start()
    try:
        yield pair
    finally:
        if pair.process is not None and pair.process.poll() is None:
            pair.end()
