"""A Dovecot of one's own, without root's rights, on free ports: the second kind of server that the mailroom must run on."""

import grp
import os
import pwd
import shutil
import signal
import smtplib
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mail.imap import ImapSettings

CONFIG = """
base_dir = {run}/run
state_dir = {run}/state
log_path = {run}/dovecot.log
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain
auth_username_format = %Ln
mail_location = maildir:{run}/mail/%u/Maildir
mail_home = {run}/mail/%u
recipient_delimiter = +
lmtp_save_to_detail_mailbox = no
first_valid_uid = 1
postmaster_address = postmaster@countersign.example
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={run}/mail/%u
}}
namespace inbox {{
  inbox = yes
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


class DovecotMissing(Exception):
    """Raised where Dovecot is not installed; the message says what to install."""


class DovecotFailed(Exception):
    """Raised when Dovecot is installed and does not start; the message holds its log."""


@dataclass(frozen=True)
class Dovecot:
    """Where it listens, and the folder that holds its log (``dovecot.log``) and all mail (``mail/USER/Maildir``)."""

    imap_port: int
    lmtp_port: int
    run: Path = Path()
    pid: int = 0

    def maildir(self, user: str = "approvals") -> Path:
        """The Maildir of ``user``; files put there must be given away with ``own``."""
        return self.run / "mail" / user / "Maildir"

    def logins(self) -> int:
        """How many IMAP logins the server has logged so far."""
        return (self.run / "dovecot.log").read_text(encoding="utf-8", errors="replace").count("imap-login: Info: Login")

    def own(self, top: Path) -> None:
        """Give ``top`` and everything below it to the account that the server runs as."""
        account = _account()
        if os.getuid() == 0:
            for path in (top, *top.rglob("*")):
                os.chown(path, account.pw_uid, account.pw_gid)

    def imap(self, user: str = "approvals") -> ImapSettings:
        """The mailbox of ``user``; every password is the same."""
        return ImapSettings("127.0.0.1", self.imap_port, user, "secret", timeout_seconds=20)

    def deliver(self, raw: bytes, recipient: str, sender: str = "ann@corp.example") -> None:
        """Hand a mail in as the receiving MTA would."""
        with smtplib.LMTP("127.0.0.1", self.lmtp_port, local_hostname="localhost") as lmtp:
            lmtp.sendmail(sender, [recipient], raw)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _account() -> pwd.struct_passwd:
    """Whom it runs as: ourselves, or nobody when we are root (Dovecot serves no mail as root)."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())


@contextmanager
def running_dovecot(extra: str = "", files: Mapping[str, str] | None = None) -> Iterator[Dovecot]:
    """A running server with no mail. Raises DovecotMissing or DovecotFailed.

    ``extra`` is more configuration, which wins; ``files`` are more files by name. ``RUN`` in them stands for their folder.
    """
    program = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")
    if program is None:
        raise DovecotMissing("dovecot is not on PATH: install dovecot-imapd and dovecot-lmtpd to run this leg")
    account = _account()
    # Unix socket paths are short; a test's own folder is too deep.
    run = Path(tempfile.mkdtemp(prefix="dc"))
    for folder in ("run", "state", "mail"):
        (run / folder).mkdir()
    imap, lmtp = _free_ports(2)
    values = {
        "run": run,
        "user": account.pw_name,
        "group": grp.getgrgid(account.pw_gid).gr_name,
        "imap": imap,
        "lmtp": lmtp,
    }
    written = {"dovecot.conf": CONFIG.format(**values, uid=account.pw_uid, gid=account.pw_gid) + extra, **(files or {})}
    for name, text in written.items():
        (run / name).write_text(text.replace("RUN", str(run)))
    if os.getuid() == 0:
        for path in (run, *run.iterdir()):
            os.chown(path, account.pw_uid, account.pw_gid)
    switch = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if os.getuid() == 0 else {}
    process = subprocess.Popen([program, "-F", "-c", str(run / "dovecot.conf")], **switch)  # type: ignore[call-overload]
    try:
        _wait_for(imap, process, run)
        yield Dovecot(imap, lmtp, run, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        shutil.rmtree(run, ignore_errors=True)


def _wait_for(port: int, process: subprocess.Popen[bytes], run: Path) -> None:
    """Until the port answers; raises with the log when the process ends instead."""
    while True:
        if process.poll() is not None:
            log = run / "dovecot.log"
            said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else "no log"
            raise DovecotFailed(f"dovecot ended with {process.returncode}: {said}")
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            continue
