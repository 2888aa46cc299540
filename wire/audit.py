"""The audit chain: one hash-chained row per thing that happened in a run."""

from datetime import datetime
from typing import Any

from wire.base import Wire


class AuditEvent(Wire):
    """One row. ``hash`` = SHA-256 over RFC 8785 of {run_id, seq, kind, at, payload, prev_hash}; seq counts from 1."""

    run_id: str
    seq: int
    kind: str
    at: datetime
    payload: dict[str, Any]
    prev_hash: str
    hash: str


class ChainVerdict(Wire):
    """Whether a run's chain is whole. ``faults`` names the row and what is wrong with it."""

    run_id: str
    events: int
    intact: bool
    faults: tuple[str, ...] = ()
