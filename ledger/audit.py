"""The hash chain of a run: every transaction that changes a run appends what it did."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from ledger.content import note_uses
from ledger.errors import RunErased, RunUnknown
from ledger.pseudonyms import fits, public_part, whole_digest
from ledger.schema import AUDIT, RUNS
from policies.canonical import canonical_json, sha256_hex
from wire.audit import AuditEvent

GENESIS = "0" * 64
VERSION = 2
"""Of the hash of new events. Version 1 covers the payload itself, so that nothing could be taken from it."""

# Built once: every entry of the ledger executes them, and building a statement costs more than executing it.
_OF_RUN = RUNS.c.run_id == bindparam("run")
_HEAD = select(RUNS.c.audit_seq, RUNS.c.audit_hash, RUNS.c.trail_key, RUNS.c.policy_version, RUNS.c.erased_at).where(
    _OF_RUN
)
_MOVE_HEAD = (
    update(RUNS)
    .where(_OF_RUN)
    .values(audit_seq=bindparam("seq"), audit_hash=bindparam("head"), policy_version=bindparam("policy"))
)


def event_hash(run_id: str, seq: int, kind: str, at: datetime, payload: Mapping[str, Any], prev_hash: str) -> str:
    """The hash of an event of version 1; ``at`` as UTC with microseconds."""
    fields = {"run_id": run_id, "seq": seq, "kind": kind, "at": _stamp(at), "payload": payload, "prev_hash": prev_hash}
    return sha256_hex(canonical_json(fields))


def erasable_hash(
    run_id: str, seq: int, kind: str, at: datetime, public: Mapping[str, Any], whole: str, prev_hash: str
) -> str:
    """The hash of an event of version 2: it holds when the payload is gone, and when it is there it holds that too."""
    fields = {"version": 2, "run_id": run_id, "seq": seq, "kind": kind, "at": _stamp(at), "public": public}
    return sha256_hex(canonical_json(fields | {"whole": whole, "prev_hash": prev_hash}))


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def append(
    connection: Connection,
    run_id: str,
    kind: str,
    at: datetime,
    payload: Mapping[str, Any] | None = None,
    content: Mapping[str, str] | None = None,
) -> None:
    """Append one event inside the caller's transaction. ``content`` names digests of the content store by role.

    An event that states no ``policy_version`` records the one in force (``Store.in_force``), or the one that the run knew last.
    Raises RunErased: such a chain is sealed.
    """
    row = connection.execute(_HEAD, {"run": run_id}).one_or_none()
    if row is None:
        raise RunUnknown(run_id)
    if row.erased_at is not None:
        raise RunErased(run_id)
    body = dict(payload or {}) | ({"content": dict(content)} if content else {})
    known = connection.get_execution_options().get("policy_version") or row.policy_version
    if known and not body.get("policy_version"):
        body["policy_version"] = known
    seq, key, previous = row.audit_seq + 1, row.trail_key, row.audit_hash
    # As it will be read again: tuples are lists, whole floats are numbers like any other.
    body = json.loads(canonical_json(body))
    public, whole = public_part(body, key), whole_digest(key, seq, body)
    digest = erasable_hash(run_id, seq, kind, at, public, whole, previous)
    values = {"run_id": run_id, "seq": seq, "kind": kind, "at": at, "payload": canonical_json(body).decode()}
    values |= {"version": VERSION, "public": canonical_json(public).decode(), "whole": whole, "salt": key, "erased": 0}
    connection.execute(insert(AUDIT), values | {"prev_hash": previous, "hash": digest})
    policy = body.get("policy_version", "")
    connection.execute(_MOVE_HEAD, {"run": run_id, "seq": seq, "head": digest, "policy": policy})
    note_uses(connection, run_id, (content or {}).values())


def read_trail(connection: Connection, run_id: str) -> tuple[AuditEvent, ...]:
    """All events of a run in order."""
    rows = connection.execute(select(AUDIT).where(AUDIT.c.run_id == run_id).order_by(AUDIT.c.seq))
    return tuple(_event(row) for row in rows)


def read_events(connection: Connection, run_id: str, *kinds: str) -> tuple[AuditEvent, ...]:
    """The events of these kinds in order. A run that many mails came to has a long chain, and few events of most kinds."""
    here = (AUDIT.c.run_id == run_id, AUDIT.c.kind.in_(kinds))
    return tuple(_event(row) for row in connection.execute(select(AUDIT).where(*here).order_by(AUDIT.c.seq)))


def _event(row: Row[Any]) -> AuditEvent:
    fields = dict(row._mapping) | {"payload": _payload(row.payload), "erased": bool(row.erased)}
    return AuditEvent(**(fields | {"public": None if row.public is None else _payload(row.public)}))


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
        if not _holds(event):
            faults.append(f"event {event.seq} ({event.kind}) was altered")
        previous = event.hash
    if len(events) != length:
        faults.append(f"the run counts {length} events, the chain holds {len(events)}")
    elif previous != head:
        faults.append("the last event is not the one that the run names as its head")
    return faults


def _holds(event: AuditEvent) -> bool:
    """Whether an event is what its hash says. One of version 1 that was erased is held by the erasure alone."""
    here = (event.run_id, event.seq, event.kind, event.at)
    if event.erased and (event.salt or event.public is not None):
        return False
    if event.version == 1:
        return event.erased or event_hash(*here, event.payload, event.prev_hash) == event.hash
    public = event.payload if event.erased else event.public
    if public is None or erasable_hash(*here, public, event.whole, event.prev_hash) != event.hash:
        return False
    committed = event.erased or whole_digest(event.salt, event.seq, event.payload) == event.whole
    return committed and (event.erased or fits(public, event.payload, event.salt))
