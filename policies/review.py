"""What follows an outcome or a deadline, and the arithmetic of instants. All instants are UTC; nothing here knows a zone."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from wire.approval import Outcome


class Next(StrEnum):
    """What a run does next."""

    PROCEED = "proceed"
    WAIT = "wait"
    CLARIFY = "clarify"
    FRESH_REVIEW = "fresh_review"
    ESCALATE = "escalate"
    REJECT = "reject"
    HALT = "halt"
    UNDELIVERABLE = "undeliverable"
    OVERDUE = "overdue"
    EXPIRE = "expire"


_FOLLOWS = {
    Outcome.REJECTED: Next.REJECT,
    Outcome.COLLISION: Next.HALT,
    Outcome.UNCLEAR: Next.CLARIFY,
    Outcome.IGNORED: Next.WAIT,
    Outcome.REFUSED: Next.WAIT,
    Outcome.UNTOUCHED: Next.WAIT,
}


def follow(outcome: Outcome, *, approvals: int, quorum: int, reviews_made: int, max_reviews: int) -> Next:
    """What a decision leads to. ``reviews_made`` counts the reviews of this step so far, the present one included."""
    if outcome is Outcome.ACCEPTED:
        return Next.PROCEED if approvals >= quorum else Next.WAIT
    if outcome is Outcome.LATE:
        return Next.FRESH_REVIEW if reviews_made < max_reviews else Next.EXPIRE
    if outcome is Outcome.UNDELIVERABLE:
        return Next.UNDELIVERABLE
    return _FOLLOWS[outcome]


def at_deadline(
    on_deadline: Literal["reissue", "escalate", "expire"], *, settled: bool, reviews_made: int, max_reviews: int
) -> Next:
    """What silence leads to once the deadline is over; until ``settled`` a reply received in time may still turn up."""
    if not settled:
        return Next.WAIT
    if on_deadline == "expire" or reviews_made >= max_reviews:
        return Next.OVERDUE
    return Next.ESCALATE if on_deadline == "escalate" else Next.FRESH_REVIEW


def deadline_settled(now: datetime, deadline: datetime, grace_seconds: int, *, read_past: bool) -> bool:
    """Whether no reply of before the deadline can still come: the mailroom read past it, or the grace has run out."""
    return now > deadline and (read_past or now >= deadline + timedelta(seconds=grace_seconds))


def deadline_of(composed_at: datetime, window_seconds: int) -> datetime:
    """The last instant at which a reply counts."""
    return composed_at + timedelta(seconds=window_seconds)


def reminder_of(composed_at: datetime, deadline: datetime, share: float) -> datetime:
    """When to remind: at that share of the window."""
    return composed_at + (deadline - composed_at) * share


def tail_end(deadline: datetime, tail_seconds: int) -> datetime:
    """Until when a late answer still opens a fresh review."""
    return deadline + timedelta(seconds=tail_seconds)


def accepted_too_late(composed_at: datetime, accepted_at: datetime, deadline: datetime, share: float) -> bool:
    """Whether the server took the request so late that more than ``share`` of the window is gone: withdraw, make anew."""
    return accepted_at - composed_at > (deadline - composed_at) * share
