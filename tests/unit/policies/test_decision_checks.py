"""Checks 6 to 8, as tables."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.decision_checks import ReviewFacts, check_decision, check_window, judge_answer
from wire.approval import DecisionRecord, Outcome, RequestStatus, SentRequest
from wire.mail import Answer

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DEADLINE = NOON + timedelta(hours=1)
FACTS = ReviewFacts(opens_at=NOON, deadline=DEADLINE)
SENT = SentRequest(
    run_id="run-a",
    step=1,
    review=1,
    status=RequestStatus.SENT,
    call_digest="d",
    policy_version="1",
    rule_id="all",
    approver_tokens=("p-1",),
    quorum=1,
    accepted_at=NOON,
    deadline=DEADLINE,
    reminder_at=None,
    grace_seconds=300,
    tail_seconds=0,
    max_reviews=3,
    on_deadline="reissue",
)
RECORD = DecisionRecord(
    run_id="run-a",
    step=1,
    review=1,
    evidence_id="e",
    outcome=Outcome.ACCEPTED,
    received_at=NOON + timedelta(minutes=5),
    call_digest="d",
    approvals=1,
)


def judge(answer: Answer, seconds: float = 300, skew: float = 0.0, **facts: object) -> Outcome:
    values = {"opens_at": NOON, "deadline": DEADLINE} | facts
    return judge_answer(answer, "", ReviewFacts(**values), NOON + timedelta(seconds=seconds), skew).outcome


@pytest.mark.parametrize(
    ("seconds", "skew", "in_time"),
    [
        (0, 0, True),
        (-0.001, 0, False),
        (-1, 0, False),
        (3600, 0, True),
        (3600.001, 0, False),
        (1, 2, False),
        (2, 2, True),
        (3598, 2, True),
        (3599, 2, False),
        (3599, -2, False),
    ],
)
def test_the_window_counts_both_edges_with_skew_against_us(seconds: float, skew: float, in_time: bool):
    ruling = check_window(NOON + timedelta(seconds=seconds), NOON, DEADLINE, skew)
    assert (ruling is None) is in_time


def test_the_second_of_acceptance_counts_as_after_it():
    accepted = NOON + timedelta(milliseconds=700)
    assert check_window(NOON, accepted, DEADLINE) is None


def test_nothing_is_in_time_before_the_request_was_sent():
    assert check_window(NOON, None, DEADLINE) is not None


@pytest.mark.parametrize(
    ("answer", "facts", "outcome"),
    [
        ("approve", {}, Outcome.ACCEPTED),
        ("unclear", {}, Outcome.UNCLEAR),
        ("reject", {}, Outcome.REJECTED),
        ("approve", {"waiting": False}, Outcome.REFUSED),
        ("unclear", {"waiting": False}, Outcome.REFUSED),
        ("reject", {"waiting": False}, Outcome.REJECTED),
        ("approve", {"decided": True}, Outcome.IGNORED),
        ("approve", {"person_said_yes": True}, Outcome.IGNORED),
        ("unclear", {"decided": True}, Outcome.UNCLEAR),
        ("reject", {"decided": True, "person_said_yes": True}, Outcome.REJECTED),
        ("approve", {"said_no": True}, Outcome.REFUSED),
        ("approve", {"said_no": True, "person_said_yes": True}, Outcome.REFUSED),
        ("unclear", {"said_no": True}, Outcome.REFUSED),
        ("reject", {"said_no": True}, Outcome.REJECTED),
        ("approve", {"halted": True}, Outcome.REFUSED),
        ("reject", {"halted": True}, Outcome.REJECTED),
        ("approve", {"run_closed": True}, Outcome.REFUSED),
        ("approve", {"person_barred": True}, Outcome.REFUSED),
        ("reject", {"person_barred": True}, Outcome.REJECTED),
        ("reject", {"dispatched": True}, Outcome.REFUSED),
        ("approve", {"dispatched": True}, Outcome.IGNORED),
        ("unclear", {"dispatched": True}, Outcome.IGNORED),
        ("approve", {"opens_at": None}, Outcome.LATE),
    ],
)
def test_outcome_by_answer_and_facts(answer: Answer, facts: dict[str, object], outcome: Outcome):
    assert judge(answer, **facts) is outcome


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("approve", Outcome.LATE), ("unclear", Outcome.LATE), ("reject", Outcome.REJECTED)],
)
def test_after_the_deadline_only_a_no_counts(answer: Answer, outcome: Outcome):
    assert judge(answer, seconds=3601) is outcome


FLAGS = ("waiting", "run_closed", "dispatched", "said_no", "halted", "decided", "person_said_yes", "person_barred")


@given(
    st.sampled_from(["approve", "reject", "unclear"]),
    st.fixed_dictionaries({flag: st.booleans() for flag in FLAGS}),
    st.integers(-7200, 7200),
    st.integers(0, 120),
)
def test_nothing_is_accepted_unless_everything_speaks_for_it(answer, flags, seconds, skew):
    outcome = judge(answer, seconds, skew, **flags)
    against = any(flags[flag] for flag in FLAGS if flag != "waiting")
    right = answer == "approve" and flags["waiting"] and not against and skew <= seconds <= 3600 - skew
    assert (outcome is Outcome.ACCEPTED) is right


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, Outcome.ACCEPTED),
        ({"run_id": "run-b"}, Outcome.REFUSED),
        ({"step": 2}, Outcome.REFUSED),
        ({"review": 2}, Outcome.REFUSED),
        ({"call_digest": "other"}, Outcome.REFUSED),
        ({"received_at": None}, Outcome.REFUSED),
        ({"received_at": DEADLINE + timedelta(seconds=1)}, Outcome.LATE),
        ({"received_at": NOON - timedelta(seconds=1)}, Outcome.LATE),
        ({"outcome": Outcome.REJECTED, "review": 7}, Outcome.REJECTED),
        ({"outcome": Outcome.COLLISION}, Outcome.COLLISION),
    ],
)
def test_the_workflow_judges_an_accepted_record_again(changes: dict[str, object], outcome: Outcome):
    assert check_decision(RECORD.model_copy(update=changes), SENT).outcome is outcome


def test_after_a_crash_in_sending_the_window_opens_at_the_first_attempt():
    sent = SENT.model_copy(update={"accepted_at": NOON + timedelta(minutes=9), "opens_at": NOON})
    assert check_decision(RECORD, sent).outcome is Outcome.ACCEPTED
