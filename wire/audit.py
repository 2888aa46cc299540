"""The audit chain: one hash-chained row per thing that happened in a run."""

from datetime import datetime
from typing import Any

from wire.base import Wire


class AuditEvent(Wire):
    """One row; seq counts from 1.

    Version 1: ``hash`` = SHA-256 over RFC 8785 of {run_id, seq, kind, at, payload, prev_hash}. Version 2: over {version,
    run_id, seq, kind, at, public, whole, prev_hash}, where ``public`` is the part of the payload that names nobody and
    ``whole`` the digest of {salt, seq, payload}. Of an ``erased`` event the payload is the public part, and the salt is gone.
    """

    run_id: str
    seq: int
    kind: str
    at: datetime
    payload: dict[str, Any]
    prev_hash: str
    hash: str
    version: int = 1
    public: dict[str, Any] | None = None
    whole: str = ""
    salt: str = ""
    erased: bool = False


class ChainVerdict(Wire):
    """Whether a run's chain is whole. ``faults`` names the row and what is wrong with it, ``erased`` what policy took away."""

    run_id: str
    events: int
    intact: bool
    faults: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
