"""Working time of a calendar as UTC instants: the one place where a policy's time zones are resolved."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from policies.review import deadline_of
from policies.working_time import Span, working_deadline
from wire.approval import ApprovalPlan
from wire.policy import Calendar, Policy

DAYS_LOOKED_AT = 800
"""A window that has not passed after so many days is one that no calendar can hold."""


class CalendarError(ValueError):
    """Raised when a window does not fit into its calendar; the message names both."""


def resolved_deadline(policy: Policy, plan: ApprovalPlan, composed_at: datetime) -> datetime:
    """The last instant at which a reply counts, in UTC. Raises CalendarError."""
    if not plan.calendar:
        return deadline_of(composed_at, plan.window_seconds)
    calendar = next((c for c in policy.calendars if c.id == plan.calendar), None)
    if calendar is None:
        raise CalendarError(f"policy {policy.version} has no calendar '{plan.calendar}'")
    found = working_deadline(composed_at, plan.window_seconds, working_spans(calendar, composed_at))
    if found is None:
        raise CalendarError(f"calendar '{calendar.id}' has no {plan.window_seconds / 3600:g} working hours left")
    return found


def working_spans(calendar: Calendar, start: datetime) -> Iterator[Span]:
    """Working time from the day of ``start`` on, in order, as (opens, closes) in UTC. A clock change is taken as it falls."""
    zone = ZoneInfo(calendar.timezone)
    first = start.astimezone(zone).date()
    for offset in range(DAYS_LOOKED_AT):
        day = first + timedelta(days=offset)
        if day in calendar.holidays:
            continue
        hours = sorted((h.opens, h.closes) for h in calendar.hours if day.isoweekday() in h.days)
        for opens, closes in hours:
            yield _instant(day, opens, zone), _instant(day, closes, zone)


def _instant(day: date, clock: str, zone: ZoneInfo) -> datetime:
    if clock == "24:00":
        return _instant(day + timedelta(days=1), "00:00", zone)
    return datetime.combine(day, time.fromisoformat(clock), zone).astimezone(UTC)
