"""The decision gate, checks 6 to 8 (design.md section 4): does a believed mail count?

A NO needs less than a YES: it counts for any review of a step that is not dispatched, whatever the deadline.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from policies.clock import UNTRUSTED, Clock
from policies.ruling import Ruling
from wire.approval import DecisionRecord, Outcome, SentRequest
from wire.mail import Answer


@dataclass(frozen=True)
class ReviewFacts:
    """What the ledger knows of the review that a mail answers, at the moment of judging."""

    opens_at: datetime | None
    deadline: datetime
    waiting: bool = True
    run_closed: bool = False
    dispatched: bool = False
    said_no: bool = False
    halted: bool = False
    decided: bool = False
    person_said_yes: bool = False
    person_barred: bool = False


def check_window(
    received_at: datetime,
    opens_at: datetime | None,
    deadline: datetime,
    skew_seconds: float = 0.0,
    ahead_seconds: float = 0.0,
) -> Ruling | None:
    """Check 7: accepted <= received <= deadline, both edges with the clock skew against us.

    ``skew_seconds`` is reckoned with at both edges; ``ahead_seconds`` is measured: by how much the server's clock is ahead of
    ours at least (negative: how far it may be behind), and counts at the edge that it moves. IMAP's INTERNALDATE has whole
    seconds (RFC 9051 section 2.3.3), so that the second of acceptance counts as after it, and of ``ahead_seconds`` only whole
    ones count there: half a second between two clocks must not make a quick answer early.
    """
    early = timedelta(seconds=max(abs(skew_seconds), float(int(ahead_seconds))))
    late = timedelta(seconds=max(abs(skew_seconds), -ahead_seconds))
    if opens_at is None or received_at - early < opens_at.replace(microsecond=0):
        return Ruling(Outcome.LATE, "received before the request was accepted", 7)
    if received_at + late > deadline:
        return Ruling(Outcome.LATE, "received after the deadline", 7)
    return None


def judge_no(facts: ReviewFacts) -> Ruling:
    """A NO by somebody who may give it."""
    if facts.dispatched:
        return Ruling(Outcome.REFUSED, "already dispatched", 6)
    return Ruling(Outcome.REJECTED, "rejected again" if facts.said_no else "rejected", 8)


def check_waiting(answer: Answer, facts: ReviewFacts) -> Ruling | None:
    """Check 6: is the mail for the step and review now waiting?"""
    if facts.said_no:
        return Ruling(Outcome.REFUSED, "already rejected", 6)
    if facts.dispatched or (answer == "approve" and facts.waiting and (facts.person_said_yes or facts.decided)):
        return Ruling(Outcome.IGNORED, "already decided", 6)
    if facts.run_closed:
        return Ruling(Outcome.REFUSED, "the run is closed", 6)
    if facts.halted:
        return Ruling(Outcome.REFUSED, "the run is halted", 6)
    if not facts.waiting:
        return Ruling(Outcome.REFUSED, "superseded", 6)
    if facts.person_barred:
        return Ruling(Outcome.REFUSED, "sender acted as operator in this run", 6)
    return None


def check_clock(answer: Answer, clock: Clock) -> Ruling | None:
    """Check 7 without a receipt time that can be believed: no YES counts, and nothing says that it was late either."""
    return Ruling(Outcome.REFUSED, UNTRUSTED, 7) if clock.fault and answer == "approve" else None


def judge_answer(
    answer: Answer,
    answer_reason: str,
    facts: ReviewFacts,
    received_at: datetime,
    skew: float,
    clock: Clock | None = None,
) -> Ruling:
    """Checks 6 to 8 for a mail that passed 1 to 5. ``clock``: what is measured of the mail server's, None where nothing is."""
    if answer == "reject":
        return judge_no(facts)
    known = clock or Clock()
    window = None if known.fault else check_window(received_at, facts.opens_at, facts.deadline, skew, known.ahead)
    for ruling in (check_waiting(answer, facts), check_clock(answer, known), window):
        if ruling is not None:
            return ruling
    if answer == "approve":
        return Ruling(Outcome.ACCEPTED, "approved", 8)
    return Ruling(Outcome.UNCLEAR, answer_reason or "no clear answer", 8)


def check_decision(record: DecisionRecord, sent: SentRequest, skew_seconds: float = 0.0) -> Ruling:
    """The decision gate once more, in the workflow, over what the ledger recorded.

    Only an accepted record is judged again (it must be for this request and in time); whatever else was recorded stays.
    """
    if record.outcome is not Outcome.ACCEPTED:
        return Ruling(record.outcome, record.reason, 8)
    here = (sent.run_id, sent.step, sent.review, sent.call_digest)
    if (record.run_id, record.step, record.review, record.call_digest) != here:
        return Ruling(Outcome.REFUSED, "superseded", 6)
    if record.received_at is None or sent.deadline is None:
        return Ruling(Outcome.REFUSED, "no receipt time", 7)
    ahead = record.clock_skew_seconds or 0.0
    late = check_window(record.received_at, sent.opens_at or sent.accepted_at, sent.deadline, skew_seconds, ahead)
    return late or Ruling(Outcome.ACCEPTED, record.reason, 8)
