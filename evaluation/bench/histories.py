"""What a Temporal history says of a run: how many events and activities, where it waited, when a signal was acted upon."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHistory

SIGNALED = "WORKFLOW_EXECUTION_SIGNALED"
TASK_STARTED = "WORKFLOW_TASK_STARTED"
TASK_COMPLETED = "WORKFLOW_TASK_COMPLETED"
SCHEDULED = "ACTIVITY_TASK_SCHEDULED"
TIMER_STARTED = "TIMER_STARTED"
TIMER_ENDS = ("TIMER_CANCELED", "TIMER_FIRED")


class Event(NamedTuple):
    """One event: its type without the prefix, its time, and for a scheduled activity the activity's type."""

    kind: str
    at: datetime
    activity: str = ""


class Resumption(NamedTuple):
    """When a signal reached the run, when the run had acted on it, and since when it was parked (None: it was not yet)."""

    signalled_at: datetime
    resumed_at: datetime
    parked_at: datetime | None


def read_events(history: WorkflowHistory) -> tuple[Event, ...]:
    """The events in order."""
    return tuple(
        Event(
            EventType.Name(event.event_type).removeprefix("EVENT_TYPE_"),
            event.event_time.ToDatetime(tzinfo=UTC),
            event.activity_task_scheduled_event_attributes.activity_type.name,
        )
        for event in history.events
    )


def activity_counts(events: Sequence[Event]) -> Counter[str]:
    """Scheduled activities by type."""
    return Counter(event.activity for event in events if event.kind == SCHEDULED)


def event_counts(events: Sequence[Event]) -> Counter[str]:
    """Events by type."""
    return Counter(event.kind for event in events)


def shape(events: Sequence[Event]) -> tuple[int, ...]:
    """Activities before the first signal, between signals, and after the last: what a floor of equal shape has to do."""
    counts = [0]
    for event in events:
        if event.kind == SIGNALED:
            counts.append(0)
        counts[-1] += event.kind == SCHEDULED
    return tuple(counts)


def resumptions(events: Sequence[Event]) -> tuple[Resumption, ...]:
    """One for each signal that the run acted upon, in order.

    Acted upon: the first workflow task that started after the signal has completed, so the worker's answer (the next activity)
    is in the history.
    """
    found = []
    for position, event in enumerate(events):
        resumed = _acted(events[position:]) if event.kind == SIGNALED else None
        if resumed is not None:
            found.append(Resumption(event.at, resumed, _parked_at(events[:position])))
    return tuple(found)


def _acted(later: Sequence[Event]) -> datetime | None:
    started = False
    for event in later:
        started = started or event.kind == TASK_STARTED
        if started and event.kind == TASK_COMPLETED:
            return event.at
    return None


def _parked_at(before: Sequence[Event]) -> datetime | None:
    """When the timer that is still open was started: each wait has a durable deadline."""
    counts = event_counts(before)
    if counts[TIMER_STARTED] <= sum(counts[end] for end in TIMER_ENDS):
        return None
    return next(event.at for event in reversed(before) if event.kind == TIMER_STARTED)
