"""The arithmetic of a review's instants. All are UTC; nothing here knows a time zone."""

from datetime import datetime, timedelta


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
