"""What the mailroom needs from its surroundings: ledger and engine fit these by structure; mail imports neither."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from wire.approval import Judgement, OutboxItem
from wire.mail import Authenticity, Delivered, ParsedReply


@dataclass(frozen=True)
class ReceivedMail:
    """One mail of the mailbox, read and parsed. ``received_at`` is INTERNALDATE in UTC.

    ``raw`` is the whole message, or its header section when its size is over the budget (``parsed.unreadable`` says so).
    """

    raw: bytes
    parsed: ParsedReply
    authenticity: Authenticity
    received_at: datetime


class Judge(Protocol):
    """The gates. Each method is one transaction (or none)."""

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> Collection[str]:
        """Which of these are Message-IDs and reply addresses of ours? Decides which mails are read at all; asked for many at
        once."""

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """Judge the mails of one poll together (a NO among them wins); evidence, decisions and outbox rows are committed."""


class Cursor(Protocol):
    """Up to where everything is committed; valid under this UIDVALIDITY only."""

    @property
    def uidvalidity(self) -> int:
        """The folder's UIDVALIDITY when the cursor was saved."""

    @property
    def uid(self) -> int:
        """The last UID that is done with."""


class Progress(Protocol):
    """The ledger's memory of the mailbox, and the lease that keeps one mailroom active."""

    def cursor(self, mailbox: str) -> Cursor | None:
        """Where to go on; None for a mailbox never read."""

    def save_cursor(self, mailbox: str, uidvalidity: int, uid: int, at: datetime) -> None:
        """Called only after what the cursor passes is committed."""

    def save_read_past(self, mailbox: str, instant: datetime, at: datetime) -> None:
        """Everything that the server received before ``instant`` has been judged. Called after ``save_cursor``."""

    def closed_runs(self, run_ids: Collection[str], before: datetime) -> Mapping[str, datetime]:
        """Those of ``run_ids`` that ended before an instant, with when they did."""

    def acquire_lease(self, name: str, holder: str, ttl: timedelta, at: datetime) -> bool:
        """Take or renew the lease; False while another holder's is in force."""

    def release_lease(self, name: str, holder: str, at: datetime) -> None:
        """Give the lease back at once; another holder's stays."""


class Outbox(Protocol):
    """What committed transactions still owe the world."""

    def pending_outbox(self, kind: Literal["signal", "mail"], limit: int = 100) -> Sequence[OutboxItem]:
        """Items not done, least tried first."""

    def done(self, item_id: int, at: datetime) -> None:
        """The item was delivered (or given up, after ``failed`` recorded why)."""

    def failed(self, item_id: int, error: str, at: datetime) -> None:
        """One more attempt came to nothing; the item stays pending."""


Signal = Callable[[str, dict[str, Any]], Awaitable[None]]
"""Signals a run: (run_id, payload). Returns when the run took it or is closed; raises when it cannot be reached now."""

Deliver = Callable[[bytes, str, str], Delivered]
"""Sends one mail: (raw, sender, recipient); raises SmtpError. Called in a thread."""

Report = Callable[[str, dict[str, Any]], None]
"""Tells whoever watches what happened: (event, facts). Never raises."""
