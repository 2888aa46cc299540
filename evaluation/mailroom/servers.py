"""The two kinds of server that the mailroom runs on, with a mailbox that is filled by files."""

import json
import os
import smtplib
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.dovecot import running_dovecot
from evaluation.mailroom.mails import APPROVALS, AUTHSERV_ID, StoredMail
from evaluation.mailroom.world import APPROVERS
from mail.imap import ImapSettings, Mailbox

PASSWORD = "secret"
Deliver = Callable[[bytes, str, str], None]


@dataclass(frozen=True)
class Server:
    """A running server. ``deliver`` takes (raw, sender, recipient) as the receiving MTA; ``logins`` counts those of IMAP so
    far, None where the server logs none. ``stamps``: it writes Authentication-Results itself."""

    name: str
    imap: ImapSettings
    deliver: Deliver
    logins: Callable[[], int | None]
    stamps: bool
    maildir: Path


def fill(folder: Path, mails: Iterable[StoredMail]) -> int:
    """Write ``mails`` as files of a Maildir; how many. The files' times are the receipt times."""
    for part in ("tmp", "new", "cur"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    count = 0
    for count, mail in enumerate(mails, 1):
        # The number leads: servers give UIDs in the order of names.
        file = folder / "cur" / f"{1_000_000_000 + count}.M{count}.evaluation,S={len(mail.raw)}:2,"
        file.write_bytes(mail.raw)
        os.utime(file, (mail.received_at.timestamp(), mail.received_at.timestamp()))
    return count


def make_folders(maildir: Path, count: int) -> None:
    """Folders of ``count`` runs, empty, in the layout that both servers use (Maildir++)."""
    for name in ("Runs", *(f"Runs.run-{number:05}" for number in range(count)))[: count and count + 1]:
        for part in ("tmp", "new", "cur"):
            (maildir / f".{name}" / part).mkdir(parents=True)


@contextmanager
def dovecot_server(mails: Iterable[StoredMail], folders: int = 0, extra: str = "") -> Iterator[Server]:
    """Dovecot, its mailbox filled and indexed, with so many run folders. ``extra`` configures it. Raises DovecotMissing."""
    with running_dovecot(extra) as dovecot:
        fill(dovecot.maildir(), mails)
        make_folders(dovecot.maildir(), folders)
        dovecot.own(dovecot.maildir().parent)
        imap = replace(dovecot.imap(), timeout_seconds=600)
        _index(imap)

        def deliver(raw: bytes, sender: str, recipient: str) -> None:
            dovecot.deliver(raw, recipient, sender)

        yield Server("Dovecot", imap, deliver, dovecot.logins, False, dovecot.maildir())


@contextmanager
def embedded_server(folder: Path, mails: Iterable[StoredMail], folders: int = 0) -> Iterator[Server]:
    """The embedded server, its mailbox filled, with so many run folders. ``folder`` is made."""
    fill(folder / "mail" / APPROVALS, mails)
    make_folders(folder / "mail" / APPROVALS, folders)
    users = folder / "users.json"
    users.write_text(json.dumps([{"address": user, "password": PASSWORD} for user in (APPROVALS, *APPROVERS)]))
    command = [sys.executable, "-m", "embedded.mail_server", "--state", str(folder), "--users", str(users)]
    command += ["--authserv-id", AUTHSERV_ID, "--smtp-port", "0", "--imap-port", "0"]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("the embedded mail server has no output")
        smtp, imap = (int(part.rpartition(":")[2]) for part in process.stdout.readline().split()[1:3])
        settings = ImapSettings("127.0.0.1", imap, APPROVALS, PASSWORD, timeout_seconds=600)

        def deliver(raw: bytes, sender: str, recipient: str) -> None:
            with smtplib.SMTP("127.0.0.1", smtp, local_hostname="localhost", timeout=30) as client:
                client.login(sender, PASSWORD)
                client.sendmail(sender, [recipient], raw)

        try:
            _index(settings)
            yield Server("the embedded server", settings, deliver, lambda: None, True, folder / "mail" / APPROVALS)
        finally:
            process.terminate()


def _index(settings: ImapSettings) -> None:
    """Let the server give every file its UID, as it would have done at delivery."""
    mailbox = Mailbox(settings)
    mailbox.select()
    mailbox.close()
