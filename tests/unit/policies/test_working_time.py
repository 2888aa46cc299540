"""Deadlines in working hours, over nights, weekends, holidays and clock changes."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.calendars import working_spans
from policies.working_time import working_deadline
from wire.policy import Calendar, Hours

OFFICE = Calendar(
    id="office",
    timezone="Europe/Berlin",
    hours=(Hours(days=(1, 2, 3, 4, 5), opens="09:00", closes="17:00"),),
    holidays=(date(2026, 12, 25),),
)


def deadline(start: str, hours: float, calendar: Calendar = OFFICE) -> datetime | None:
    begin = datetime.fromisoformat(start).astimezone(UTC)
    return working_deadline(begin, round(hours * 3600), working_spans(calendar, begin))


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        ("2026-11-02T10:00+01:00", 4, "2026-11-02T14:00+01:00"),
        ("2026-11-02T10:00+01:00", 8, "2026-11-03T10:00+01:00"),
        ("2026-11-06T16:30+01:00", 1, "2026-11-09T09:30+01:00"),
        ("2026-11-07T12:00+01:00", 1, "2026-11-09T10:00+01:00"),
        ("2026-12-24T16:00+01:00", 2, "2026-12-28T10:00+01:00"),
        ("2026-10-23T16:00+02:00", 2, "2026-10-26T10:00+01:00"),
        ("2026-11-02T23:30+00:00", 1, "2026-11-03T10:00+01:00"),
        ("2026-11-02T09:00+01:00", 8, "2026-11-02T17:00+01:00"),
    ],
)
def test_a_window_counts_working_hours_only(start, hours, end):
    assert deadline(start, hours) == datetime.fromisoformat(end)


def test_a_window_that_no_calendar_holds_has_no_end():
    assert deadline("2026-11-02T10:00+01:00", 1e6) is None


@given(st.integers(0, 525_600), st.integers(60, 200_000))
def test_a_deadline_never_comes_early_nor_outside_working_time(minutes, seconds):
    begin = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    end = working_deadline(begin, seconds, working_spans(OFFICE, begin))
    assert end is not None
    assert end - begin >= timedelta(seconds=seconds)
    assert any(opens < end <= closes for opens, closes in working_spans(OFFICE, begin))
