"""Probe mails and what they measured: the ledger row comes first, and what waited for a right clock is asked again."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from ledger.facts import votes_for
from ledger.notices import ANSWER_NOW, Notice, queue_notices
from ledger.records import RequestRow
from ledger.reviews import find_review
from ledger.schema import META
from ledger.schema_approval import MAILS
from ledger.schema_clock import CLOCK_PROBES
from ledger.text import storable
from ledger.transactions import Store, lock_runs
from policies.canonical import sha256_hex
from policies.clock import UNTRUSTED, Clock, clock_for, read_clock
from policies.people import person_by_id
from wire.approval import MessageType
from wire.clock import ClockProbe
from wire.policy import Policy

PAGES = (4, 100, 2000)
"""Probes read at a time, newest first: every judged mail asks, and mostly the newest one tells enough."""


class Clocks(Store):
    """The mail server's clock as probes show it."""

    def begin_probe(self, mailbox: str, domain: str, at: datetime) -> ClockProbe:
        """Record the next probe of a mailbox before it is sent. Its Message-ID covers the ledger's epoch: nobody guesses it."""
        with self.writing(across_runs=True) as connection:
            epoch = str(connection.scalars(select(META.c.epoch)).one())
            newest = select(func.max(CLOCK_PROBES.c.number)).where(CLOCK_PROBES.c.mailbox == mailbox)
            number = (connection.scalar(newest) or 0) + 1
            secret = sha256_hex(f"{epoch}/clock/{mailbox}/{number}".encode())[:32]
            probe = ClockProbe(
                mailbox=mailbox, number=number, message_id=f"clock.{number}.{secret}@{domain}", sent_at=at
            )
            values = probe.model_dump(include={"mailbox", "number", "message_id", "sent_at"})
            connection.execute(insert(CLOCK_PROBES).values(**values))
        return probe

    def probe_accepted(self, message_id: str, at: datetime) -> None:
        """The mail server took a probe."""
        self._update_probe(message_id, {"accepted_at": at})

    def probe_failed(self, message_id: str, failure: str) -> None:
        """The mail server did not take a probe."""
        self._update_probe(message_id, {"failure": storable(failure, 500)})

    def _update_probe(self, message_id: str, values: dict[str, Any]) -> None:
        with self.writing() as connection:
            connection.execute(update(CLOCK_PROBES).where(CLOCK_PROBES.c.message_id == message_id).values(**values))

    def probe_returned(self, message_id: str, stored_at: datetime, seen_at: datetime, policy: Policy) -> bool:
        """A probe stands in the mailbox; False when it is none of ours. Only its first sight counts: copies measure nothing.

        When the clock is right, everybody whose YES was kept back for it is asked to answer again.
        """
        with self.writing(across_runs=True) as connection:
            table = CLOCK_PROBES.c
            mailbox = connection.scalar(select(table.mailbox).where(table.message_id == message_id))
            if mailbox is None:
                return False
            fresh = update(CLOCK_PROBES).where(table.message_id == message_id, table.seen_at.is_(None))
            connection.execute(fresh.values(stored_at=stored_at, seen_at=seen_at))
            if not _read(connection, mailbox, policy, seen_at).fault:
                _ask_again(connection, policy, seen_at)
        return True

    def probes(self, mailbox: str, limit: int = 100) -> tuple[ClockProbe, ...]:
        """The newest probes of a mailbox, newest first."""
        with self.reading() as connection:
            query = select(CLOCK_PROBES).where(CLOCK_PROBES.c.mailbox == mailbox)
            return _page(connection, query, limit, 0)

    def clock(self, mailbox: str, policy: Policy, at: datetime) -> Clock:
        """What the gates reckon with at ``at``."""
        with self.reading() as connection:
            return _read(connection, mailbox, policy, at)


def clock_of(connection: Connection, mailbox: str, received_at: datetime, policy: Policy, at: datetime) -> Clock | None:
    """The clock for one mail; None where nobody measures: no mailbox is named, or policy sends no probes."""
    if not mailbox or not policy.clock_probe_seconds:
        return None
    return clock_for(_returned(connection, mailbox), policy, received_at, at)


def clock_facts(mailbox: str, clock: Clock, policy: Policy) -> dict[str, Any]:
    """What the audit chain keeps of the clock that a mail was judged with."""
    facts: dict[str, Any] = {"mailbox": mailbox, "bound": policy.clock_skew_bound_seconds, "fault": clock.fault}
    if clock.probe is not None and clock.skew is not None:
        seen = clock.probe.seen_at.isoformat() if clock.probe.seen_at else None
        facts |= {"probe": clock.probe.number, "low": clock.skew.low, "high": clock.skew.high, "measured_at": seen}
    return facts


def _read(connection: Connection, mailbox: str, policy: Policy, at: datetime) -> Clock:
    return read_clock(_returned(connection, mailbox), policy, at)


def _returned(connection: Connection, mailbox: str) -> Iterator[ClockProbe]:
    """Probes that came back, newest first, read page by page as far as somebody asks."""
    query = select(CLOCK_PROBES).where(CLOCK_PROBES.c.mailbox == mailbox, CLOCK_PROBES.c.seen_at.is_not(None))
    passed = 0
    for size in PAGES:
        page = _page(connection, query, size, passed)
        yield from page
        if len(page) < size:
            return
        passed += size


def _page(connection: Connection, query: Select[Any], size: int, passed: int) -> tuple[ClockProbe, ...]:
    rows = connection.execute(query.order_by(CLOCK_PROBES.c.number.desc()).limit(size).offset(passed))
    return tuple(ClockProbe.model_validate(dict(row._mapping)) for row in rows)


def _ask_again(connection: Connection, policy: Policy, at: datetime) -> None:
    """One reminder for each review and person whose YES was kept back, while it can still be answered."""
    kept = connection.execute(select(MAILS).where(MAILS.c.reason == UNTRUSTED).order_by(MAILS.c.at)).all()
    lock_runs(connection, tuple(sorted({row.run_id for row in kept})))
    epoch = str(connection.scalars(select(META.c.epoch)).one())
    # The newest mail of each decides: who answered in vain twice is asked once.
    newest = {(row.run_id, row.step, row.review, row.person): row.raw_digest for row in kept}
    for (run_id, step, review, name), digest in newest.items():
        request, person = find_review(connection, run_id, step, review), person_by_id(policy, name or "")
        if request is None or person is None or not _waits_for(connection, request, name, at):
            continue
        notice = Notice(MessageType.APPROVAL_REMINDER, person, f"clock/{digest}", ANSWER_NOW)
        queue_notices(connection, epoch, request, [notice], None, at)


def _waits_for(connection: Connection, request: RequestRow, person: str, at: datetime) -> bool:
    votes: Sequence[str] = tuple(votes_for(connection, request))
    return request.is_live and at < request.deadline and person not in votes
