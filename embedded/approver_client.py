"""The approver's mailbox over IMAP and SMTP, with the standard library only: a mail client apart from the product's own."""

import imaplib
import re
import select
import smtplib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from embedded.approver_mail import ShownMail, show_mail, write_reply


@dataclass(frozen=True)
class Account:
    """A person's mail account."""

    user: str
    password: str
    imap_host: str
    imap_port: int
    smtp_host: str
    smtp_port: int


@dataclass(frozen=True)
class InboxMail:
    """A mail in the inbox: its UID and how it is shown."""

    uid: str
    mail: ShownMail


class ApproverClient:
    """One connection. Mails that were answered carry \\Answered, as in any mail program, and are not offered again."""

    def __init__(self, account: Account, timeout: float = 30.0) -> None:
        self._account = account
        self._imap = imaplib.IMAP4(account.imap_host, account.imap_port, timeout)
        self._imap.login(account.user, account.password)
        self._imap.select("INBOX")
        self._offered: set[str] = set()

    def __enter__(self) -> "ApproverClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_mails(self) -> list[InboxMail]:
        """Unanswered mails not offered before, oldest first."""
        self._imap.noop()
        _, found = self._imap.uid("SEARCH", "UNANSWERED")
        fresh = [uid for uid in (found[0] or b"").decode().split() if uid not in self._offered]
        self._offered.update(fresh)
        return [InboxMail(uid, show_mail(self._fetch(uid))) for uid in fresh]

    def mails(self, stop_after: float) -> Iterator[InboxMail]:
        """New mails as they come; ends when ``stop_after`` seconds pass without one."""
        while True:
            fresh = self.new_mails()
            yield from fresh
            if not fresh and not self._idle(stop_after):
                yield from self.new_mails()
                return

    def answer(self, item: InboxMail, typed: str, *, at: datetime, message_id: str) -> bytes:
        """Send what the person typed as a reply that quotes the mail, and mark the mail as answered."""
        raw = write_reply(item.mail, typed, author=self._account.user, at=at, message_id=message_id)
        recipient = re.sub(r".*<|>.*", "", item.mail.reply_to).strip()
        self.send(raw, recipient)
        self._imap.uid("STORE", item.uid, "+FLAGS", r"(\Answered \Seen)")
        return raw

    def send(self, raw: bytes, recipient: str) -> None:
        """Hand a mail of the person's in."""
        account = self._account
        with smtplib.SMTP(account.smtp_host, account.smtp_port, "localhost", timeout=60) as smtp:
            smtp.login(account.user, account.password)
            smtp.sendmail(account.user, [recipient], raw)

    def close(self) -> None:
        """Log out."""
        try:
            self._imap.logout()
        except (imaplib.IMAP4.error, OSError):
            self._imap.shutdown()

    def _fetch(self, uid: str) -> bytes:
        _, data = self._imap.uid("FETCH", uid, "(BODY.PEEK[])")
        found = [part[1] for part in data if isinstance(part, tuple)]
        return bytes(found[0]) if found else b""

    def _idle(self, seconds: float) -> bool:
        """RFC 2177; True when the server said something before ``seconds`` passed."""
        tag = self._imap._new_tag()
        self._imap.send(tag + b" IDLE\r\n")
        self._imap.readline()
        spoke = bool(select.select([self._imap.socket()], [], [], seconds)[0])
        self._imap.send(b"DONE\r\n")
        while not self._imap.readline().startswith(tag):
            continue
        return spoke


def wait_for(client: ApproverClient, wanted: Callable[[ShownMail], bool], seconds: float) -> InboxMail | None:
    """The first new mail that is ``wanted``; None when ``seconds`` pass without any new mail."""
    return next((item for item in client.mails(seconds) if wanted(item.mail)), None)
