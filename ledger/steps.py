"""Turns of the brain, the steps they were handed, verdicts on their calls, and what the brain was told back."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from ledger import audit
from ledger.blocking import read_blocks
from ledger.content import get_content, put_model
from ledger.errors import DigestAlreadyAsked, StepUnknown
from ledger.records import StepRow
from ledger.runs import enter_state, require_open
from ledger.schema import OBSERVATIONS, STEPS, TURNS
from ledger.schema_approval import ASKED
from ledger.transactions import Store
from wire.agent import Observation, Turn
from wire.call import ValidatedCall, Verdict
from wire.task import RunState


def read_step(connection: Connection, run_id: str, step: int) -> StepRow:
    """The step. Raises StepUnknown."""
    row = connection.execute(select(STEPS).where(STEPS.c.run_id == run_id, STEPS.c.step == step)).one_or_none()
    if row is None:
        raise StepUnknown(run_id, step)
    return StepRow.model_validate(dict(row._mapping))


def check_not_asked(connection: Connection, run_id: str, step: int, call_digest: str) -> bool:
    """Whether this step asked for the call before; raises DigestAlreadyAsked when another step did."""
    query = select(ASKED.c.step).where(ASKED.c.run_id == run_id, ASKED.c.call_digest == call_digest)
    asked_at = connection.scalar(query)
    if asked_at is not None and asked_at != step:
        raise DigestAlreadyAsked(run_id, asked_at, call_digest)
    return asked_at is not None


class Steps(Store):
    """From turn to validated call. Steps count from 1 over the whole run and never restart."""

    def next_step(self, run_id: str, turn: int, record: Turn, context_digest: str, at: datetime) -> int:
        """Record a turn (from 1) and hand out its step, which the run is now at; turns that are no call get 0.

        The first record of a turn wins: a caller that raced or was retried reads it back with ``turn``.
        """
        with self.writing(run_id) as connection:
            known = connection.execute(
                select(TURNS).where(TURNS.c.run_id == run_id, TURNS.c.turn == turn)
            ).one_or_none()
            if known is not None:
                return int(known.step or 0)
            require_open(connection, run_id)
            return _record_turn(connection, run_id, turn, record, context_digest, at)

    def turn(self, run_id: str, turn: int) -> Turn | None:
        """The recorded turn, so that a retried activity asks no model twice."""
        query = select(TURNS.c.turn_digest).where(TURNS.c.run_id == run_id, TURNS.c.turn == turn)
        with self.reading() as connection:
            digest = connection.scalar(query)
            return None if digest is None else Turn.model_validate_json(get_content(connection, digest))

    def step_of(self, run_id: str, turn: int) -> int | None:
        """The step that a recorded turn was handed (0 for no call); None when the turn is not recorded."""
        with self.reading() as connection:
            row = connection.execute(
                select(TURNS.c.step).where(TURNS.c.run_id == run_id, TURNS.c.turn == turn)
            ).one_or_none()
        return None if row is None else int(row.step or 0)

    def step(self, run_id: str, step: int) -> StepRow:
        """The step. Raises StepUnknown."""
        with self.reading() as connection:
            return read_step(connection, run_id, step)

    def steps(self, run_id: str) -> tuple[StepRow, ...]:
        """All steps of the run in order."""
        query = select(STEPS).where(STEPS.c.run_id == run_id).order_by(STEPS.c.step)
        with self.reading() as connection:
            return tuple(StepRow.model_validate(dict(row._mapping)) for row in connection.execute(query))

    def proposal(self, run_id: str, step: int) -> Turn:
        """The turn that proposed this step's call."""
        with self.reading() as connection:
            turn = read_step(connection, run_id, step).turn
            query = select(TURNS.c.turn_digest).where(TURNS.c.run_id == run_id, TURNS.c.turn == turn)
            return Turn.model_validate_json(get_content(connection, connection.scalars(query).one()))

    def record_verdict(
        self, run_id: str, step: int, verdict: Verdict, validated: ValidatedCall | None, at: datetime
    ) -> None:
        """Record what validation said of the step's call, at first or anew after a drift.

        Raises DigestAlreadyAsked when a write with these bytes was put to an approver at another step of this run.
        """
        with self.writing(run_id) as connection:
            before = read_step(connection, run_id, step)
            if validated is not None and validated.call.method != "GET":
                check_not_asked(connection, run_id, step, validated.digest)
            _record_verdict(connection, before, verdict, validated, at)

    def validated(self, run_id: str, step: int) -> ValidatedCall | None:
        """The step's call as last validated; None while it is not valid."""
        with self.reading() as connection:
            digest = read_step(connection, run_id, step).validated_digest
            return None if digest is None else ValidatedCall.model_validate_json(get_content(connection, digest))

    def observe(self, run_id: str, turn: int, observation: Observation, at: datetime) -> None:
        """Record what the brain is told of a turn; the same observation again changes nothing."""
        with self.writing(run_id) as connection:
            digest = put_model(connection, observation, at)
            here = (OBSERVATIONS.c.run_id == run_id, OBSERVATIONS.c.turn == turn, OBSERVATIONS.c.digest == digest)
            if connection.scalar(select(OBSERVATIONS.c.position).where(*here)) is not None:
                return
            count = select(func.count()).select_from(OBSERVATIONS).where(OBSERVATIONS.c.run_id == run_id)
            position = connection.scalars(count).one() + 1
            values = {"run_id": run_id, "turn": turn, "position": position, "digest": digest, "at": at}
            connection.execute(insert(OBSERVATIONS).values(**values))
            payload = {"turn": turn, "kind": observation.kind}
            audit.append(connection, run_id, "observation_recorded", at, payload, {"observation": digest})

    def observations(self, run_id: str) -> tuple[Observation, ...]:
        """Everything that the brain was told, in order."""
        query = select(OBSERVATIONS.c.digest).where(OBSERVATIONS.c.run_id == run_id).order_by(OBSERVATIONS.c.position)
        with self.reading() as connection:
            digests = connection.scalars(query).all()
            return tuple(Observation.model_validate_json(get_content(connection, digest)) for digest in digests)


