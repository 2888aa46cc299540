"""Probe mails: our own mail to our own mailbox, whose receipt time shows what the mail server's clock says.

Sent at the start and every ``clock_probe_seconds`` of the policy, at once when our own clock was set, and every minute while
nothing is known of the server's. A probe is read once and removed, so that none pile up.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Protocol

from mail.errors import SmtpError, SmtpUnknown
from mail.headers import read_headers
from mail.ports import Deliver, Report
from policies.clock import Clock, skew_of, verdict_of
from wire.clock import ClockProbe
from wire.policy import Policy

HEADER = "Countersign-Probe"
RETRY_SECONDS = 60.0
MISSING_SECONDS = 600.0
HURRY_SECONDS = 60.0
LOOK_SECONDS = 5.0
AWAITED_SECONDS = 10.0
PATIENT_AFTER = 5
CLOCK_STEP_SECONDS = 1.0
_ID = re.compile(r"<?(clock\.[0-9]{1,9}\.[0-9a-f]{32}@[A-Za-z0-9.-]{1,200})>?")


class Probes(Protocol):
    """The ledger's memory of probes."""

    def begin_probe(self, mailbox: str, domain: str, at: datetime) -> ClockProbe:
        """Record the next one before it is sent."""

    def probe_accepted(self, message_id: str, at: datetime) -> None:
        """The mail server took it."""

    def probe_failed(self, message_id: str, failure: str) -> None:
        """The mail server did not take it."""

    def probe_returned(self, message_id: str, stored_at: datetime, seen_at: datetime, policy: Policy) -> bool:
        """It stands in the mailbox; False when it is none of ours."""

    def probes(self, mailbox: str, limit: int = ...) -> Sequence[ClockProbe]:
        """The newest ones, newest first."""

    def clock(self, mailbox: str, policy: Policy, at: datetime) -> Clock:
        """What the gates reckon with."""


def compose_probe(probe: ClockProbe, address: str) -> bytes:
    """The mail, a pure function of its row. It names no run and asks for nothing."""
    lines = [
        f"Date: {format_datetime(probe.sent_at.astimezone(UTC))}",
        f"From: {address}",
        f"To: {address}",
        f"Message-ID: <{probe.message_id}>",
        f"Subject: Countersign clock probe {probe.number}",
        f"{HEADER}: {probe.message_id}",
        "Countersign-Message-Type: clock_probe",
        "Auto-Submitted: auto-generated",
        "X-Auto-Response-Suppress: All",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=us-ascii",
        "",
        "This mail measures the clock of the mail server. It is removed as soon as it is read.",
        "",
    ]
    return "\r\n".join(lines).encode("ascii")


def probe_id(raw_headers: bytes) -> str | None:
    """The id of what looks like a probe of ours; whether it is one, the ledger knows."""
    if HEADER.lower().encode() not in raw_headers.lower():
        return None
    found = read_headers(raw_headers).all(HEADER)
    named = _ID.fullmatch(found[0].strip()) if len(found) == 1 else None
    return named[1] if named else None


