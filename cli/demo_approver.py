"""The demo's approver: a mail client beside the product, that approves by itself or asks the person at the terminal.

Only mails of the demo's own run are shown and answered: what an earlier run left in the mailbox is none of its business.
"""

import imaplib
import queue
import smtplib
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parseaddr

from cli.output import complain, say
from embedded.approver_client import Account, ApproverClient, InboxMail
from wire.audit import AuditEvent

LOOK_EVERY = 0.2
PATIENCE = 5.0
RULE = "=" * 78

Typed = Callable[[], str | None]
"""What is to be answered to the mail last shown: None while nothing is, an empty text for no answer at all."""


class Narrated:
    """Which requests were told of, so that no mail is on the screen before the call that it asks for."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._told: set[tuple[str, str]] = set()
        self._news = threading.Condition()

    def told(self, event: AuditEvent) -> None:
        """The lines of this event are on the screen."""
        if event.kind == "request_created":
            with self._news:
                self._told.add((str(event.payload["step"]), str(event.payload["review"])))
                self._news.notify_all()

    def wait_for(self, item: InboxMail) -> bool:
        """Until the request of the mail was told; False when it was not in time: late is better than never shown."""
        with self._news:
            return self._news.wait_for(lambda: (item.mail.step, item.mail.review) in self._told, self._patience)


class Keyboard:
    """Lines typed at the terminal. Reading waits in a thread of its own, so that new mail shows while nobody types."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._word = ""
        self.reading = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self.reading.start()

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._lines.put(line.strip())

    def __call__(self) -> str | None:
        """A whole reply: a first line, and a comment after REJECT; None while it is not complete."""
        try:
            line = self._lines.get_nowait()
        except queue.Empty:
            return None
        if self._word:
            word, self._word = self._word, ""
            return f"{word}\n\n{line}" if line else word
        if line.upper() == "REJECT":
            self._word = line
            say("A comment for the agent (or an empty line):")
            return None
        return line


@contextmanager
def approver(account: Account, run_id: str, narrated: Narrated, *, interactive: bool) -> Iterator[None]:
    """The approver at work beside the run."""
    stop = threading.Event()
    typed: Typed = Keyboard(sys.stdin) if interactive else lambda: "APPROVE"
    arguments = (account, run_id, narrated, typed, stop)
    thread = threading.Thread(target=_work, args=arguments, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE)


def _work(account: Account, run_id: str, narrated: Narrated, typed: Typed, stop: threading.Event) -> None:
    try:
        with ApproverClient(account) as client:
            open_mail: InboxMail | None = None
            while not stop.is_set():
                for item in client.mails(LOOK_EVERY):
                    if item.mail.run_id != run_id:
                        continue
                    narrated.wait_for(item)
                    _show(item, asking=isinstance(typed, Keyboard))
                    open_mail = _answer(client, item if item.mail.asks else open_mail, typed)
                open_mail = _answer(client, open_mail, typed)
    except (OSError, imaplib.IMAP4.error, smtplib.SMTPException) as error:
        complain(f"the approver's mail client ended: {error}")


def _answer(client: ApproverClient, item: InboxMail | None, typed: Typed) -> InboxMail | None:
    """Reply to the newest mail that asks, once there is a reply; the mail that still waits for one."""
    text = typed() if item is not None else None
    if item is None or text is None:
        return item
    if not text:
        say("nothing sent; the run waits on, and a reminder comes before the deadline")
        return None
    address = parseaddr(item.mail.recipient)[1]
    quoted = "\n".join(f"    {line}" for line in text.splitlines())
    say(f"{address} replies:\n{quoted}\n")
    identifier = f"<{uuid.uuid4()}@{address.rpartition('@')[2]}>"
    client.answer(item, text, at=datetime.now(UTC), message_id=identifier)
    return None


def _show(item: InboxMail, *, asking: bool) -> None:
    mail = item.mail
    head = f"From:    {mail.sender}\nTo:      {mail.recipient}\nDate:    {mail.date}\nSubject: {mail.subject}"
    say(f"\n{RULE}\n{head}\n\n{mail.text.rstrip()}\n{RULE}")
    if asking and mail.asks:
        say("Your reply (APPROVE, REJECT, or anything; an empty line sends nothing):")
