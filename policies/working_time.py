"""Deadlines in working hours. Time zones are resolved outside: what comes in is working time as UTC instants, in order."""

from collections.abc import Iterable
from datetime import datetime, timedelta

Span = tuple[datetime, datetime]
"""Start and end (UTC) of working time without a break."""


def working_deadline(start: datetime, seconds: int, spans: Iterable[Span]) -> datetime | None:
    """The instant at which ``seconds`` of working time have passed since ``start``; None when the spans end before."""
    left = timedelta(seconds=seconds)
    for opens, closes in spans:
        begin = max(opens, start)
        if closes <= begin:
            continue
        if begin + left <= closes:
            return begin + left
        left -= closes - begin
    return None
