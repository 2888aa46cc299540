"""When probes go out, what is said of the clock, and what is taken for a probe."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ledger.store import Ledger, open_ledger
from mail.errors import SmtpTemporary
from mail.probes import Prober, compose_probe, probe_id
from tests.unit.ledger.world import make_policy
from wire.clock import ClockProbe
from wire.mail import Delivered

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PROBE = ClockProbe(mailbox="m", number=7, message_id=f"clock.7.{'a' * 32}@c.example", sent_at=NOON)
ADDRESS = "approvals@c.example"


@dataclass
class Office:
    """A prober whose clocks and mail server are in the test's hands."""

    ledger: Ledger
    seconds: float = 0.0
    steady: float = 0.0
    policy: Any = field(default_factory=make_policy)
    sent: list[bytes] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    failing: bool = False

    def __post_init__(self) -> None:
        report = lambda event, facts: self.said.append(event)  # noqa: E731
        self.prober = Prober(
            self.ledger, "m", ADDRESS, self.deliver, lambda: self.policy, report, self.now, lambda: self.steady
        )

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds)

    def deliver(self, raw: bytes, sender: str, recipient: str) -> Delivered:
        if self.failing:
            raise SmtpTemporary("451 later", 451)
        self.sent.append(raw)
        return Delivered(accepted_at=self.now().isoformat(), response="250 ok")

    def after(self, seconds: float) -> bool:
        """Let time pass on both clocks; whether a probe went out then."""
        self.seconds, self.steady = self.seconds + seconds, self.steady + seconds
        return self.prober.tick()

    def back(self, ahead: float = 0.0) -> bool:
        """The last probe stands in the mailbox now."""
        found = probe_id(self.sent[-1])
        assert found is not None
        return self.prober.returned(found, self.now() + timedelta(seconds=ahead))


@pytest.fixture
def office() -> Iterator[Office]:
    ledger = open_ledger("sqlite://", random_epoch=lambda: "e")
    yield Office(ledger)
    ledger.dispose()


def test_a_probe_goes_out_at_the_start_and_every_hour(office: Office):
    assert office.after(0)
    office.back()
    assert [office.after(1800), office.after(1799), office.after(1)] == [False, False, True]


def test_a_restart_probes_again_and_keeps_counting(office: Office):
    office.after(0)
    office.back()
    again = replace(office, sent=[], said=[])
    assert again.after(10)
    assert b"Subject: Countersign clock probe 2\r\n" in again.sent[0]


def test_after_a_lost_connection_the_clock_is_measured_within_a_minute(office: Office):
    office.after(0)
    office.back()
    office.prober.reconnected()
    assert [office.after(59), office.after(1), office.after(60)] == [False, True, False]


@pytest.mark.parametrize(("ahead", "wait"), [(90, 60), (-31, 60)])
def test_a_wrong_clock_is_looked_at_every_minute(office: Office, ahead: float, wait: float):
    office.after(0)
    office.back(ahead)
    assert [office.after(wait - 1), office.after(1)] == [False, True]


def test_a_probe_that_does_not_come_back_is_followed_by_another_after_ten_minutes(office: Office):
    office.after(0)
    assert [office.after(599), office.after(1)] == [False, True]
    assert "clock_probe_missing" in office.said


def test_a_refused_probe_is_recorded_and_tried_again(office: Office):
    office.failing = True
    assert not office.after(0)
    assert office.ledger.probes("m")[0].failure == "451 later"
    office.failing = False
    assert [office.after(59), office.after(1)] == [False, True]


def test_a_server_that_refuses_every_probe_is_not_asked_every_minute(office: Office):
    office.failing = True
    for _ in range(5):
        office.after(60)
    sent = len(office.ledger.probes("m"))
    office.after(599)
    assert (sent, len(office.ledger.probes("m"))) == (5, 5)
    office.after(1)
    assert len(office.ledger.probes("m")) == 6


def test_policy_may_send_none(office: Office):
    office.policy = make_policy(clock_probe_seconds=0)
    assert not office.after(0)
    assert office.said == []


@pytest.mark.parametrize(("step", "probed"), [(0.4, False), (1.5, True), (-3600, True)])
def test_our_own_clock_being_set_is_measured_at_once(office: Office, step: float, probed: bool):
    office.after(0)
    office.back()
    office.seconds += step
    assert office.after(5) is probed


def test_that_no_yes_counts_is_said_once_and_that_it_does_again(office: Office):
    office.after(0)
    office.back(90)
    office.after(60)
    office.back(90)
    office.after(60)
    office.back(0)
    told = [event for event in office.said if event.startswith("clock_")]
    assert told == [
        *("clock_measured", "clock_not_trusted", "clock_measured", "clock_measured"),
        "clock_trusted_again",
    ]


def test_a_first_probe_is_awaited_until_it_is_back_or_was_refused(office: Office):
    awaited = [office.prober.awaited]
    office.after(0)
    awaited.append(office.prober.awaited)
    office.back()
    awaited.append(office.prober.awaited)
    office.failing, office.policy = True, make_policy(clock_probe_valid_seconds=1)
    office.after(3600)
    assert [*awaited, office.prober.awaited] == [True, True, False, False]


def test_after_a_lost_connection_a_probe_is_awaited_unless_one_has_just_been_back(office: Office):
    office.after(0)
    office.back()
    office.prober.reconnected()
    awaited = [office.prober.awaited]
    office.seconds = office.steady = 60
    awaited.append(office.prober.awaited)
    office.after(0)
    awaited.append(office.prober.awaited)
    office.back()
    assert [*awaited, office.prober.awaited] == [False, True, True, False]


def test_a_restart_awaits_its_own_probe_whatever_was_measured_before(office: Office):
    office.after(0)
    office.back()
    again = replace(office, sent=[], said=[])
    awaited = [again.prober.awaited]
    again.after(10)
    again.back()
    assert [*awaited, again.prober.awaited] == [True, False]


def test_only_a_probe_on_its_way_hurries(office: Office):
    office.after(0)
    hurried = [office.prober.hurries]
    office.after(61)
    hurried.append(office.prober.hurries)
    office.back()
    assert [*hurried, office.prober.hurries] == [True, False, False]


def test_the_mail_is_ours_automatic_and_says_what_it_is():
    raw = compose_probe(PROBE, ADDRESS)
    assert probe_id(raw) == PROBE.message_id
    assert b"Auto-Submitted: auto-generated\r\n" in raw
    assert compose_probe(PROBE, ADDRESS) == raw


@pytest.mark.parametrize(
    "headers",
    [
        b"Subject: x",
        b"Countersign-Probe: nothing of ours",
        b"Countersign-Probe: " + b"clock.7." + b"a" * 31 + b"@c.example",
        b"Countersign-Probe: clock.1."
        + b"a" * 32
        + b"@c.example\r\nCountersign-Probe: clock.2."
        + b"b" * 32
        + b"@c.example",
        b"Countersign-Probe: clock.1." + b"a" * 32 + b'@c.example" UID 1:*',
    ],
)
def test_what_does_not_look_like_a_probe_is_none(headers: bytes):
    assert probe_id(headers + b"\r\n\r\nx") is None


def test_a_probe_that_somebody_made_up_is_not_ours(office: Office):
    office.after(0)
    assert not office.prober.returned(f"clock.1.{'a' * 32}@c.example", NOON)
    assert office.ledger.probes("m")[0].seen_at is None
