"""The instants of a review."""

from datetime import UTC, datetime, timedelta

import pytest

from policies.review import accepted_too_late, deadline_of, deadline_settled, reminder_of, tail_end

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("seconds", "read_past", "settled"),
    [(-1, True, False), (0, True, False), (1, True, True), (1, False, False), (300, False, True)],
)
def test_silence_is_settled_by_reading_past_or_grace(seconds: int, read_past: bool, settled: bool):
    assert deadline_settled(NOON + timedelta(seconds=seconds), NOON, 300, read_past=read_past) is settled


def test_instants_of_a_window():
    deadline = deadline_of(NOON, 3600)
    assert deadline == NOON + HOUR
    assert reminder_of(NOON, deadline, 0.75) == NOON + timedelta(minutes=45)
    assert tail_end(deadline, 60) == deadline + timedelta(minutes=1)


@pytest.mark.parametrize(("minutes", "late"), [(6, False), (6.1, True)])
def test_acceptance_after_a_tenth_of_the_window_is_too_late(minutes: float, late: bool):
    assert accepted_too_late(NOON, NOON + timedelta(minutes=minutes), NOON + HOUR, 0.1) is late
