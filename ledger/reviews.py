"""Reading requests for approval, and ending them."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, bindparam, select, update

from ledger.errors import RequestUnknown
from ledger.records import RequestMailRow, RequestRow
from ledger.schema_approval import EFFECTS, REQUEST_MAILS, REQUESTS
from ledger.text import storable
from wire.approval import ApprovalPlan, RequestStatus


def _of_review(table: Table) -> Select[tuple[Any, ...]]:
    """Built once: every entry about a review reads it, and building a statement costs more than executing it."""
    here = (table.c.run_id == bindparam("run"), table.c.step == bindparam("step"))
    return select(table).where(*here, table.c.review == bindparam("review"))


_REVIEW = _of_review(REQUESTS)
_MAILS = _of_review(REQUEST_MAILS).order_by(REQUEST_MAILS.c.addressee)


def find_review(connection: Connection, run_id: str, step: int, review: int) -> RequestRow | None:
    """The review with its mails, or None."""
    row = connection.execute(_REVIEW, {"run": run_id, "step": step, "review": review}).one_or_none()
    return None if row is None else _value(connection, row)


def read_review(connection: Connection, run_id: str, step: int, review: int) -> RequestRow:
    """The review. Raises RequestUnknown."""
    found = find_review(connection, run_id, step, review)
    if found is None:
        raise RequestUnknown(run_id, step, review)
    return found


def read_reviews(connection: Connection, run_id: str, step: int | None = None) -> tuple[RequestRow, ...]:
    """All reviews of a run, or of one of its steps, in order."""
    query = select(REQUESTS).where(REQUESTS.c.run_id == run_id).order_by(REQUESTS.c.step, REQUESTS.c.review)
    rows = connection.execute(query if step is None else query.where(REQUESTS.c.step == step)).all()
    return tuple(_value(connection, row) for row in rows)


def _value(connection: Connection, row: Row[tuple[object, ...]]) -> RequestRow:
    mails = connection.execute(_MAILS, {"run": row.run_id, "step": row.step, "review": row.review})
    keys = ("run_id", "step", "review")
    copies = tuple(RequestMailRow.model_validate({k: v for k, v in m._mapping.items() if k not in keys}) for m in mails)
    plan = ApprovalPlan.model_validate_json(row.plan)
    return RequestRow.model_validate(dict(row._mapping) | {"plan": plan, "mails": copies})


def guards_intent(connection: Connection, request: RequestRow) -> bool:
    """Whether a write under this review has no recorded outcome yet: then the review cannot end."""
    query = select(EFFECTS.c.effect_key).where(
        EFFECTS.c.run_id == request.run_id,
        EFFECTS.c.step == request.step,
        EFFECTS.c.review == request.review,
        EFFECTS.c.guard_open == 1,
    )
    return connection.scalar(query) is not None


def end_review(connection: Connection, request: RequestRow, status: RequestStatus, detail: str) -> None:
    """Take a review out of force; no decision counts for it any more. The caller has checked ``guards_intent``."""
    set_status(connection, request, status, detail, is_live=0)


def set_status(
    connection: Connection, request: RequestRow, status: RequestStatus, detail: str, is_live: int = 1
) -> None:
    """Write a review's status."""
    here = (REQUESTS.c.run_id == request.run_id, REQUESTS.c.step == request.step, REQUESTS.c.review == request.review)
    values = {"status": status.value, "detail": storable(detail), "is_live": is_live}
    connection.execute(update(REQUESTS).where(*here).values(**values))


def prove_acceptance(connection: Connection, request: RequestRow) -> None:
    """A counted reply proves that a copy was accepted, though we died before recording it."""
    here = (REQUESTS.c.run_id == request.run_id, REQUESTS.c.step == request.step, REQUESTS.c.review == request.review)
    unknown = REQUESTS.c.accepted_at.is_(None)
    connection.execute(update(REQUESTS).where(*here, unknown).values(accepted_at=REQUESTS.c.opens_at))


def opens_at(mails: tuple[RequestMailRow, ...]) -> datetime | None:
    """When the first reply can exist: from the beginning of the first attempt on, before which nobody knew the request's id.

    Not from the acceptance that we recorded: a quick reply is received before our own commit, which must not make it early,
    and a mail with two attempts was accepted at the first one if our process died in between.
    """
    starts = [m.sending_at or m.accepted_at for m in mails]
    return min((start for start in starts if start is not None), default=None)
