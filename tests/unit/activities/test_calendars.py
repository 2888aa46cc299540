"""Windows in working hours: as instants in UTC, across clock changes, holidays and nights."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.calendars import CalendarError, resolved_deadline, working_spans
from policies.review import reminder_of
from wire.approval import ApprovalPlan
from wire.policy import ApprovalRule, Calendar, Hours, Person, Policy

WEEKDAYS = Hours(days=(1, 2, 3, 4, 5), opens="09:00", closes="17:00")
BERLIN = Calendar(id="office", timezone="Europe/Berlin", hours=(WEEKDAYS,), holidays=(date(2026, 12, 25),))
NIGHTS = Calendar(
    id="office", timezone="Europe/Berlin", hours=(Hours(days=(1, 2, 3, 4, 5, 6, 7), opens="00:00", closes="24:00"),)
)
KOLKATA = Calendar(id="office", timezone="Asia/Kolkata", hours=(WEEKDAYS,))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def deadline(calendar: Calendar, start: str, hours: float) -> datetime:
    people = (Person(id="ann", name="Ann", addresses=("ann@corp.example",)),)
    rule = ApprovalRule(id="all", approvers=("ann",), calendar="office")
    policy = Policy(version="1", persons=people, rules=(rule,), requesters=(), calendars=(calendar,))
    plan = ApprovalPlan(
        rule_id="all", policy_version="1", approvers=(), quorum=1, window_seconds=round(hours * 3600), max_reviews=1,
        on_deadline="expire", reminder_share=0.75, grace_seconds=0, tail_seconds=0, calendar="office",
    )  # fmt: skip
    return resolved_deadline(policy, plan, utc(start))


@pytest.mark.parametrize(
    ("calendar", "start", "hours", "end"),
    [
        # Nine in Berlin is eight in UTC in winter and seven in summer: clocks go forward on 29 March, back on 25 October 2026.
        (BERLIN, "2026-03-27T15:00", 2, "2026-03-30T08:00"),
        (BERLIN, "2026-03-27T08:00", 8, "2026-03-27T16:00"),
        (BERLIN, "2026-10-23T14:00", 2, "2026-10-26T09:00"),
        (BERLIN, "2026-10-26T07:30", 8, "2026-10-26T16:00"),
        # A day without an hour and one with an hour more, for people who work around the clock.
        (NIGHTS, "2026-03-28T23:00", 23, "2026-03-29T22:00"),
        (NIGHTS, "2026-03-28T23:00", 24, "2026-03-29T23:00"),
        (NIGHTS, "2026-10-24T22:00", 25, "2026-10-25T23:00"),
        # Over Christmas and a weekend.
        (BERLIN, "2026-12-24T15:00", 2, "2026-12-28T09:00"),
        (KOLKATA, "2026-03-27T10:30", 2, "2026-03-30T04:30"),
    ],
)
def test_a_window_counts_working_hours_of_its_own_clock(calendar, start, hours, end):
    assert deadline(calendar, start, hours) == utc(end)


def test_hours_that_a_clock_change_skips_are_no_working_time():
    night = Calendar(id="n", timezone="Europe/Berlin", hours=(Hours(days=(7,), opens="02:00", closes="03:00"),))
    spans = working_spans(night, utc("2026-03-28T00:00"))
    opens, closes = next(spans)
    assert opens == closes == utc("2026-03-29T01:00")
    assert next(spans) == (utc("2026-04-05T00:00"), utc("2026-04-05T01:00"))


def test_the_reminder_stands_at_three_quarters_of_the_way_to_the_deadline():
    start = utc("2026-10-23T14:00")
    end = deadline(BERLIN, "2026-10-23T14:00", 2)
    assert reminder_of(start, end, 0.75) == start + (end - start) * 0.75


def test_a_window_that_never_ends_is_an_error_that_names_both():
    closed = BERLIN.model_copy(update={"hours": (Hours(days=(1,), opens="09:00", closes="09:01"),)})
    with pytest.raises(CalendarError, match="calendar 'office' has no 9 working hours left"):
        deadline(closed, "2026-03-27T15:00", 9)


@given(st.integers(0, 1_000_000), st.floats(0.01, 60))
def test_a_deadline_stands_in_working_time_after_its_start(minutes, hours):
    start = utc("2026-01-01T00:00") + timedelta(minutes=minutes)
    end = deadline(BERLIN, start.replace(tzinfo=None).isoformat(), hours)
    assert end > start
    assert any(opens <= end <= closes for opens, closes in working_spans(BERLIN, end))
