"""What a probe bounds, whatever the clocks, the delays and the whole seconds of INTERNALDATE are."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.clock import Skew, read_clock, skew_of, verdict_of
from policies.decision_checks import check_window
from wire.clock import ClockProbe
from wire.policy import ApprovalRule, Person, Policy

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
POLICY = Policy(
    version="1",
    persons=(Person(id="ann", name="Ann", addresses=("ann@corp.example",)),),
    rules=(ApprovalRule(id="all", approvers=("ann",)),),
    requesters=("ann",),
)
SECONDS = st.floats(0, 120, allow_nan=False)
SKEWS = st.floats(-7200, 7200, allow_nan=False)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def server_says(true: datetime, skew: float) -> datetime:
    """INTERNALDATE of what happens at that instant of our clock."""
    return (true + timedelta(seconds=skew)).replace(microsecond=0)


def probe(start: float, way: float, wait: float, skew: float, number: int = 1) -> ClockProbe:
    """Sent at ``start``, stored ``way`` seconds later, seen after ``wait`` more."""
    stored = server_says(after(start + way), skew)
    ids = {"mailbox": "m", "number": number, "message_id": f"clock.{number}.x@c.example"}
    return ClockProbe(**ids, sent_at=after(start), stored_at=stored, seen_at=after(start + way + wait))


def told(number: int, low: float, at: datetime = NOON) -> ClockProbe:
    """A probe that took no time and saw the server ``low`` seconds ahead."""
    ids = {"mailbox": "m", "number": number, "message_id": f"clock.{number}.x@c.example"}
    return ClockProbe(**ids, sent_at=at, stored_at=at + timedelta(seconds=low), seen_at=at)


@given(start=st.floats(0, 1), way=SECONDS, wait=SECONDS, skew=SKEWS)
def test_the_true_skew_lies_within_the_bounds(start: float, way: float, wait: float, skew: float):
    found = skew_of(probe(start, way, wait, skew))
    assert found is not None
    assert found.low - 1e-5 <= skew <= found.high + 1e-5
    assert found.least - 1e-5 <= abs(skew) <= found.worst + 1e-5


@given(way=SECONDS, wait=SECONDS, skew=SKEWS, bound=st.floats(0.1, 60))
def test_right_and_wrong_are_never_mistaken(way: float, wait: float, skew: float, bound: float):
    found = skew_of(probe(0.3, way, wait, skew))
    assert found is not None
    verdict = verdict_of(found, bound)
    assert verdict != "right" or abs(skew) <= bound + 1e-5
    assert verdict != "wrong" or abs(skew) > bound - 1e-5


@given(
    way=st.floats(0, 5),
    wait=st.floats(0, 5),
    skew=st.floats(-20, 20),
    window=st.integers(60, 3600),
    answered=st.floats(0, 4000),
)
def test_no_answer_after_the_deadline_counts_and_none_before_the_request(
    way: float, wait: float, skew: float, window: int, answered: float
):
    """By our clock: strict after the deadline (but for the second of the deadline itself)."""
    clock = read_clock([probe(0.7, way, wait, skew)], POLICY, after(60))
    received = server_says(after(answered), skew)
    if check_window(received, NOON, after(window), 0.0, clock.ahead) is None:
        assert answered < window + 1 + 1e-5


@given(way=st.floats(0, 2), wait=st.floats(0, 2), answered=st.floats(0, 3590))
def test_with_clocks_that_agree_every_answer_in_time_counts(way: float, wait: float, answered: float):
    clock = read_clock([probe(0.7, way, wait, 0.0)], POLICY, after(60))
    assert clock.fault == ""
    assert check_window(server_says(after(answered), 0.0), NOON, after(3600), 0.0, clock.ahead) is None


@given(start=st.floats(0, 1), way=st.floats(0, 2), skew=st.floats(0, 0.99), quick=st.floats(0, 2))
def test_clocks_less_than_a_second_apart_make_no_quick_answer_early(
    start: float, way: float, skew: float, quick: float
):
    clock = read_clock([probe(start, way, 0.01, skew)], POLICY, after(60))
    received = server_says(after(120.4 + quick), skew)
    assert check_window(received, after(120.4), after(3600), 0.0, clock.ahead) is None


def test_a_slow_mail_says_nothing_and_replaces_no_measurement():
    slow = probe(60, 20, 45, 0.0, number=2)
    clock = read_clock([slow, told(1, 0)], POLICY, after(200))
    assert (clock.fault, clock.probe and clock.probe.number) == ("", 1)


@pytest.mark.parametrize(
    ("probes", "at", "fault"),
    [
        ([], 0, "not measured yet"),
        ([told(1, 0)], 21_599, ""),
        ([told(1, 0)], 21_601, "last measured at 2026-03-02 12:00:00"),
        ([told(1, 0)], -21_601, "last measured at"),
        ([told(2, 90), told(1, 0)], 60, "is +90.0 to +91.0 s off ours"),
        ([told(2, 0), told(1, 90)], 60, ""),
        ([probe(0, 20, 45, 0.0)], 70, "not measured yet"),
        ([told(1, -29)], 60, ""),
        ([told(1, -32)], 60, "off ours"),
    ],
)
def test_what_stands_is_what_the_newest_telling_probe_says(probes: list[ClockProbe], at: float, fault: str):
    clock = read_clock(probes, POLICY, after(at))
    assert fault in clock.fault
    assert bool(fault) == bool(clock.fault)


def test_our_own_clock_going_backwards_measures_nothing():
    backwards = told(1, 0).model_copy(update={"seen_at": after(-5)})
    assert skew_of(backwards) is None


def test_skew_reads_well():
    assert str(Skew(-1.26, 0.74)) == "-1.3 to +0.7 s"
