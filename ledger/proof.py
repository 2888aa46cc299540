"""What the audit chain says of a review: a row that the chain does not know proves nothing, whoever wrote it."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, select

from ledger.audit import chain_faults, read_trail
from ledger.content import get_content
from ledger.errors import ContentAltered, ContentMissing
from ledger.records import RequestRow
from ledger.schema import RUNS
from ledger.schema_approval import VOTES
from policies.canonical import canonical_json, sha256_hex
from wire.audit import AuditEvent
from wire.call import ValidatedCall


def record_faults(connection: Connection, request: RequestRow, call_digest: str) -> tuple[str, ...]:
    """What keeps the record of a review from proving an approval: chain, request, votes, bytes, a NO in force."""
    run = connection.execute(select(RUNS).where(RUNS.c.run_id == request.run_id)).one()
    events = read_trail(connection, request.run_id)
    broken = chain_faults(events, run.audit_seq, run.audit_hash)
    if broken:
        return tuple(broken)
    here = (VOTES.c.run_id == request.run_id, VOTES.c.step == request.step, VOTES.c.review == request.review)
    votes = connection.execute(select(VOTES).where(*here)).all()
    found = [*request_faults(events, request), *vote_faults(events, votes), *_stops(events, request.step)]
    if not is_hashed(connection, events, request.step, call_digest):
        found.append(f"no validated call of step {request.step} hashes to {call_digest}")
    return tuple(found)


def asked(events: tuple[AuditEvent, ...], step: int, review: int) -> dict[str, Any] | None:
    """What the chain says was asked at that review."""
    found = (e.payload for e in events if e.kind == "request_created")
    return next((p for p in found if (p["step"], p["review"]) == (step, review)), None)


def request_faults(events: tuple[AuditEvent, ...], request: RequestRow) -> list[str]:
    """Whether the request row still says what was asked, of whom and until when."""
    said = asked(events, request.step, request.review)
    plan = request.plan
    row = (request.call_digest, plan.quorum, [a.person for a in plan.approvers], request.deadline.isoformat())
    if said is not None and row == (said["call_digest"], said["quorum"], said["approvers"], said["deadline"]):
        return []
    return [f"the request of step {request.step}, review {request.review} is not the one in the chain"]


def vote_faults(events: tuple[AuditEvent, ...], votes: Iterable[Row[tuple[object, ...]]]) -> list[str]:
    """Votes that no accepted mail in the chain stands for."""
    accepted = {
        (e.payload["content"]["raw"], *(e.payload[k] for k in ("step", "review", "person", "principal", "call_digest")))
        for e in events
        if e.kind == "mail_judged" and e.payload["outcome"] == "accepted"
    }
    return [
        f"the chain knows no accepted mail {v.evidence_id} for the vote of {v.person}"
        for v in votes
        if (v.evidence_id, v.step, v.review, v.person, v.principal, v.call_digest) not in accepted
    ]


def is_hashed(connection: Connection, events: tuple[AuditEvent, ...], step: int, call_digest: str) -> bool:
    """Whether the stored bytes of the step's call (RFC 8785 of its request) hash to the digest that was approved."""
    for event in events:
        said = event.payload
        if event.kind != "verdict_recorded" or (said["step"], said["call_digest"]) != (step, call_digest):
            continue
        try:
            stored = get_content(connection, said["content"]["validated"])
        except (ContentMissing, ContentAltered):
            return False
        call = ValidatedCall.model_validate_json(stored)
        return sha256_hex(canonical_json(call.request.model_dump(mode="json"))) == call_digest
    return False


def _stops(events: tuple[AuditEvent, ...], step: int) -> list[str]:
    """A NO, a halt or a cancellation that nobody released, though its block may be gone from the table."""
    standing: list[str] = []
    for event in events:
        said = event.payload
        if event.kind == "operator_act" and said["kind"] == "release":
            standing = [stop for stop in standing if stop == "cancel"]
        elif event.kind == "operator_act" and said["kind"] == "cancel":
            standing.append("cancel")
        elif event.kind == "run_halted":
            standing.append(str(said["kind"]))
        elif event.kind == "mail_judged" and (said["outcome"], said["step"]) == ("rejected", step):
            standing.append("rejected")
    return [f"the chain records '{stop}' and no release" for stop in dict.fromkeys(standing)]
