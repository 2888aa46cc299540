"""The hash chain of a run: every transaction that changes a run appends what it did."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from ledger.errors import RunUnknown
from ledger.schema import AUDIT, RUNS
from policies.canonical import canonical_json, sha256_hex
from wire.audit import AuditEvent

GENESIS = "0" * 64

# Built once: every entry of the ledger executes them, and building a statement costs more than executing it.
_OF_RUN = RUNS.c.run_id == bindparam("run")
_HEAD = select(RUNS.c.audit_seq, RUNS.c.audit_hash).where(_OF_RUN)
_MOVE_HEAD = update(RUNS).where(_OF_RUN).values(audit_seq=bindparam("seq"), audit_hash=bindparam("head"))


def event_hash(run_id: str, seq: int, kind: str, at: datetime, payload: Mapping[str, Any], prev_hash: str) -> str:
    """The hash of one event; ``at`` as UTC with microseconds."""
    stamp = at.astimezone(UTC).isoformat(timespec="microseconds")
    fields = {"run_id": run_id, "seq": seq, "kind": kind, "at": stamp, "payload": payload, "prev_hash": prev_hash}
    return sha256_hex(canonical_json(fields))


def append(
    connection: Connection,
    run_id: str,
    kind: str,
    at: datetime,
    payload: Mapping[str, Any] | None = None,
    content: Mapping[str, str] | None = None,
) -> None:
    """Append one event inside the caller's transaction. ``content`` names digests of the content store by role."""
    row = connection.execute(_HEAD, {"run": run_id}).one_or_none()
    if row is None:
        raise RunUnknown(run_id)
    seq = row.audit_seq + 1
    body = dict(payload or {}) | ({"content": dict(content)} if content else {})
    digest = event_hash(run_id, seq, kind, at, body, row.audit_hash)
    text = canonical_json(body).decode()
    values = {"run_id": run_id, "seq": seq, "kind": kind, "at": at, "payload": text}
    connection.execute(insert(AUDIT), values | {"prev_hash": row.audit_hash, "hash": digest})
    connection.execute(_MOVE_HEAD, {"run": run_id, "seq": seq, "head": digest})


def read_trail(connection: Connection, run_id: str) -> tuple[AuditEvent, ...]:
    """All events of a run in order."""
    rows = connection.execute(select(AUDIT).where(AUDIT.c.run_id == run_id).order_by(AUDIT.c.seq))
    return tuple(AuditEvent(**(dict(row._mapping) | {"payload": _payload(row.payload)})) for row in rows)


def _payload(text: str) -> dict[str, Any]:
    # An altered row must be reported by its hash, not end the report.
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"unreadable": text}


def chain_faults(events: tuple[AuditEvent, ...], length: int, head: str) -> list[str]:
    """What is wrong with the chain itself; pure, so that an exported trail can be judged offline."""
    faults = []
    previous = GENESIS
    for expected, event in enumerate(events, start=1):
        if event.seq != expected:
            faults.append(f"event {expected} is missing (found {event.seq})")
            break
        if event.prev_hash != previous:
            faults.append(f"event {event.seq} ({event.kind}) does not follow from the one before it")
        if event_hash(event.run_id, event.seq, event.kind, event.at, event.payload, event.prev_hash) != event.hash:
            faults.append(f"event {event.seq} ({event.kind}) was altered")
        previous = event.hash
    if len(events) != length:
        faults.append(f"the run counts {length} events, the chain holds {len(events)}")
    elif previous != head:
        faults.append("the last event is not the one that the run names as its head")
    return faults