@dataclass
class Prober:
    """Sends probes of one mailbox when they are due and hands over what came back. ``tick`` may block on the mail server."""

    ledger: Probes
    mailbox: str
    address: str
    deliver: Deliver
    policy: Callable[[], Policy]
    report: Report
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    _outstanding: datetime | None = None
    _fault: str | None = None
    _clocks: tuple[datetime, float] | None = None
    _begun: bool = field(default=False)
    _soon: bool = field(default=False)

    def tick(self) -> bool:
        """Send a probe if one is due; whether one was sent. Trouble with the mail server is recorded and reported."""
        policy, at = self.policy(), self.now()
        stepped = self._own_clock_stepped(at)
        if not policy.clock_probe_seconds:
            return False
        if self._begun:
            self._say(policy, at)
        if not (stepped or self._due(policy, at)):
            return False
        return self._send()

    def returned(self, message_id: str, stored_at: datetime) -> bool:
        """A mail that looks like a probe stands in the mailbox; whether it is ours."""
        policy, at = self.policy(), self.now()
        if not self.ledger.probe_returned(message_id, stored_at, at, policy):
            return False
        self._outstanding = None
        newest = next(iter(self.ledger.probes(self.mailbox, 1)), None)
        skew = skew_of(newest) if newest is not None and newest.message_id == message_id else None
        if skew is not None:
            facts = {"skew": str(skew), "verdict": verdict_of(skew, policy.clock_skew_bound_seconds)}
            self.report("clock_measured", {"mailbox": self.mailbox, **facts})
        self._say(policy, at)
        return True

    @property
    def hurries(self) -> bool:
        """A probe has just been sent: the sooner it is seen, the tighter it bounds the skew."""
        sent = self._outstanding
        return sent is not None and timedelta() <= self.now() - sent < timedelta(seconds=HURRY_SECONDS)

    def reconnected(self) -> None:
        """The mail server was away: it may be another one, or its clock another. Measured within a minute."""
        self._soon = True

    @property
    def awaited(self) -> bool:
        """A probe is on its way, or is about to be sent at a start or after a lost connection: what an earlier one said may
        hold no longer, and without one what may well count would be kept back.
        """
        policy = self.policy()
        if not policy.clock_probe_seconds:
            return False
        if not self._begun or self._outstanding is not None:
            return True
        return self._soon and self._due(policy, self.now())

    def _due(self, policy: Policy, at: datetime) -> bool:
        recent = self.ledger.probes(self.mailbox, PATIENT_AFTER)
        if not self._begun or not recent:
            return True
        newest = recent[0]
        skew = skew_of(newest)
        if self._soon:
            wait = RETRY_SECONDS
        elif skew is not None and verdict_of(skew, policy.clock_skew_bound_seconds) == "right":
            wait = float(policy.clock_probe_seconds)
        elif newest.seen_at is None and newest.failure is None:
            wait = MISSING_SECONDS
            if at - newest.sent_at >= timedelta(seconds=wait):
                self.report("clock_probe_missing", {"mailbox": self.mailbox, "sent_at": newest.sent_at.isoformat()})
        else:
            refused_each_time = len(recent) == PATIENT_AFTER and all(probe.failure for probe in recent)
            wait = MISSING_SECONDS if refused_each_time else RETRY_SECONDS
        return at - newest.sent_at >= timedelta(seconds=min(wait, policy.clock_probe_seconds))

    def _send(self) -> bool:
        probe = self.ledger.begin_probe(self.mailbox, self.address.rpartition("@")[2], self.now())
        self._outstanding, self._begun, self._soon = probe.sent_at, True, False
        try:
            self.deliver(compose_probe(probe, self.address), self.address, self.address)
        except SmtpUnknown as error:  # it may come back all the same
            self.report("clock_probe_unknown", {"mailbox": self.mailbox, "error": str(error)})
        except SmtpError as error:
            self._outstanding = None
            self.ledger.probe_failed(probe.message_id, str(error))
            self.report("clock_probe_failed", {"mailbox": self.mailbox, "error": str(error)})
            return False
        else:
            self.ledger.probe_accepted(probe.message_id, self.now())
        return True

    def _say(self, policy: Policy, at: datetime) -> None:
        """Say once when no YES counts any more, and once when it does again."""
        fault = self.ledger.clock(self.mailbox, policy, at).fault
        if fault and fault != self._fault:
            self.report("clock_not_trusted", {"mailbox": self.mailbox, "fault": fault, "so": "no yes is accepted"})
        elif self._fault and not fault:
            self.report("clock_trusted_again", {"mailbox": self.mailbox})
        self._fault = fault

    def _own_clock_stepped(self, at: datetime) -> bool:
        """Did wall clock and steady clock part since the last look? Then what was measured holds no longer."""
        before, self._clocks = self._clocks, (at, self.monotonic())
        if before is None:
            return False
        passed = (at - before[0]).total_seconds() - (self._clocks[1] - before[1])
        if abs(passed) < CLOCK_STEP_SECONDS:
            return False
        self.report("own_clock_set", {"by_seconds": round(passed, 1)})
        return True
