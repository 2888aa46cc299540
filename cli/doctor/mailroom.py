"""The mailroom, as the ledger knows it: who is active, how far the mailbox was read, what is owed, what the clocks say."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from cli.doctor.finding import Finding, right, unknown, unused, warning, wrong
from cli.doctor.ledgers import opened, unreadable
from cli.graph_age import in_words
from ledger.health import backlog_of, lease_of
from ledger.store import Ledger
from settings import Settings, load_policy
from wire.policy import Policy

BEHIND = timedelta(minutes=2)
OWED = timedelta(minutes=5)
START = "start 'python mailroom.py' (or 'starter.py up') and see its log"


def look_at_mailroom(settings: Settings, now: datetime) -> Sequence[Finding]:
    """Lease, progress and outbox."""
    fault = unreadable(settings, "mailroom")
    if fault is not None:
        return [fault]
    with opened(settings) as ledger:
        return [_active(ledger, now), _progress(ledger, settings, now), *_owed(ledger, now)]


def look_at_clock(settings: Settings, now: datetime) -> Sequence[Finding]:
    """The last probe, and whether a YES counts."""
    fault = unreadable(settings, "clock")
    if fault is not None:
        return [fault]
    policy = load_policy(settings)
    if not policy.clock_probe_seconds:
        skew = f"the gates reckon with clock_skew_seconds = {policy.clock_skew_seconds:g} alone"
        return [unused("clock", f"policy sends no probe mails (clock_probe_seconds = 0): {skew}")]
    with opened(settings) as ledger:
        return [_clock(ledger, policy, settings.imap.user, now)]


def _clock(ledger: Ledger, policy: Policy, mailbox: str, now: datetime) -> Finding:
    probes = ledger.probes(mailbox)
    if not probes:
        return unknown("clock", "the mail server's clock was never measured, so that no yes is accepted", START)
    clock = ledger.clock(mailbox, policy, now)
    newest = probes[0]
    sent = f"probe {newest.number}, sent {in_words(now - newest.sent_at)} ago"
    state = f"{sent}, {'came back' if newest.seen_at else newest.failure or 'has not come back'}"
    if clock.fault:
        mend = "set both clocks by NTP; when probes do not come back, see whether the mail server delivers to itself"
        return wrong("clock", f"no yes is accepted: {clock.fault} ({state})", f"{mend}. A probe goes out every minute")
    told = f"the mail server's is {clock.skew} off ours, bound {policy.clock_skew_bound_seconds:g} s ({state})"
    if newest.failure or (newest.seen_at is None and now - newest.sent_at > timedelta(minutes=10)):
        hours = policy.clock_probe_valid_seconds / 3600
        mend = f"see why: {hours:g} h after the last measurement no yes is accepted"
        return warning("clock", told, mend)
    return right("clock", told)


def _active(ledger: Ledger, now: datetime) -> Finding:
    lease = lease_of(ledger, "mailroom")
    if lease is None:
        return wrong("mailroom", "none has ever run on this ledger", START)
    if lease.expires_at <= now:
        return wrong(
            "mailroom", f"none is active; {lease.holder} was until {in_words(now - lease.expires_at)} ago", START
        )
    return right("mailroom", f"{lease.holder} is active")


def _progress(ledger: Ledger, settings: Settings, now: datetime) -> Finding:
    mailbox = settings.imap.user
    read = ledger.read_past(mailbox)
    if read is None:
        return wrong(
            "mailbox", f"{mailbox or 'it'} was never read", "see the mailroom's log; check COUNTERSIGN_IMAP__*"
        )
    if now - read > BEHIND:
        return wrong("mailbox", f"{mailbox} was last read {in_words(now - read)} ago", "see the mailroom's log")
    return right("mailbox", f"{mailbox} was read {in_words(now - read)} ago")


def _owed(ledger: Ledger, now: datetime) -> Sequence[Finding]:
    found = []
    for kind, other in (("signal", "Temporal"), ("mail", "the SMTP server")):
        owed = backlog_of(ledger, kind)
        part = f"outbox ({kind}s)"
        if owed.oldest_at is not None and now - owed.oldest_at > OWED:
            told = f"{owed.count} wait, the oldest for {in_words(now - owed.oldest_at)}"
            found.append(wrong(part, f"{told}; {owed.error or 'not tried yet'}", f"mend the mailroom or {other}"))
        else:
            found.append(right(part, f"{owed.count} wait" if owed.count else "nothing waits"))
    return found
