"""What probe mails say of the mail server's clock, and whether its receipt times can be believed.

Skew is the server's clock less ours, in seconds. A probe was stored between ``sent_at`` and ``seen_at`` of our clock; the
server's clock then read at least INTERNALDATE and less than a second more. So it lies in [stored - seen, stored + 1 - sent].
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from wire.clock import ClockProbe
from wire.policy import Policy

INTERNALDATE_STEP = 1.0
UNTRUSTED = "the mail server's clock is not known to be right"
"""The reason of every YES that was kept back for the clock."""

Verdict = Literal["right", "wrong", "open"]


@dataclass(frozen=True)
class Skew:
    """Bounds of the server's clock less ours, in seconds."""

    low: float
    high: float

    @property
    def worst(self) -> float:
        """The greatest distance between the clocks that the measurement leaves possible."""
        return max(abs(self.low), abs(self.high))

    @property
    def least(self) -> float:
        """The distance that it proves."""
        return max(self.low, -self.high, 0.0)

    def __str__(self) -> str:
        return f"{self.low:+.1f} to {self.high:+.1f} s"


@dataclass(frozen=True)
class Clock:
    """What the gates reckon with. ``ahead``: by how much the server's clock is ahead of ours at least, negative when it may be
    behind. ``fault`` says why no receipt time can be believed; empty when they can."""

    ahead: float = 0.0
    fault: str = ""
    probe: ClockProbe | None = None
    skew: Skew | None = None


Told = tuple[ClockProbe, Skew, Verdict]


def skew_of(probe: ClockProbe) -> Skew | None:
    """The bounds that a probe gives; None when it has not come back, or our own clock went backwards meanwhile."""
    if probe.stored_at is None or probe.seen_at is None or probe.seen_at < probe.sent_at:
        return None
    low = (probe.stored_at - probe.seen_at).total_seconds()
    return Skew(low, (probe.stored_at - probe.sent_at).total_seconds() + INTERNALDATE_STEP)


def verdict_of(skew: Skew, bound: float) -> Verdict:
    """Right: within the bound whatever the truth is. Wrong: beyond it for certain. Open: the mail took too long to tell."""
    if skew.worst <= bound:
        return "right"
    return "wrong" if skew.least > bound else "open"


def read_clock(probes: Iterable[ClockProbe], policy: Policy, at: datetime) -> Clock:
    """What stands at ``at``, by the newest probe that told anything. ``probes``: newest first, read no further than needed.

    A probe that took so long that it leaves everything open replaces no measurement: slow mail says nothing of clocks.
    """
    return _standing(next(_telling(probes, policy), None), policy, at)


def _standing(told: Told | None, policy: Policy, at: datetime) -> Clock:
    if told is None:
        return Clock(fault="it was not measured yet: no probe mail has come back")
    probe, skew, verdict = told
    if verdict == "wrong":
        fault = f"the mail server's clock is {skew} off ours, more than {policy.clock_skew_bound_seconds:g} s"
        return Clock(skew.low, fault, probe, skew)
    if probe.seen_at is None or abs(at - probe.seen_at) > timedelta(seconds=policy.clock_probe_valid_seconds):
        return Clock(skew.low, f"it was last measured at {probe.seen_at:%Y-%m-%d %H:%M:%S} UTC", probe, skew)
    return Clock(skew.low, "", probe, skew)


def clock_for(probes: Iterable[ClockProbe], policy: Policy, received_at: datetime, at: datetime) -> Clock:
    """What stands for one mail, judged at ``at``.

    A receipt time in our future shows that the server's clock has gone ahead since it was measured; and what came before the
    measurement that found the clock right is believed only if the one before that did not find it wrong.
    """
    newest, before = (*islice(_telling(probes, policy), 2), None, None)[:2]
    clock = _standing(newest, policy, at)
    ahead = (received_at - at).total_seconds()
    if clock.fault or clock.probe is None or clock.probe.stored_at is None:
        return clock
    if ahead > policy.clock_skew_bound_seconds:
        return Clock(clock.ahead, f"the mail was received {ahead:.0f} s in our future", clock.probe, clock.skew)
    if received_at < clock.probe.stored_at and before is not None and before[2] == "wrong":
        return Clock(clock.ahead, "it was wrong until after the mail was received", clock.probe, clock.skew)
    return clock


def _telling(probes: Iterable[ClockProbe], policy: Policy) -> Iterator[Told]:
    """Probes that leave nothing open, newest first, with what they say."""
    for probe in probes:
        skew = skew_of(probe)
        verdict = "open" if skew is None else verdict_of(skew, policy.clock_skew_bound_seconds)
        if skew is not None and verdict != "open":
            yield probe, skew, verdict
