"""Histories written by hand, one event a second."""

from datetime import UTC, datetime, timedelta

from evaluation.bench.histories import Event

START = datetime(2026, 1, 1, tzinfo=UTC)


def second(number: float) -> datetime:
    """An instant, ``number`` seconds after the start."""
    return START + timedelta(seconds=number)


def history(*kinds: str) -> tuple[Event, ...]:
    """Events of these kinds; ``act:NAME`` is a scheduled activity."""
    return tuple(
        Event("ACTIVITY_TASK_SCHEDULED", second(n), kind.removeprefix("act:"))
        if kind.startswith("act:")
        else Event(kind, second(n))
        for n, kind in enumerate(kinds)
    )


TASK = ("WORKFLOW_TASK_SCHEDULED", "WORKFLOW_TASK_STARTED", "WORKFLOW_TASK_COMPLETED")
SIGNAL = "WORKFLOW_EXECUTION_SIGNALED"
PARKED_THEN_ANSWERED = history("act:send", *TASK, "TIMER_STARTED", SIGNAL, *TASK, "TIMER_CANCELED", "act:read")
