"""The dispatch gate: the intent row before a write, and the outcome after it."""

from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, Row, func, insert, select, update

from ledger import audit
from ledger.blocking import is_closed, read_blocks, settle_steps
from ledger.content import get_content, put_model
from ledger.errors import ContentAltered, ContentMissing, GateRefused, LedgerError
from ledger.facts import votes_for
from ledger.proof import record_faults
from ledger.records import EffectRow, Intent
from ledger.reviews import read_review
from ledger.runs import enter_state
from ledger.schema_approval import EFFECTS, REQUESTS
from ledger.transactions import Store
from policies.dispatch_checks import DispatchFacts, refusals
from wire.call import ExecutedCall
from wire.task import RunState

EffectOutcome = Literal["executed", "failed", "unknown"]


class Dispatch(Store):
    """Exactly one effect: row first, act with the same key, record the result (design.md section 5)."""

    def open_intent(
        self,
        run_id: str,
        step: int,
        review: int,
        call_digest: str,
        effect_key: str,
        repeatability_id: str,
        at: datetime,
    ) -> Intent:
        """Insert the intent row if nothing speaks against it. Only an intent of kind ``new`` may act.

        ``open``: an earlier attempt may have acted, look it up. ``recorded``: over, the result stands. Raises GateRefused.
        """
        with self.writing(run_id, alone=True) as connection:
            known = connection.execute(select(EFFECTS).where(EFFECTS.c.effect_key == effect_key)).one_or_none()
            if known is not None:
                return _known_intent(connection, known)
            facts = _facts(connection, run_id, step, review, call_digest)
            reasons = refusals(facts)
            payload = {"step": step, "review": review, "call_digest": call_digest, "effect_key": effect_key}
            if reasons:
                audit.append(connection, run_id, "gate_refused", at, payload | {"reasons": list(reasons)})
            else:
                values = payload | {"run_id": run_id, "repeatability_id": repeatability_id, "guard_open": 1}
                connection.execute(insert(EFFECTS).values(**values, opened_at=at))
                votes = votes_for(connection, read_review(connection, run_id, step, review))
                payload |= {"repeatability_id": repeatability_id, "votes": {p: v[1] for p, v in votes.items()}}
                audit.append(connection, run_id, "intent_opened", at, payload)
                enter_state(connection, run_id, RunState.DISPATCHING, f"step {step}", at)
        if reasons:
            raise GateRefused(run_id, step, review, reasons)
        return Intent(kind="new", effect_key=effect_key, repeatability_id=repeatability_id, opened_at=at)

    def record_effect(
        self, effect_key: str, outcome: EffectOutcome, executed: ExecutedCall | None, at: datetime
    ) -> None:
        """Record what came of a write and let waiting blocks take hold. ``unknown`` may be settled later, once.

        The same outcome again changes nothing; another one raises LedgerError.
        """
        with self.reading() as connection:
            run_id = _effect(connection, effect_key).run_id
        with self.writing(run_id) as connection:
            row = _effect(connection, effect_key)
            if row.outcome == outcome:
                return
            if row.outcome not in (None, "unknown"):
                raise LedgerError(f"effect {effect_key} is recorded as {row.outcome}, not {outcome}")
            named = {"executed": put_model(connection, executed, at)} if executed is not None else {}
            values = {"outcome": outcome, "guard_open": None, "result_digest": named.get("executed")}
            connection.execute(
                update(EFFECTS).where(EFFECTS.c.effect_key == effect_key).values(**values, recorded_at=at)
            )
            settle_steps(connection, run_id)
            payload = {"step": row.step, "review": row.review, "effect_key": effect_key, "outcome": outcome}
            audit.append(connection, run_id, "effect_recorded", at, payload | {"call_digest": row.call_digest}, named)

    def effects(self, run_id: str) -> tuple[EffectRow, ...]:
        """All writes of a run in order."""
        query = select(EFFECTS).where(EFFECTS.c.run_id == run_id).order_by(EFFECTS.c.step)
        with self.reading() as connection:
            rows = connection.execute(query).all()
        return tuple(
            EffectRow.model_validate({k: v for k, v in row._mapping.items() if k != "guard_open"}) for row in rows
        )


def _effect(connection: Connection, effect_key: str) -> Row[tuple[object, ...]]:
    row = connection.execute(select(EFFECTS).where(EFFECTS.c.effect_key == effect_key)).one_or_none()
    if row is None:
        raise LedgerError(f"no intent was opened under {effect_key}")
    return row


def _known_intent(connection: Connection, row: Row[tuple[object, ...]]) -> Intent:
    result = None
    if row.result_digest is not None:
        result = ExecutedCall.model_validate_json(get_content(connection, row.result_digest))
    over = row.outcome in ("executed", "failed")
    return Intent(
        kind="recorded" if over else "open",
        effect_key=row.effect_key,
        repeatability_id=row.repeatability_id,
        opened_at=row.opened_at,
        outcome=row.outcome,
        result=result,
    )


def _facts(connection: Connection, run_id: str, step: int, review: int, call_digest: str) -> DispatchFacts:
    request = read_review(connection, run_id, step, review)
    votes = votes_for(connection, request)
    broken = {evidence_id for _, evidence_id in votes.values() if not _holds(connection, evidence_id)}
    of_step = (REQUESTS.c.run_id == run_id, REQUESTS.c.step == step)
    other = select(EFFECTS.c.effect_key).where(EFFECTS.c.run_id == run_id, EFFECTS.c.step == step)
    return DispatchFacts(
        requested_digest=request.call_digest,
        call_digest=call_digest,
        quorum=request.plan.quorum,
        principals=frozenset(principal for principal, evidence_id in votes.values() if evidence_id not in broken),
        broken_evidence=tuple(sorted(broken)),
        blocks=tuple(block.kind for block in read_blocks(connection, run_id, step)),
        live=request.is_live,
        newest=connection.scalar(select(func.max(REQUESTS.c.review)).where(*of_step)) == review,
        run_closed=is_closed(connection, run_id),
        other_effect=connection.scalar(other) is not None,
        record_faults=record_faults(connection, request, call_digest),
    )


def _holds(connection: Connection, evidence_id: str) -> bool:
    try:
        get_content(connection, evidence_id)
    except (ContentMissing, ContentAltered):
        return False
    return True
