"""What a parked run does next. The receipt time decides, at every order of timer, signal and clock."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.next_move import Move, next_move, wake_at
from wire.activity_signatures import DecisionAnswer
from wire.approval import DecisionRecord, Outcome, RequestStatus, SentRequest
from wire.task import RunState

SENT_AT = datetime(2026, 11, 2, 8, tzinfo=UTC)
DEADLINE = SENT_AT + timedelta(hours=8)
SENT = SentRequest(
    run_id="run-a", step=2, review=1, status=RequestStatus.SENT, call_digest="d", policy_version="1", rule_id="r",
    approver_tokens=("p-1",), quorum=1, accepted_at=SENT_AT, deadline=DEADLINE,
    reminder_at=SENT_AT + timedelta(hours=6), grace_seconds=300, tail_seconds=0, max_reviews=3, on_deadline="reissue",
)  # fmt: skip
BEFORE, AFTER = DEADLINE - timedelta(seconds=1), DEADLINE + timedelta(seconds=1)


def record(**changes):
    base = DecisionRecord(
        run_id="run-a", step=2, review=1, evidence_id="e", outcome=Outcome.ACCEPTED, received_at=BEFORE,
        call_digest="d", approvals=1,
    )  # fmt: skip
    return base.model_copy(update=changes)


def move(decision=None, now=BEFORE, sent=SENT, **answer):
    return next_move(sent, DecisionAnswer(decision=decision, **answer), now)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Move.PROCEED),
        ({"received_at": DEADLINE}, Move.PROCEED),
        ({"received_at": AFTER}, Move.FRESH_LATE),
        ({"received_at": SENT_AT - timedelta(seconds=1)}, Move.FRESH_LATE),
        ({"received_at": None}, Move.WAIT),
        ({"run_id": "run-b"}, Move.WAIT),
        ({"step": 1}, Move.WAIT),
        ({"review": 0}, Move.WAIT),
        ({"call_digest": "other"}, Move.WAIT),
        ({"approvals": 0}, Move.WAIT),
        ({"outcome": Outcome.REJECTED}, Move.REJECT),
        ({"outcome": Outcome.REJECTED, "review": 0, "received_at": AFTER}, Move.REJECT),
        ({"outcome": Outcome.COLLISION, "step": 9}, Move.HALT),
        ({"outcome": Outcome.LATE}, Move.FRESH_LATE),
        ({"outcome": Outcome.UNCLEAR}, Move.WAIT),
        ({"outcome": Outcome.REFUSED}, Move.WAIT),
        ({"outcome": Outcome.UNDELIVERABLE}, Move.UNDELIVERABLE),
    ],
)
def test_a_decision_moves_only_when_all_of_it_fits(changes, expected):
    assert move(record(**changes)) is expected


@given(st.integers(-3600, 40_000), st.integers(-3600, 40_000))
def test_nothing_received_late_ever_passes(received, now):
    decided = record(received_at=SENT_AT + timedelta(seconds=received))
    result = move(decided, now=SENT_AT + timedelta(seconds=now))
    assert (result is Move.PROCEED) == (0 <= received <= 28_800)


@pytest.mark.parametrize(
    ("ahead", "late", "early"),
    [
        (-5.0, Move.FRESH_LATE, Move.PROCEED),
        (5.0, Move.PROCEED, Move.FRESH_LATE),
        (0.0, Move.PROCEED, Move.PROCEED),
        (None, Move.PROCEED, Move.PROCEED),
    ],
)
def test_the_measured_clock_is_reckoned_with_again(ahead, late, early):
    told = {"clock_skew_seconds": ahead}
    assert move(record(received_at=DEADLINE - timedelta(seconds=4), **told)) is late
    assert move(record(received_at=SENT_AT + timedelta(seconds=4), **told)) is early


def test_the_clock_skew_counts_against_us_at_both_edges():
    skewed = SENT.model_copy(update={"clock_skew_seconds": 5.0})
    assert move(record(received_at=DEADLINE - timedelta(seconds=4)), sent=skewed) is Move.FRESH_LATE
    assert move(record(received_at=SENT_AT + timedelta(seconds=4)), sent=skewed) is Move.FRESH_LATE
    assert move(record(received_at=SENT_AT + timedelta(seconds=6)), sent=skewed) is Move.PROCEED


def test_overdue_waits_for_the_mailroom_to_read_past_the_deadline():
    assert move(now=AFTER) is Move.WAIT
    assert move(now=AFTER, read_past=True) is Move.OVERDUE


def test_overdue_after_the_grace_period_though_the_mailroom_is_down():
    assert move(now=DEADLINE + timedelta(seconds=300)) is Move.OVERDUE


def test_a_reply_received_in_time_counts_though_the_poller_was_down():
    assert move(record(), now=DEADLINE + timedelta(days=1)) is Move.PROCEED


@pytest.mark.parametrize(("state", "expected"), [(RunState.HALTED, Move.HALT), (RunState.CANCELLED, Move.CANCEL)])
def test_a_block_outweighs_an_approval(state, expected):
    assert move(record(), run_state=state) is expected


def test_wakes_for_reminder_then_deadline_then_through_the_grace():
    assert wake_at(SENT, False, SENT_AT) == SENT.reminder_at
    assert wake_at(SENT, True, SENT_AT) == DEADLINE
    assert wake_at(SENT, True, AFTER) == AFTER + timedelta(seconds=30)


def test_an_operator_who_asks_again_ends_the_review_but_no_rejection():
    assert move(asked_again=True) is Move.ASK_AGAIN
    assert move(record(), asked_again=True) is Move.ASK_AGAIN
    assert move(record(outcome=Outcome.REJECTED), asked_again=True) is Move.REJECT
    assert move(asked_again=True, run_state=RunState.CANCELLED) is Move.CANCEL
