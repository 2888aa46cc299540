"""What people at the controls do to a run: typed, with actor, role and reason, in the audit chain. No act accepts anything."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert, select, update

from ledger import audit
from ledger.blocking import add_block, halt_run, settle_steps
from ledger.outbox import act_id, add_signal
from ledger.reviews import end_review, guards_intent, read_reviews
from ledger.runs import require_open
from ledger.schema import OPERATOR_ACTS
from ledger.schema_approval import BLOCKS
from ledger.text import storable
from ledger.transactions import Store
from wire.approval import RequestStatus
from wire.base import Wire

ActKind = Literal["cancel", "release", "reissue", "extend", "delegate", "replace", "resolve", "note"]


class OperatorAct(Wire):
    """One act of an operator."""

    id: int
    run_id: str
    kind: ActKind
    actor: str
    role: str
    reason: str
    at: datetime


class OperatorActs(Store):
    """Halt, cancel, release."""

    def halt(
        self, run_ids: Iterable[str], kind: str, reason: str, at: datetime, actor: str | None = None
    ) -> tuple[str, ...]:
        """Halt runs together; the ids of those that were open. A write under way runs to its outcome first."""
        wanted = tuple(sorted(set(run_ids)))
        with self.writing(*wanted) as connection:
            return tuple(run_id for run_id in wanted if halt_run(connection, run_id, kind, reason, at, actor=actor))

    def cancel(self, run_id: str, actor: str, reason: str, at: datetime, role: str = "operator") -> bool:
        """Block every write not yet begun and tell the run. False when one is under way: its outcome comes first."""
        with self.writing(run_id) as connection:
            require_open(connection, run_id)
            stopped = add_block(connection, run_id, None, "cancel", reason, at, actor=actor)
            _record_act(connection, run_id, "cancel", actor, role, reason, at)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)
            return stopped

    def release(self, run_id: str, actor: str, reason: str, at: datetime, role: str = "operator") -> None:
        """Lift everything that halts the run, a cancellation excepted.

        Live reviews end, so that the call is asked anew; no decision revives.
        """
        with self.writing(run_id) as connection:
            require_open(connection, run_id)
            halting = (BLOCKS.c.run_id == run_id, BLOCKS.c.lifted_at.is_(None), BLOCKS.c.kind != "cancel")
            connection.execute(update(BLOCKS).where(*halting).values(lifted_at=at, lifted_by=actor))
            for request in read_reviews(connection, run_id):
                if request.is_live and not guards_intent(connection, request):
                    end_review(connection, request, RequestStatus.WITHDRAWN, f"released by {actor}")
            settle_steps(connection, run_id)
            _record_act(connection, run_id, "release", actor, role, reason, at)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)

    def record_act(self, run_id: str, kind: ActKind, actor: str, role: str, reason: str, at: datetime) -> None:
        """Record an act that the caller carries out (delegate, replace …); the run is told to look again."""
        with self.writing(run_id) as connection:
            require_open(connection, run_id)
            _record_act(connection, run_id, kind, actor, role, reason, at)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)

    def acts(self, run_id: str) -> tuple[OperatorAct, ...]:
        """All acts on a run in order."""
        query = select(OPERATOR_ACTS).where(OPERATOR_ACTS.c.run_id == run_id).order_by(OPERATOR_ACTS.c.id)
        with self.reading() as connection:
            return tuple(OperatorAct.model_validate(dict(row._mapping)) for row in connection.execute(query))


def _record_act(
    connection: Connection, run_id: str, kind: ActKind, actor: str, role: str, reason: str, at: datetime
) -> None:
    values = {"kind": kind, "actor": actor, "role": role, "reason": storable(reason)}
    connection.execute(insert(OPERATOR_ACTS).values(run_id=run_id, at=at, **values))
    audit.append(connection, run_id, "operator_act", at, values)
