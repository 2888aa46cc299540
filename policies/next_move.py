"""What a parked run does next: the decision gate as the workflow applies it (checks 6-7 again, and the deadline)."""

from datetime import datetime, timedelta
from enum import StrEnum

from policies.decision_checks import check_decision
from policies.review import deadline_settled
from wire.activity_signatures import DecisionAnswer
from wire.approval import DecisionRecord, Outcome, SentRequest
from wire.task import RunState


class Move(StrEnum):
    """The workflow's next move for one review."""

    WAIT = "wait"
    PROCEED = "proceed"
    REJECT = "reject"
    FRESH_LATE = "fresh_late"
    OVERDUE = "overdue"
    UNDELIVERABLE = "undeliverable"
    HALT = "halt"
    CANCEL = "cancel"
    ASK_AGAIN = "ask_again"


def next_move(sent: SentRequest, answer: DecisionAnswer, now: datetime) -> Move:
    """The move that the ledger's answer allows. The receipt time decides, never the order of timer and signal."""
    if answer.run_state is RunState.HALTED:
        return Move.HALT
    if answer.run_state is RunState.CANCELLED:
        return Move.CANCEL
    move = Move.WAIT if answer.decision is None else _decided(sent, answer.decision)
    # A NO stands whatever an operator did; a YES to a review that an operator ended does not.
    if answer.asked_again and move not in (Move.REJECT, Move.HALT):
        return Move.ASK_AGAIN
    if move is not Move.WAIT:
        return move
    if sent.deadline is None:
        return Move.WAIT
    settled = deadline_settled(now, sent.deadline, sent.grace_seconds, read_past=answer.read_past)
    return Move.OVERDUE if settled else Move.WAIT


def _decided(sent: SentRequest, record: DecisionRecord) -> Move:
    if record.run_id != sent.run_id:
        return Move.WAIT
    if record.outcome is Outcome.COLLISION:
        return Move.HALT
    if record.step != sent.step:
        return Move.WAIT
    if record.outcome is Outcome.REJECTED:
        return Move.REJECT
    if record.review != sent.review:
        return Move.WAIT
    if record.outcome is Outcome.UNDELIVERABLE:
        return Move.UNDELIVERABLE
    if record.outcome is Outcome.LATE:
        return Move.FRESH_LATE
    if record.outcome is Outcome.ACCEPTED:
        return _accepted(sent, record)
    return Move.WAIT


def _accepted(sent: SentRequest, record: DecisionRecord) -> Move:
    """An accepted record is judged once more: for this request, in time, and by as many as the quorum asks."""
    outcome = check_decision(record, sent, sent.clock_skew_seconds).outcome
    if outcome is Outcome.LATE:
        return Move.FRESH_LATE
    return Move.PROCEED if outcome is Outcome.ACCEPTED and record.approvals >= sent.quorum else Move.WAIT


def wake_at(sent: SentRequest, reminded: bool, now: datetime) -> datetime | None:
    """When to look again without a signal: reminder, deadline, then every tenth of the grace period (1 s at least)."""
    if sent.deadline is None:
        return None
    if not reminded and sent.reminder_at is not None and now < sent.reminder_at:
        return sent.reminder_at
    if now < sent.deadline:
        return sent.deadline
    return now + timedelta(seconds=max(1.0, sent.grace_seconds / 10))
