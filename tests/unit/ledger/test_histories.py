"""Random histories of replies, reviews and acts: nothing is accepted, and nothing written, unless all speaks for it.

The book below is kept from what the generator did and from nothing else; it shares no code with the checks.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import LedgerError
from ledger.judging import IncomingMail
from ledger.store import Ledger, open_ledger
from policies.canonical import sha256_hex
from tests.unit.ledger.world import NOON, World, opaque
from wire.approval import Judgement, Outcome

Event = dict[str, Any]
NUMBERS = count()
SENDERS = ("ann", "ann", "bob", "bob", "rita", "dora", "eve@evil.example")
SECOND = timedelta(seconds=1)
CLEAN: Event = {
    "kind": "reply",
    "answer": "approve",
    "authenticated": True,
    "superseded": False,
    "late": False,
    "automatic": None,
    "crossed": False,
}

replies = st.fixed_dictionaries(
    {
        "kind": st.just("reply"),
        "run": st.integers(0, 1),
        "answer": st.sampled_from(["approve", "approve", "approve", "approve", "reject", "unclear"]),
        "sender": st.sampled_from(SENDERS),
        "authenticated": st.sampled_from([True, True, True, False]),
        "superseded": st.sampled_from([False, False, False, True]),
        "late": st.sampled_from([False, False, False, True]),
        "automatic": st.sampled_from([None, None, None, "auto-reply"]),
        "crossed": st.sampled_from([False] * 9 + [True]),
    }
)
repeats = st.fixed_dictionaries(
    {"kind": st.sampled_from(["redelivered", "copied", "forged"]), "run": st.integers(0, 1)}
)
acts = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["review", "halt", "release", "cancel", "clean", "clean", "write", "write"]),
        "run": st.integers(0, 1),
    }
)
histories = st.lists(st.one_of(replies, replies, replies, repeats, acts), max_size=25)


@dataclass
class Book:
    """What may be true of a run, by what was done to it. ``yes`` is emptied whenever a review ends."""

    run_id: str
    review: int = 1
    yes: set[str] = field(default_factory=set)
    parked: bool = False
    cancelled: bool = False
    written: bool = False
    mails: list[IncomingMail] = field(default_factory=list)

    @property
    def may_write(self) -> bool:
        return self.yes == {"ann", "bob"} and not (self.parked or self.cancelled or self.written)


class Player:
    """Plays a history over two fresh runs of one ledger, and compares the ledger with the books."""

    def __init__(self, ledger: Ledger) -> None:
        self.world = World(ledger)
        self.world.numbers = NUMBERS
        self.books = [Book(f"run-{next(NUMBERS)}") for _ in range(2)]
        for book in self.books:
            self.world.open_run(book.run_id, approvers=("ann", "bob"), quorum=2, order=book.run_id)

    def play(self, events: list[Event]) -> None:
        for event in events:
            book = self.books[event["run"]]
            getattr(self, f"play_{event['kind']}")(event, book)

    def play_reply(self, event: Event, book: Book) -> None:
        superseded = event["superseded"] and book.review > 1
        review = book.review - 1 if superseded else book.review
        other = self.books[1 - event["run"]]
        crossed = {"body_refs": (opaque(other.run_id, 1, 1),)} if event["crossed"] else {}
        changes = {"automatic": event["automatic"], "authenticated": event["authenticated"]} | crossed
        mail = self.world.mail(event["answer"], event["sender"], book.run_id, review=review, **changes)
        hour = timedelta(hours=1)
        mail = mail.model_copy(update={"received_at": NOON + hour + SECOND if event["late"] else NOON + hour})
        book.mails.append(mail)
        judgement = self.judge(mail)
        if judgement.outcome is Outcome.ACCEPTED:
            assert event["answer"] == "approve"
            assert event["sender"] in {"ann", "bob"} - book.yes
            assert event["authenticated"]
            flaws = (superseded, event["late"], event["automatic"], event["crossed"])
            assert not any(flaws)
            self.accepted(book, event["sender"])

    def play_clean(self, event: Event, book: Book) -> None:
        """Both approvers say yes, with nothing wrong about it."""
        for sender in ("ann", "bob"):
            self.play_reply(CLEAN | {"run": event["run"], "sender": sender}, book)

    def accepted(self, book: Book, sender: str) -> None:
        assert not book.parked
        assert not book.cancelled
        assert not book.written
        book.yes.add(sender)

    def judge(self, mail: IncomingMail) -> Judgement:
        judgement = self.world.judge(mail)
        for book in self.books:
            if book.run_id in judgement.halted_runs or (
                judgement.outcome is Outcome.REJECTED and judgement.run_id == book.run_id
            ):
                book.parked = True
        return judgement

    def play_redelivered(self, event: Event, book: Book) -> None:
        if book.mails:
            assert self.judge(book.mails[-1]).outcome is not Outcome.ACCEPTED

    def play_copied(self, event: Event, book: Book) -> None:
        """The same content once more under other trace headers: accepted only if the first copy claimed nothing."""
        if book.mails:
            first = book.mails[-1]
            judgement = self.judge(self.again(first, first.parsed.content_digest))
            assert judgement.outcome is not Outcome.ACCEPTED

    def play_forged(self, event: Event, book: Book) -> None:
        """Other content under the Message-ID of a mail that we have seen, as genuine as can be."""
        if book.mails:
            judgement = self.judge(self.again(book.mails[-1], "f" * 64))
            assert judgement.outcome in (Outcome.COLLISION, Outcome.ACCEPTED, Outcome.REFUSED, Outcome.IGNORED)
            if judgement.outcome is Outcome.ACCEPTED:
                assert self.world.ledger.decision(book.run_id, 1, book.review, book.mails[-1].parsed.raw_digest) is None
                self.accepted(book, judgement.person or "")

    def again(self, first: IncomingMail, content_digest: str) -> IncomingMail:
        raw = b"again " + first.raw + str(next(NUMBERS)).encode()
        parsed = first.parsed.model_copy(update={"raw_digest": sha256_hex(raw), "content_digest": content_digest})
        return first.model_copy(update={"raw": raw, "parsed": parsed})

    def play_review(self, event: Event, book: Book) -> None:
        asked = {"review": book.review + 1, "approvers": ("ann", "bob"), "quorum": 2, "order": book.run_id}
        try:
            self.world.ask(book.run_id, **asked)
        except LedgerError:
            assert book.parked or book.cancelled or book.written
            return
        book.review, book.yes = book.review + 1, set()

    def play_halt(self, event: Event, book: Book) -> None:
        self.world.ledger.halt([book.run_id], "operator", "look", NOON)
        book.parked = True

    def play_release(self, event: Event, book: Book) -> None:
        self.world.ledger.release(book.run_id, "olga", "well", NOON)
        book.parked, book.yes = False, set()

    def play_cancel(self, event: Event, book: Book) -> None:
        self.world.ledger.cancel(book.run_id, "olga", "no", NOON)
        book.cancelled = True

    def play_write(self, event: Event, book: Book) -> None:
        try:
            intent = self.world.dispatch(book.run_id, review=book.review, order=book.run_id)
        except LedgerError:
            assert not book.may_write
            return
        if intent.kind == "new":
            assert book.may_write
            book.written = True


@pytest.fixture(scope="module")
def one_ledger() -> Iterator[Ledger]:
    """One ledger for all histories: each plays in runs of its own."""
    opened = open_ledger("sqlite://", random_epoch=lambda: "e")
    yield opened
    opened.dispose()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=histories)
def test_no_acceptance_and_no_write_unless_all_speaks_for_it(one_ledger: Ledger, events: list[Event]):
    player = Player(one_ledger)
    player.play(events)
    for book in player.books:
        assert one_ledger.verify(book.run_id).faults == ()
        assert len(one_ledger.effects(book.run_id)) == book.written


def test_the_book_expects_a_write_after_two_clean_answers(one_ledger: Ledger):
    player = Player(one_ledger)
    player.play([{"kind": "clean", "run": 0}, {"kind": "write", "run": 0}])
    assert player.books[0].written
