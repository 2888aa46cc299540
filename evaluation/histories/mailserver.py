"""The mail server of a history: takes our mail, stamps and holds what comes, and shows it as an IMAP mailbox does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from evaluation.histories.notes import Letter, Meaning, Posted
from mail.errors import SmtpRefused
from mail.imap import Envelope
from wire.mail import Delivered


@dataclass(frozen=True)
class Truth:
    """What the generator knows of a letter beside its bytes."""

    writer: str
    meaning: Meaning
    answers: str
    genuine: bool
    kind: str
    stops: tuple[int, ...] = ()


@dataclass
class MailServer:
    """``skew`` seconds is its clock ahead. ``refusals`` are how many of the next mails it refuses."""

    tick: Callable[[], int]
    now: Callable[[], datetime]
    skew: int
    posted: list[Posted] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    read: dict[int, int] = field(default_factory=dict)
    refusals: int = 0
    uidvalidity: int = 1
    _next_uid: int = 1
    _uids: dict[int, int] = field(default_factory=dict)

    def take(self, raw: bytes, recipient: str) -> Delivered:
        """SMTP: a mail of ours."""
        if self.refusals:
            self.refusals -= 1
            raise SmtpRefused("550 5.1.1 no such user")
        self.posted.append(Posted(self.tick(), self.now(), recipient.lower(), raw))
        return Delivered(accepted_at=self.now().isoformat(), response="250 ok")

    def receive(self, raw: bytes, truth: Truth, at: datetime | None = None, stamped: datetime | None = None) -> Letter:
        """A mail arrives; ``at`` and ``stamped`` for one that came otherwise than now."""
        really = at or self.now()
        stamp = stamped or (really + timedelta(seconds=self.skew)).replace(microsecond=0)
        letter = Letter(
            self.tick(), raw, really, stamp, truth.writer, truth.meaning, truth.answers, truth.genuine, truth.kind,
            truth.stops,
        )  # fmt: skip
        self._uids[self._next_uid] = len(self.letters)
        self._next_uid += 1
        self.letters.append(letter)
        return letter

    def shuffle(self, rng: Random) -> None:
        """Unread mails stand in another order."""
        unread = [uid for uid, place in self._uids.items() if place not in self.read]
        places = [self._uids[uid] for uid in unread]
        rng.shuffle(places)
        self._uids.update(zip(unread, places, strict=True))

    def renumber(self) -> None:
        """The mailbox gets another UIDVALIDITY: every mail must be read again."""
        self.uidvalidity += 1
        self._uids = {number + 1: place for number, place in enumerate(self._uids.values())}
        self._next_uid = len(self._uids) + 1

    # -- the mailbox, as ``mail.imap.Mailbox`` shows it

    def noop(self) -> None:
        """Nothing to refresh."""

    def uids_after(self, last: int) -> list[int]:
        """UIDs above ``last``."""
        return sorted(uid for uid in self._uids if uid > last)

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """Bytes of each."""
        return {uid: len(self.letters[self._uids[uid]].raw) for uid in uids}

    def envelopes(self, uids: Sequence[int], header_limit: int) -> list[Envelope]:
        """Size, INTERNALDATE and header section of each."""
        letters = [(uid, self.letters[self._uids[uid]]) for uid in uids]
        heads = [letter.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" for _, letter in letters]
        return [
            Envelope(uid, len(letter.raw), letter.stamped, head[:header_limit])
            for (uid, letter), head in zip(letters, heads, strict=True)
        ]

    def fetch_all(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Whole mails; from now on they are read."""
        for uid in uids:
            if self._uids[uid] not in self.read:
                self.read[self._uids[uid]] = self.tick()
        return {uid: self.letters[self._uids[uid]].raw for uid in uids}