def _record_turn(
    connection: Connection, run_id: str, turn: int, record: Turn, context_digest: str, at: datetime
) -> int:
    step = 0
    if record.action == "call":
        highest = connection.scalar(select(func.max(STEPS.c.step)).where(STEPS.c.run_id == run_id))
        step = (highest or 0) + 1
        is_open = int(not read_blocks(connection, run_id, step))
        connection.execute(insert(STEPS).values(run_id=run_id, step=step, turn=turn, is_open=is_open))
    digest = put_model(connection, record, at)
    values = {"run_id": run_id, "turn": turn, "step": step or None, "action": record.action, "at": at}
    connection.execute(insert(TURNS).values(**values, turn_digest=digest, context_digest=context_digest))
    models = [[x.brain, x.model, x.prompt_version, x.stage] for x in record.exchanges]
    payload = {"turn": turn, "step": step, "action": record.action, "exchanges": models}
    audit.append(connection, run_id, "turn_recorded", at, payload, {"turn": digest, "context": context_digest})
    if step:
        enter_state(connection, run_id, RunState.VALIDATING, f"step {step}", at)
    return step


def _record_verdict(
    connection: Connection, before: StepRow, verdict: Verdict, validated: ValidatedCall | None, at: datetime
) -> None:
    named = {"verdict": put_model(connection, verdict, at)}
    values: dict[str, str | None] = {"verdict_digest": named["verdict"], "validated_digest": None, "call_digest": None}
    if validated is not None:
        named["validated"] = put_model(connection, validated, at)
        values |= {"validated_digest": named["validated"], "call_digest": validated.digest}
    if values.items() <= before.model_dump().items():
        return
    here = (STEPS.c.run_id == before.run_id, STEPS.c.step == before.step)
    connection.execute(update(STEPS).where(*here).values(**values))
    payload: dict[str, Any] = {
        "step": before.step,
        "kind": verdict.kind,
        "findings": [f.rule for f in verdict.findings],
    }
    payload |= {"call_digest": values["call_digest"], "graph_hash": verdict.graph_hash}
    payload |= {"metadata_digest": verdict.metadata_digest}
    audit.append(connection, before.run_id, "verdict_recorded", at, payload, named)
