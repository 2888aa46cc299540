"""One poll of the mailbox: find what is ours, read it, have it judged, remember how far we came. Blocking.

Mail that carries none of our ids is left as it is: only its headers are looked at, with PEEK. (Its body too, with PEEK,
when the headers say that it may answer or return a mail of ours: see ``_may_be_ours``.)
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from mail.authenticity import check_authenticity
from mail.dkim_check import Resolve, no_dns
from mail.errors import ImapRefused
from mail.headers import addresses_in, base_address, decode_words, read_headers
from mail.imap import Envelope, Mailbox
from mail.mime import Budget
from mail.ports import Judge, Progress, ReceivedMail
from mail.probes import probe_id
from mail.reply_parser import parse_reply
from wire.approval import Judgement, Outcome
from wire.mail import ParsedReply
from wire.policy import TrustProfile

SUBJECT_MARK = "[approval "
"""Stands in the subject of every mail of ours. No id: a hint that a body is worth reading for one."""


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
) -> Polled:
    """Read everything that arrived; the folder must be selected. ``committed`` is called after each judged batch.

    The cursor moves only after the ledger has committed; a crash anywhere reads the same mails again, which changes nothing.
    """
    started = now()
    mailbox.noop()
    stored = progress.cursor(rules.name)
    known = stored is not None and stored.uidvalidity == uidvalidity
    last = stored.uid if stored is not None and known else 0
    begun = last if known else -1
    handled: list[Handled] = []
    probes: list[int] = []
    uids = mailbox.uids_after(last)
    for chunk in _chunks(uids, rules.batch_mails):
        for received in _batches(mailbox, chunk, judge, rules, probes):
            judgements = judge.judge_batch([mail for _, mail in received], now())
            committed()
            pairs = zip(received, judgements, strict=True)
            handled += [Handled(uid, mail.parsed, judgement) for (uid, mail), judgement in pairs]
        last = chunk[-1]
    if last != begun:
        progress.save_cursor(rules.name, uidvalidity, last, now())
    progress.save_read_past(rules.name, started.replace(microsecond=0), now())
    return Polled(uidvalidity, last, len(uids), tuple(handled), tuple(probes))


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
    for envelope in mailbox.envelopes(uids, rules.budget.header_section + 1):
        probe = probe_id(envelope.headers)
        if probe is not None and rules.probe_seen(probe, envelope.received_at):
            probes.append(envelope.uid)
            continue
        mail = _read(mailbox, envelope, judge, rules)
        if mail is None:
            continue
        batch.append((envelope.uid, mail))
        size += len(mail.raw)
        if size > rules.batch_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(mailbox: Mailbox, envelope: Envelope, judge: Judge, rules: ReadingRules) -> ReceivedMail | None:
    """The whole mail if it may be ours, else None."""
    raw: bytes | None = envelope.headers
    parsed = _parse(envelope.headers, rules)
    may_name = bool(parsed.references) or _has_plus_of_ours(parsed.recipients, rules)
    # The ledger is asked only about mail that names anything: a mailbox holds many strangers.
    if not (may_name and judge.names_ours(parsed)) and not _may_be_ours(envelope.headers, rules):
        return None
    if envelope.size > rules.budget.size or len(envelope.headers) > rules.budget.header_section:
        what = f"size {envelope.size} over {rules.budget.size} bytes or headers too long"
        parsed = parsed.model_copy(update={"unreadable": what, "size": envelope.size, "answer": "unclear"})
    else:
        raw = mailbox.fetch(envelope.uid)
        if raw is None:
            return None
        parsed = _parse(raw, rules)
    return ReceivedMail(
        raw or b"", parsed, check_authenticity(raw or b"", rules.trust, rules.resolve), envelope.received_at
    )


def _parse(raw: bytes, rules: ReadingRules) -> ParsedReply:
    return parse_reply(raw, languages=rules.languages, own_addresses=rules.own_addresses, budget=rules.budget)


def _has_plus_of_ours(addresses: Iterable[str], rules: ReadingRules) -> bool:
    own = {base_address(address) for address in rules.own_addresses}
    return any("+" in address.partition("@")[0] and base_address(address) in own for address in addresses)


def _may_be_ours(raw_headers: bytes, rules: ReadingRules) -> bool:
    """No id of ours in the headers, but the body may hold one: a bounce to our address, a reply that lost its thread, or a
    reply address of ours that is not known (it names a run that the ledger has not)."""
    headers = read_headers(raw_headers)
    own = {base_address(address) for address in rules.own_addresses}
    to = addresses_in([value for name in ("to", "cc", "delivered-to", "x-original-to") for value in headers.all(name)])
    if not any(base_address(address) in own for address in to):
        return False
    if _has_plus_of_ours(to, rules):
        return True
    report = (
        "multipart/report" in headers.first("content-type").lower()
        or headers.first("return-path").replace(" ", "") == "<>"
    )
    return report or SUBJECT_MARK in decode_words(headers.first("subject")).lower()


def file_away(mailbox: Mailbox, polled: Polled) -> tuple[str, ...]:
    """Move judged mails to ``Runs/<run>`` (refused ones below it) and remove our own probes of the clock.

    Housekeeping: answers what went wrong instead of raising.
    """
    problems = []
    for uid in polled.probes:
        try:
            mailbox.remove(uid)
        except ImapRefused as error:
            problems.append(str(error))
    for item in polled.handled:
        run_id = item.judgement.run_id
        if run_id is None or item.judgement.outcome is Outcome.UNTOUCHED:
            continue
        levels = ["Runs", run_id] + ["Refused"] * (item.judgement.outcome is Outcome.REFUSED)
        try:
            mailbox.move(item.uid, levels)
        except ImapRefused as error:
            problems.append(str(error))
    return tuple(problems)
