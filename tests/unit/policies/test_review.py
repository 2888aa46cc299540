"""What follows an outcome, and instants."""

from datetime import UTC, datetime, timedelta

import pytest

from policies.review import (
    Next,
    accepted_too_late,
    at_deadline,
    deadline_of,
    deadline_settled,
    follow,
    reminder_of,
    tail_end,
)
from wire.approval import Outcome

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("outcome", "approvals", "reviews", "expected"),
    [
        (Outcome.ACCEPTED, 2, 1, Next.PROCEED),
        (Outcome.ACCEPTED, 1, 1, Next.WAIT),
        (Outcome.LATE, 0, 2, Next.FRESH_REVIEW),
        (Outcome.LATE, 0, 3, Next.EXPIRE),
        (Outcome.UNCLEAR, 0, 1, Next.CLARIFY),
        (Outcome.REJECTED, 2, 1, Next.REJECT),
        (Outcome.COLLISION, 2, 1, Next.HALT),
        (Outcome.UNDELIVERABLE, 0, 1, Next.UNDELIVERABLE),
    ],
)
def test_follow(outcome: Outcome, approvals: int, reviews: int, expected: Next):
    assert follow(outcome, approvals=approvals, quorum=2, reviews_made=reviews, max_reviews=3) is expected


@pytest.mark.parametrize("outcome", [Outcome.IGNORED, Outcome.REFUSED, Outcome.UNTOUCHED])
def test_what_decides_nothing_leaves_the_run_waiting(outcome: Outcome):
    assert follow(outcome, approvals=2, quorum=2, reviews_made=1, max_reviews=3) is Next.WAIT


def test_every_outcome_leads_somewhere():
    for outcome in Outcome:
        assert follow(outcome, approvals=0, quorum=1, reviews_made=1, max_reviews=1) in Next


@pytest.mark.parametrize(
    ("policy", "settled", "reviews", "expected"),
    [
        ("reissue", False, 1, Next.WAIT),
        ("reissue", True, 1, Next.FRESH_REVIEW),
        ("reissue", True, 3, Next.OVERDUE),
        ("escalate", True, 1, Next.ESCALATE),
        ("expire", True, 1, Next.OVERDUE),
    ],
)
def test_at_deadline(policy, settled: bool, reviews: int, expected: Next):
    assert at_deadline(policy, settled=settled, reviews_made=reviews, max_reviews=3) is expected


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
