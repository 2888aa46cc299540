"""One poll of the mailbox: find what is ours, read it, have it judged, remember how far we came. Blocking.

Mail that carries none of our ids is left as it is: only its headers are looked at, with PEEK. (Its body too, with PEEK,
when the headers say that it may answer or return a mail of ours: see ``mail.heads``.)
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mail.authenticity import check_authenticity
from mail.dkim_check import Resolve, no_dns
from mail.headers import read_headers, recipients_of, references_of
from mail.heads import Head, read_head, worth_reading
from mail.imap import Envelope, Mailbox
from mail.mime import Budget
from mail.ports import Judge, Progress, ReceivedMail
from mail.probes import HEADER as PROBE_HEADER
from mail.probes import probe_id
from mail.reply_parser import parse_reply
from wire.approval import Judgement, Outcome
from wire.mail import Authenticity, ParsedReply
from wire.policy import TrustProfile

PROBES_LOOKED_AT = 200
FETCH_BYTES = 8 << 20
"""Bytes of whole mails asked for in one command."""


@dataclass(frozen=True)
class ReadingRules:
    """How mail of this mailbox is read. ``name`` keys the cursor; ``own_addresses`` are the addresses that we send from.

    ``probe_seen`` is told the id and INTERNALDATE of what looks like a probe of the clock, and answers whether it is ours.
    """

    name: str
    own_addresses: tuple[str, ...]
    trust: TrustProfile
    languages: tuple[str, ...] = ("en",)
    folder: str = "INBOX"
    budget: Budget = field(default_factory=Budget)
    batch_mails: int = 500
    batch_bytes: int = 32 << 20
    resolve: Resolve = no_dns
    probe_seen: Callable[[str, datetime], bool] = lambda message_id, stored_at: False


@dataclass(frozen=True)
class Handled:
    """One mail that was judged, with the UID under which it stood."""

    uid: int
    parsed: ParsedReply
    judgement: Judgement


@dataclass(frozen=True)
class Polled:
    """What one poll did. ``last_uid`` is where the next one starts; ``seen`` counts all new mails, strangers' included;
    ``probes`` are the UIDs of our own clock probes, which have served."""

    uidvalidity: int
    last_uid: int
    seen: int
    handled: tuple[Handled, ...]
    probes: tuple[int, ...] = ()


def poll_once(
    mailbox: Mailbox,
    uidvalidity: int,
    judge: Judge,
    progress: Progress,
    rules: ReadingRules,
    now: Callable[[], datetime],
    committed: Callable[[], None] = lambda: None,
    again_from: int | None = None,
) -> Polled:
    """Read everything that arrived; the folder must be selected. ``committed`` is called after each judged batch.
    ``again_from``: a UID before the cursor, after which all is read once more, so that what is not filed yet is found.

    The cursor moves only after the ledger has committed; a crash anywhere reads the same mails again, which changes nothing.
    """
    started = now()
    mailbox.noop()
    stored = progress.cursor(rules.name)
    known = stored is not None and stored.uidvalidity == uidvalidity
    last = stored.uid if stored is not None and known else 0
    last = last if again_from is None else min(last, again_from)
    handled: list[Handled] = []
    probes: list[int] = []
    uids = mailbox.uids_after(last)
    for chunk in _chunks(uids, rules.batch_mails):
        for received in _batches(mailbox, chunk, judge, rules, probes):
            judgements = judge.judge_batch([mail for _, mail in received], now())
            committed()
            pairs = zip(received, judgements, strict=True)
            handled += [Handled(uid, mail.parsed, j) for (uid, mail), j in pairs if j.outcome is not Outcome.UNTOUCHED]
        last = chunk[-1]
        progress.save_cursor(rules.name, uidvalidity, last, now())
    if not uids and not known:
        progress.save_cursor(rules.name, uidvalidity, last, now())
    progress.save_read_past(rules.name, started.replace(microsecond=0), now())
    return Polled(uidvalidity, last, len(uids), tuple(handled), tuple(probes))


def look_for_probes(mailbox: Mailbox, uidnext: int, rules: ReadingRules) -> None:
    """Tell of clock probes that stand among the newest mails, and judge nothing."""
    for envelope in mailbox.newest_with(PROBE_HEADER, "clock.", uidnext, PROBES_LOOKED_AT):
        probe = probe_id(envelope.headers)
        if probe is not None:
            rules.probe_seen(probe, envelope.received_at)


def _chunks(uids: list[int], size: int) -> Iterator[list[int]]:
    return (uids[start : start + size] for start in range(0, len(uids), size))


def _batches(
    mailbox: Mailbox, uids: list[int], judge: Judge, rules: ReadingRules, probes: list[int]
) -> Iterator[list[tuple[int, ReceivedMail]]]:
    """The mails among ``uids`` that may be ours, in the mailbox's order, in batches that fit into memory.

    Clock probes among them are told of before any mail of their batch is judged; their UIDs go into ``probes``.
    """
    batch: list[tuple[int, ReceivedMail]] = []
    size = 0
    for uid, mail in _may_be_ours(mailbox, uids, judge, rules, probes):
        batch.append((uid, mail))
        size += len(mail.raw)
        if size > rules.batch_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _may_be_ours(
    mailbox: Mailbox, uids: list[int], judge: Judge, rules: ReadingRules, probes: list[int]
) -> Iterator[tuple[int, ReceivedMail]]:
    envelopes = mailbox.envelopes(uids, rules.budget.header_section + 1)
    wanted = _worth_reading(_without_probes(envelopes, rules, probes), judge, rules)
    small: list[Envelope] = []
    for envelope in wanted:
        if not _fits(envelope, rules):
            yield from _fetched(mailbox, small, rules)
            small = []
            yield envelope.uid, _head_of_large(envelope, rules)
            continue
        if sum(other.size for other in small) + envelope.size > FETCH_BYTES:
            yield from _fetched(mailbox, small, rules)
            small = []
        small.append(envelope)
    yield from _fetched(mailbox, small, rules)


def _fetched(mailbox: Mailbox, envelopes: list[Envelope], rules: ReadingRules) -> Iterator[tuple[int, ReceivedMail]]:
    """Whole mails by one command; those that are gone meanwhile are left out."""
    raws = mailbox.fetch_all([envelope.uid for envelope in envelopes])
    for envelope in envelopes:
        raw = raws.get(envelope.uid)
        if raw is not None:
            yield envelope.uid, _received(raw, envelope, rules)


def _without_probes(envelopes: list[Envelope], rules: ReadingRules, probes: list[int]) -> list[Envelope]:
    others = []
    for envelope in envelopes:
        probe = probe_id(envelope.headers)
        if probe is not None and rules.probe_seen(probe, envelope.received_at):
            probes.append(envelope.uid)
        else:
            others.append(envelope)
    return others


def _worth_reading(envelopes: list[Envelope], judge: Judge, rules: ReadingRules) -> list[Envelope]:
    heads = [_head(envelope, rules) for envelope in envelopes]
    wanted = worth_reading(heads, judge.ours_among)
    return [envelope for envelope, want in zip(envelopes, wanted, strict=True) if want]


def _head(envelope: Envelope, rules: ReadingRules) -> Head:
    try:
        return read_head(envelope.headers, rules.own_addresses, rules.budget.references)
    except Exception:  # as with ``_received``: whole, it is at least recorded
        return Head((), (), worth_reading=True)


def _fits(envelope: Envelope, rules: ReadingRules) -> bool:
    return envelope.size <= rules.budget.size and len(envelope.headers) <= rules.budget.header_section


def _head_of_large(envelope: Envelope, rules: ReadingRules) -> ReceivedMail:
    """A mail over the budget is never fetched: its headers name what it is about, and that is refused."""
    what = f"size {envelope.size} over {rules.budget.size} bytes or headers too long"
    return _received(envelope.headers, envelope, rules, unreadable=what, size=envelope.size, answer="unclear")


def _received(raw: bytes, envelope: Envelope, rules: ReadingRules, **changes: Any) -> ReceivedMail:
    try:
        parsed = parse_reply(raw, languages=rules.languages, own_addresses=rules.own_addresses, budget=rules.budget)
        proof = check_authenticity(raw, rules.trust, rules.resolve)
    except Exception as error:  # it would be met again at every look, and no mail after it would ever be read
        parsed, proof = _unread(raw, error, rules)
    return ReceivedMail(raw, parsed.model_copy(update=changes), proof, envelope.received_at)


def _unread(raw: bytes, error: Exception, rules: ReadingRules) -> tuple[ParsedReply, Authenticity]:
    """A mail that no reading was foreseen for: it still names what it is about, is believed in nothing and stands refused."""
    headers = read_headers(raw[: rules.budget.header_section])
    what, digest = f"reading it ended with {type(error).__name__}", hashlib.sha256(raw).hexdigest()
    parsed = ParsedReply(
        raw_digest=digest,
        content_digest=digest,
        size=len(raw),
        message_id=None,
        recipients=recipients_of(headers),
        references=references_of(headers, rules.budget.references),
        unreadable=what,
    )
    return parsed, Authenticity(authenticated=False, address=None, reason=what)
