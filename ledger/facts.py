"""What the ledger knows of a review, as the pure checks want it."""

from collections.abc import Iterable

from sqlalchemy import Connection, func, select

from ledger.blocking import is_closed, read_blocks
from ledger.records import RequestRow
from ledger.schema import OPERATOR_ACTS, RUNS
from ledger.schema_approval import EFFECTS, EVIDENCE, MAILS, REQUESTS, VOTES
from policies.canonical import sha256_hex
from policies.decision_checks import ReviewFacts
from policies.evidence_checks import Claim, ReviewKey
from wire.approval import RequestStatus
from wire.mail import ParsedReply

BARRING_ACTS = ("delegate", "replace", "release", "settle")
"""Operator acts after which the actor cannot approve in that run (design.md section 4, who may approve)."""


def message_key(parsed: ParsedReply) -> str:
    """What a mail claims: its Message-ID, or its content when it has none. Hashed, since foreign ids may have any length."""
    own = (parsed.message_id or "").strip().strip("<>").strip()
    claimed = f"id:{own}" if own else f"content:{parsed.content_digest}"
    return sha256_hex(claimed.encode("utf-8", "backslashreplace"))


def find_claim(connection: Connection, run_id: str, key: str, content_digest: str) -> Claim | None:
    """What holds this key already: a believed mail of the run with the same content, which the new one repeats, or else the
    evidence. (A mail that collided holds no evidence; a redelivered copy of it must not halt the run once more.)
    """
    same = (MAILS.c.run_id == run_id, MAILS.c.message_key == key, MAILS.c.content_digest == content_digest)
    before = connection.execute(select(MAILS).where(*same, MAILS.c.person.is_not(None))).first()
    if before is not None:
        return Claim(ReviewKey(run_id, before.step or 0, before.review or 0), content_digest)
    row = connection.execute(select(EVIDENCE).where(EVIDENCE.c.message_key == key)).one_or_none()
    return None if row is None else Claim(ReviewKey(row.run_id, row.step, row.review), row.content_digest)


def requester_of(connection: Connection, run_id: str) -> str:
    """Who asked for the run."""
    return str(connection.scalars(select(RUNS.c.requester).where(RUNS.c.run_id == run_id)).one())


def erased_among(connection: Connection, run_ids: Iterable[str]) -> frozenset[str]:
    """Runs that were erased: their chains are sealed, and mail that names them belongs to nothing that we hold."""
    query = select(RUNS.c.run_id).where(RUNS.c.run_id.in_(sorted(set(run_ids))), RUNS.c.erased_at.is_not(None))
    return frozenset(connection.scalars(query))


def votes_for(connection: Connection, request: RequestRow) -> dict[str, tuple[str, str]]:
    """Person -> (principal, evidence id) of every YES to this review and this call."""
    here = (VOTES.c.run_id == request.run_id, VOTES.c.step == request.step, VOTES.c.review == request.review)
    rows = connection.execute(select(VOTES).where(*here, VOTES.c.call_digest == request.call_digest))
    return {row.person: (row.principal, row.evidence_id) for row in rows}


def approvals_of(votes: dict[str, tuple[str, str]]) -> int:
    """Distinct designated approvers among the votes: a delegate and the one they stand for count once."""
    return len({principal for principal, _ in votes.values()})


def was_dispatched(connection: Connection, run_id: str, step: int) -> bool:
    """Whether a write of this step was begun and is not known to have failed."""
    query = select(EFFECTS.c.effect_key).where(EFFECTS.c.run_id == run_id, EFFECTS.c.step == step)
    return connection.scalar(query.where(EFFECTS.c.outcome.is_distinct_from("failed"))) is not None


def review_facts(connection: Connection, request: RequestRow, person: str) -> ReviewFacts:
    """Everything that checks 6 to 8 ask about."""
    run_id, step = request.run_id, request.step
    votes = votes_for(connection, request)
    kinds = {block.kind for block in read_blocks(connection, run_id, step)}
    barred = select(OPERATOR_ACTS.c.id).where(
        OPERATOR_ACTS.c.run_id == run_id, OPERATOR_ACTS.c.actor == person, OPERATOR_ACTS.c.kind.in_(BARRING_ACTS)
    )
    return ReviewFacts(
        opens_at=request.opens_at,
        deadline=request.deadline,
        waiting=request.is_live and _is_newest(connection, request),
        run_closed=is_closed(connection, run_id),
        dispatched=was_dispatched(connection, run_id, step),
        said_no="rejected" in kinds,
        halted=bool(kinds - {"rejected"}),
        decided=request.status is RequestStatus.DECIDED,
        person_said_yes=person in votes,
        person_barred=connection.scalar(barred) is not None,
    )


def _is_newest(connection: Connection, request: RequestRow) -> bool:
    newest_step = select(func.max(REQUESTS.c.step)).where(REQUESTS.c.run_id == request.run_id)
    of_step = (REQUESTS.c.run_id == request.run_id, REQUESTS.c.step == request.step)
    newest_review = select(func.max(REQUESTS.c.review)).where(*of_step)
    return (connection.scalar(newest_step), connection.scalar(newest_review)) == (request.step, request.review)
