"""An outcome that nobody can prove, settled on an operator's word. Nothing is sent by it, and it never reads like a proof."""

from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, select, update

from ledger import audit
from ledger.blocking import settle_steps
from ledger.content import put_model
from ledger.errors import ActRefused, LedgerError
from ledger.operator_acts import enter_act
from ledger.outbox import act_id, add_signal
from ledger.reviews import read_reviews
from ledger.run_changes import ProvenAct, acts_of, changes_of
from ledger.runs import read_run, require_open
from ledger.schema_approval import EFFECTS, VOTES
from ledger.text import storable
from ledger.transactions import Store
from policies.people import requester_persons, speakers_for
from policies.run_rules import policy_for_run
from wire.base import Wire
from wire.call import ExecutedCall
from wire.policy import Policy
from wire.task import RunState

SETTLE: Final = "settle"
Of = Literal["unknown", "difference"]
"""What waits for a word: whether the write took effect, or that it reads back otherwise than it was sent."""


class Saw(Wire):
    """What the operator found out: ``key`` names what the write made or changed, ``evidence`` says where it was seen."""

    outcome: Literal["succeeded", "failed"]
    key: dict[str, str] = {}
    evidence: str = ""


class Settlement(Saw):
    """An operator's word on the outcome of a step's write."""

    step: int
    of: Of
    actor: str
    reason: str

    def in_words(self) -> str:
        """For audit trail, agent and receipt."""
        took = "took effect" if self.outcome == "succeeded" else "did not take effect as approved"
        took = f"{took}, as it reads back" if (self.of, self.outcome) == ("difference", "succeeded") else took
        seen = f" (seen: {self.evidence})" if self.evidence else ""
        return f"settled by {self.actor}, not proven by the service: the write {took}{seen}; {self.reason}"


class Settling(Store):
    """From an operator's word to the outcome of a write."""

    def settle(self, run_id: str, actor: str, reason: str, saw: Saw, policy: Policy, at: datetime) -> int:
        """Record the word and wake the run, which looks at the service once more before it takes it. Answers the step.

        Raises ActRefused unless the run stands in outcome_unknown and the actor neither asked for it nor approves in it.
        """
        with self.writing(run_id) as connection:
            require_open(connection, run_id)
            step, of = _waiting(connection, run_id)
            acts = acts_of(connection, run_id)
            _check_actor(connection, run_id, actor, policy_for_run(policy, changes_of(acts)))
            before = _word_on(acts, step, of)
            if before is not None:
                raise ActRefused(
                    f"step {step} of run {run_id} was settled by {before.actor} ({before.outcome}): it is carried out as soon"
                    " as a worker takes it up"
                )
            details: dict[str, Any] = {"step": step, "settled": saw.outcome, "of": of}
            details |= {"key": saw.key, "evidence": storable(saw.evidence, 2000)}
            enter_act(connection, run_id, SETTLE, actor, "operator", reason, at, details)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)
            return step

    def settlement(self, run_id: str, step: int, of: Of | None = None) -> Settlement | None:
        """The operator's word on a step's write, on this question or the last one on any, from the audit chain."""
        with self.reading() as connection:
            return _word_on(acts_of(connection, run_id), step, of)

    def settled_by(self, effect_key: str) -> str:
        """Who settled the effect; empty while it stands on what the service said, or is open."""
        query = select(EFFECTS.c.settled_by).where(EFFECTS.c.effect_key == effect_key)
        with self.reading() as connection:
            return connection.scalar(query) or ""

    def record_settled(self, effect_key: str, word: Settlement, executed: ExecutedCall | None, at: datetime) -> None:
        """The outcome as settled, visibly not proven. ``executed``: what is known of a write whose answer nobody saw.

        The same again changes nothing. A write that the service answered keeps that answer; only how it reads back is settled.
        """
        outcome = "executed" if word.outcome == "succeeded" else "failed"
        with self.reading() as connection:
            run_id = _effect(connection, effect_key).run_id
        with self.writing(run_id) as connection:
            row = _effect(connection, effect_key)
            if row.settled_by:
                return
            if row.outcome not in ("unknown", "executed"):
                raise LedgerError(f"effect {effect_key} is recorded as {row.outcome}: there is nothing to settle")
            named = {"executed": put_model(connection, executed, at)} if executed is not None else {}
            known = row.result_digest if outcome == "executed" else None
            values = {"outcome": outcome, "guard_open": None, "result_digest": named.get("executed", known)}
            values |= {"settled_by": word.actor, "recorded_at": at}
            connection.execute(update(EFFECTS).where(EFFECTS.c.effect_key == effect_key).values(**values))
            settle_steps(connection, run_id)
            payload = {"step": row.step, "review": row.review, "effect_key": effect_key, "outcome": outcome}
            payload |= {"call_digest": row.call_digest, "settled_by": word.actor, "said": word.in_words()}
            named |= {"executed": known} if known and not named else {}
            audit.append(connection, run_id, "effect_recorded", at, payload, named)


def _word_on(acts: tuple[ProvenAct, ...], step: int, of: Of | None) -> Settlement | None:
    for act in reversed(acts):
        said = act.details
        if act.kind == SETTLE and said.get("step") == step and of in (None, said["of"]):
            saw = {"outcome": said["settled"], "key": said["key"], "evidence": said["evidence"]}
            return Settlement(step=step, of=said["of"], actor=act.actor, reason=act.reason, **saw)
    return None


def _waiting(connection: Connection, run_id: str) -> tuple[int, Of]:
    """The step whose write waits for a person, and with what question."""
    run = read_run(connection, run_id)
    if run.state is not RunState.OUTCOME_UNKNOWN:
        halted = ": 'release' it first" if run.state is RunState.HALTED else ""
        raise ActRefused(f"run {run_id} is {run.state.value}, not outcome_unknown{halted}; there is nothing to settle")
    query = select(EFFECTS).where(EFFECTS.c.run_id == run_id).order_by(EFFECTS.c.step.desc())
    newest = connection.execute(query).first()
    if newest is None or newest.outcome not in ("unknown", "executed"):
        raise ActRefused(f"no write of run {run_id} waits for its outcome")
    return int(newest.step), "unknown" if newest.outcome == "unknown" else "difference"


def _check_actor(connection: Connection, run_id: str, actor: str, policy: Policy) -> None:
    """Whoever asked, may approve or did approve in this run, or may speak for one who does, does not settle what came of it."""
    requester = read_run(connection, run_id).task.requester
    asked = requester_persons(policy, requester)
    if actor in speakers_for(policy, asked):
        raise ActRefused(f"{actor} asked for run {run_id}, or may speak for who did: somebody else must settle it")
    seats = {seat.person for review in read_reviews(connection, run_id) for seat in review.plan.approvers}
    votes = connection.execute(select(VOTES.c.person, VOTES.c.principal).where(VOTES.c.run_id == run_id))
    said = {person for vote in votes for person in vote}
    if actor in speakers_for(policy, seats | said):
        raise ActRefused(f"{actor} approves in run {run_id}, or may speak for who does: somebody else must settle it")


def _effect(connection: Connection, effect_key: str) -> Row[Any]:
    row = connection.execute(select(EFFECTS).where(EFFECTS.c.effect_key == effect_key)).one_or_none()
    if row is None:
        raise LedgerError(f"no intent was opened under {effect_key}")
    return row
