"""A bounce and the copy of a request that it returns: what it must prove to know, and what follows from it.

A bounce is not authenticated by nature. It counts only if it names the Message-ID of the copy, or came to the reply address of
the request and names the recipient of the copy; and never against somebody who has answered. It can have the call asked of
somebody else whom policy names, and no more.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from ledger.facts import votes_for
from ledger.judging import IncomingMail
from ledger.records import RequestMailRow, RequestRow
from ledger.requests import fail_mail
from ledger.run_changes import unreachable_of
from ledger.schema_approval import SENT_IDS
from policies.people import fold_address, without_plus
from policies.ruling import Ruling
from wire.approval import MessageType, Outcome
from wire.mail import ParsedReply

ASKS = frozenset({MessageType.APPROVAL_REQUEST.value, MessageType.FRESH_REVIEW_REQUEST.value})


@dataclass(frozen=True)
class Bounce:
    """What a bounce came to; ``alert`` is for the operators, empty when they need not know."""

    ruling: Ruling
    alert: str = ""


def route_bounce(connection: Connection, request: RequestRow | None, mail: IncomingMail, at: datetime) -> Bounce:
    """Tie a bounce to the copy that it returns, and record that copy as failed. The review may become undeliverable by it."""
    if request is None:
        return _ignored("bounce of no request")
    parsed = mail.parsed
    notice = _notice_of(connection, parsed)
    if notice is not None:
        known = {fold_address(one) for one in parsed.failed_recipients} <= unreachable_of(connection, request.run_id)
        news = "" if known else f"{_whom(parsed)} did not get our {notice}"
        return _ignored(f"bounce of another mail of ours ({notice})", news)
    copy = _copy_of(request, parsed)
    if copy is None:
        return _ignored("bounce that names no copy of the request")
    held = _held_against(connection, request, copy, mail)
    if held:
        return _ignored(held)
    if parsed.failed_recipients and not _reached_at(copy.address, parsed):
        said = f"The copy for {copy.person} <{copy.address}> was sent on and did not reach {_whom(parsed)}"
        return _ignored("bounce from an address that we did not send to", said)
    return _failed(connection, request, copy, mail, at)


def _failed(
    connection: Connection, request: RequestRow, copy: RequestMailRow, mail: IncomingMail, at: datetime
) -> Bounce:
    why = f"bounced{f' ({mail.parsed.failure_status})' if mail.parsed.failure_status else ''}"
    ended = fail_mail(connection, request, copy.addressee, why, at)
    said = f"Mail for {copy.person} <{copy.address}> {why}"
    if not ended:
        return _ignored(
            f"bounce of the copy for {copy.person}", f"{said}; the others can still answer, the run goes on waiting"
        )
    return Bounce(
        Ruling(Outcome.UNDELIVERABLE, f"bounce of the copy for {copy.person}", 1),
        f"{said}; too few of those asked are left, so policy says who is asked next",
    )


def _ignored(reason: str, alert: str = "") -> Bounce:
    return Bounce(Ruling(Outcome.IGNORED, reason, 1), alert)


def _notice_of(connection: Connection, parsed: ParsedReply) -> str | None:
    """Which other mail of ours came back: it leaves the request as it is."""
    known = select(SENT_IDS.c.message_type).where(SENT_IDS.c.message_id.in_(parsed.bounced_ids))
    kinds = set(connection.scalars(known)) if parsed.bounced_ids else set()
    return next(iter(sorted(kinds)), None) if kinds and not kinds & ASKS else None


def _copy_of(request: RequestRow, parsed: ParsedReply) -> RequestMailRow | None:
    """The copy whose Message-ID came back or, where none did, is answered; else the recipient's one at the reply address."""
    named = parsed.bounced_ids or parsed.references
    for copy in request.mails:
        if copy.message_id in named:
            return copy
    if parsed.bounced_ids or request.reply_address not in map(fold_address, parsed.recipients):
        return None
    return next((copy for copy in request.mails if _reached_at(copy.address, parsed)), None)


def _reached_at(address: str, parsed: ParsedReply) -> bool:
    failed = {fold_address(one) for one in parsed.failed_recipients}
    return fold_address(address) in failed or without_plus(address) in {without_plus(one) for one in failed}


def _held_against(connection: Connection, request: RequestRow, copy: RequestMailRow, mail: IncomingMail) -> str:
    """Why the bounce cannot be what it says."""
    answered = {
        name for person, (principal, _) in votes_for(connection, request).items() for name in (person, principal)
    }
    if copy.failure is not None:
        return "bounce of a copy that is known to have failed"
    if copy.sending_at is None or mail.received_at < copy.sending_at.replace(microsecond=0):
        return "bounce from before the copy was sent"
    if copy.person in answered:
        return "bounce of a copy that was answered"
    return "" if request.is_live else "bounce of a request that waits no more"


def _whom(parsed: ParsedReply) -> str:
    return ", ".join(parsed.failed_recipients[:5]) or "the recipient"
