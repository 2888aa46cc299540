"""What an erasure left on record, and what does not fit it. Pure: the ledger and an exported record are judged alike."""

from datetime import datetime, timedelta
from typing import Any

from policies.canonical import digest
from wire.audit import AuditEvent

ERASED = "run_erased"
"""Kind of the event that seals a chain: what was taken from it, when the run had closed, under which retention."""


def residue(event: AuditEvent) -> str:
    """Digest of what is left of an erased event of version 1, whose own hash cannot be computed any more."""
    here = {"seq": event.seq, "kind": event.kind, "at": event.at.isoformat(), "hash": event.hash}
    return digest(here | {"payload": event.payload})


def erasure_of(events: tuple[AuditEvent, ...]) -> AuditEvent | None:
    """The erasure of the run, if there was one."""
    return next((event for event in reversed(events) if event.kind == ERASED and not event.erased), None)


def erased_contents(events: tuple[AuditEvent, ...]) -> frozenset[str]:
    """Digests whose bytes an erasure says to have taken away."""
    act = erasure_of(events)
    named = act.payload.get("contents") if act is not None else None
    return frozenset(str(item) for item in named) if isinstance(named, list) else frozenset()


def erasure_faults(events: tuple[AuditEvent, ...]) -> list[str]:
    """Emptied events without an erasure, an erasure that was not due or left something, remains that were changed."""
    act = erasure_of(events)
    if act is None:
        return [f"event {e.seq} ({e.kind}) was emptied and no erasure says so" for e in events if e.erased]
    faults = [f"event {e.seq} ({e.kind}) stands after the erasure" for e in events if e.seq > act.seq]
    residues = act.payload.get("residues")
    residues = residues if isinstance(residues, dict) else {}
    for event in (e for e in events if e.seq < act.seq):
        if not event.erased:
            faults.append(f"event {event.seq} ({event.kind}) was to be erased and was not")
        elif event.version == 1 and residues.get(str(event.seq)) != residue(event):
            faults.append(f"event {event.seq} ({event.kind}) is not what the erasure left of it")
    return [*faults, *_due_faults(events, act)]


def _due_faults(events: tuple[AuditEvent, ...], act: AuditEvent) -> list[str]:
    closed = next((e.at for e in reversed(events) if e.kind == "run_closed"), None)
    days = act.payload.get("retention_days")
    if closed is None:
        return ["the run was erased and had not ended"]
    if not isinstance(days, int) or days < 1 or act.at < due_at(closed, days):
        return [f"the run was erased before its retention had ended (closed {closed:%Y-%m-%d}, {days} days)"]
    return []


def due_at(closed_at: datetime, retention_days: int) -> datetime:
    """When a run that closed then may be erased."""
    return closed_at + timedelta(days=retention_days)


def erasure_lines(events: tuple[AuditEvent, ...]) -> tuple[str, ...]:
    """What policy took away, for people."""
    act = erasure_of(events)
    if act is None:
        return ()
    said: dict[str, Any] = act.payload
    by = f"{said.get('actor')} as {said.get('role')}"
    return (
        f"erased by policy {said.get('policy_version')} on {act.at:%Y-%m-%d %H:%M} UTC"
        f" ({said.get('retention_days')} days after the run had closed), by {by}: {said.get('reason')}",
        f"erased by policy: {len(erased_contents(events))} contents (mails, calls, answers, goal), and every name and"
        f" comment of {act.seq - 1} events; digests, outcomes and times are as they were",
    )
