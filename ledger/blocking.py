"""What speaks against a write, and what keeps it apart from an open intent."""

from datetime import datetime

from sqlalchemy import Connection, exists, insert, or_, select, update

from ledger import audit, outbox
from ledger.records import Block
from ledger.schema import RUNS, STEPS
from ledger.schema_approval import BLOCKS, EFFECTS
from ledger.text import storable
from wire.task import FINAL_STATES, RunState


def open_intents(connection: Connection, run_id: str, step: int | None = None) -> tuple[int, ...]:
    """Steps of the run (or that step) with a write whose outcome is not recorded."""
    query = select(EFFECTS.c.step).where(EFFECTS.c.run_id == run_id, EFFECTS.c.guard_open == 1)
    return tuple(connection.scalars(query if step is None else query.where(EFFECTS.c.step == step)))


def add_block(
    connection: Connection,
    run_id: str,
    step: int | None,
    kind: str,
    reason: str,
    at: datetime,
    *,
    evidence_id: str | None = None,
    actor: str | None = None,
) -> bool:
    """Record a block. False when a write is under way: then it waits for that write's outcome."""
    waits = bool(open_intents(connection, run_id, step))
    values = {"run_id": run_id, "step": step, "kind": kind, "reason": storable(reason), "at": at, "waits": int(waits)}
    connection.execute(insert(BLOCKS).values(**values, evidence_id=evidence_id, actor=actor))
    settle_steps(connection, run_id)
    return not waits


def settle_steps(connection: Connection, run_id: str) -> None:
    """Bring ``is_open`` of every step in line with the blocks; a step with an open intent is left until its outcome."""
    blocked = exists().where(
        BLOCKS.c.run_id == STEPS.c.run_id,
        BLOCKS.c.lifted_at.is_(None),
        or_(BLOCKS.c.step.is_(None), BLOCKS.c.step == STEPS.c.step),
    )
    free = ~exists().where(
        EFFECTS.c.run_id == STEPS.c.run_id, EFFECTS.c.step == STEPS.c.step, EFFECTS.c.guard_open.is_not(None)
    )
    of_run = update(STEPS).where(STEPS.c.run_id == run_id, free)
    connection.execute(of_run.where(STEPS.c.is_open == 1, blocked).values(is_open=0))
    connection.execute(of_run.where(STEPS.c.is_open == 0, ~blocked).values(is_open=1))
    if not open_intents(connection, run_id):
        connection.execute(update(BLOCKS).where(BLOCKS.c.run_id == run_id, BLOCKS.c.waits == 1).values(waits=0))


def read_blocks(connection: Connection, run_id: str, step: int | None = None) -> tuple[Block, ...]:
    """Blocks in force on the run as a whole and, when given, on that step; of all steps when not."""
    query = select(BLOCKS).where(BLOCKS.c.run_id == run_id, BLOCKS.c.lifted_at.is_(None)).order_by(BLOCKS.c.id)
    if step is not None:
        query = query.where(or_(BLOCKS.c.step.is_(None), BLOCKS.c.step == step))
    return tuple(Block.model_validate(dict(row._mapping)) for row in connection.execute(query))


def is_closed(connection: Connection, run_id: str) -> bool:
    """Whether the run has ended."""
    return connection.scalar(select(RUNS.c.state).where(RUNS.c.run_id == run_id)) in FINAL_STATES


def halt_run(
    connection: Connection,
    run_id: str,
    kind: str,
    reason: str,
    at: datetime,
    *,
    evidence_id: str | None = None,
    actor: str | None = None,
) -> bool:
    """Halt an open run: block all its steps, record it, signal it. False for a closed run, which is left as it is."""
    if is_closed(connection, run_id):
        return False
    stopped = add_block(connection, run_id, None, kind, reason, at, evidence_id=evidence_id, actor=actor)
    values = {"state": RunState.HALTED.value, "detail": storable(f"{kind}: {reason}"), "state_at": at}
    connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(**values))
    payload = {"kind": kind, "reason": storable(reason), "actor": actor, "evidence_id": evidence_id, "stopped": stopped}
    audit.append(connection, run_id, "run_halted", at, payload)
    if evidence_id is None:
        outbox.add_signal(connection, run_id, 0, 0, outbox.act_id(connection, run_id), at)
    return True
