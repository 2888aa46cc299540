"""What people at the controls do to a run: typed, with actor, role and reason, in the audit chain. No act accepts anything."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, insert, select, update

from ledger import audit
from ledger.blocking import add_block, halt_run, open_intents, read_blocks, settle_steps
from ledger.errors import ActRefused
from ledger.facts import was_dispatched
from ledger.outbox import act_id, add_signal
from ledger.records import RequestRow
from ledger.reviews import end_review, guards_intent, read_reviews
from ledger.run_changes import ProvenAct, acts_of, unreachable_of
from ledger.runs import require_open
from ledger.schema import OPERATOR_ACTS
from ledger.schema_approval import BLOCKS
from ledger.text import storable
from ledger.transactions import Store
from wire.approval import RequestStatus
from wire.base import Wire

ActKind = Literal[
    "cancel", "confirm", "release", "reissue", "extend", "delegate", "replace", "resolve", "note", "settle", "erase"
]

AskingAgain = Literal["reissue", "extend", "delegate", "replace"]


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
    """Halt, cancel, release, confirm, ask again, remark."""

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
            enter_act(connection, run_id, "cancel", actor, role, reason, at)
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
            enter_act(connection, run_id, "release", actor, role, reason, at)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)

    def ask_again(
        self, run_id: str, kind: AskingAgain, actor: str, reason: str, details: Mapping[str, Any], at: datetime
    ) -> RequestRow:
        """End the newest review, so that its call is asked afresh; its votes count no more. Answers the review that ended.

        ``details``: ``from``, ``to``, ``until`` (delegate, replace), ``window_seconds`` (extend). Raises ActRefused, RunClosed.
        """
        with self.writing(run_id) as connection:
            require_open(connection, run_id)
            request = _askable(connection, run_id)
            if request.is_live:
                end_review(connection, request, RequestStatus.WITHDRAWN, f"{kind} by {actor}")
            here = {"step": request.step, "review": request.review}
            enter_act(connection, run_id, kind, actor, "operator", reason, at, dict(details) | here)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)
            return request

    def confirm(self, run_id: str, actor: str, reason: str, at: datetime) -> None:
        """The halt is right: the run ends. Raises ActRefused unless it is halted."""
        with self.writing(run_id) as connection:
            require_open(connection, run_id)
            blocks = [block for block in read_blocks(connection, run_id) if block.step is None]
            if not blocks:
                raise ActRefused(f"run {run_id} is not halted: there is nothing to confirm ('cancel' stops a run)")
            add_block(connection, run_id, None, "cancel", f"halt confirmed: {reason}", at, actor=actor)
            enter_act(connection, run_id, "confirm", actor, "operator", reason, at)
            add_signal(connection, run_id, 0, 0, act_id(connection, run_id), at)

    def remark(
        self,
        run_id: str,
        kind: Literal["note", "resolve"],
        actor: str,
        role: str,
        reason: str,
        details: Mapping[str, Any],
        at: datetime,
    ) -> None:
        """Record what was heard, or what became of a refused mail. Changes nothing else, also in a run that has ended."""
        with self.writing(run_id) as connection:
            enter_act(connection, run_id, kind, actor, role, reason, at, dict(details))

    def proven_acts(self, run_id: str) -> tuple[ProvenAct, ...]:
        """All acts on a run with their details, from the audit chain."""
        with self.reading() as connection:
            return acts_of(connection, run_id)

    def unreachable(self, run_id: str) -> frozenset[str]:
        """Addresses (folded) at which mail of the run does not arrive, as far as is known."""
        with self.reading() as connection:
            return unreachable_of(connection, run_id)

    def acts(self, run_id: str) -> tuple[OperatorAct, ...]:
        """All acts on a run in order."""
        query = select(OPERATOR_ACTS).where(OPERATOR_ACTS.c.run_id == run_id).order_by(OPERATOR_ACTS.c.id)
        with self.reading() as connection:
            return tuple(OperatorAct.model_validate(dict(row._mapping)) for row in connection.execute(query))


def enter_act(
    connection: Connection,
    run_id: str,
    kind: ActKind,
    actor: str,
    role: str,
    reason: str,
    at: datetime,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record an act inside the caller's transaction: the row for lists, the event for proof."""
    values = {"kind": kind, "actor": actor, "role": role, "reason": storable(reason)}
    connection.execute(insert(OPERATOR_ACTS).values(run_id=run_id, at=at, **values))
    audit.append(connection, run_id, "operator_act", at, values | ({"details": dict(details)} if details else {}))


def _askable(connection: Connection, run_id: str) -> RequestRow:
    """The newest review of the run, if its call can be asked afresh. Raises ActRefused."""
    if any(block.step is None for block in read_blocks(connection, run_id)):
        raise ActRefused(f"run {run_id} is halted: 'release' it first, which asks again as well")
    reviews = read_reviews(connection, run_id)
    if not reviews:
        raise ActRefused(f"run {run_id} has asked nobody yet")
    newest = reviews[-1]
    if open_intents(connection, run_id, newest.step):
        raise ActRefused(f"a write of run {run_id} is on its way: its outcome comes first")
    if was_dispatched(connection, run_id, newest.step) or newest.status is RequestStatus.DECIDED:
        raise ActRefused(f"step {newest.step} of run {run_id} is decided: there is nothing to ask again")
    if any(block.step == newest.step for block in read_blocks(connection, run_id, newest.step)):
        raise ActRefused(f"step {newest.step} of run {run_id} was rejected: there is nothing to ask again")
    return newest
