"""What an experiment leaves behind: plain values, from which each measure is computed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from evaluation.bench.histories import Event


@dataclass(frozen=True)
class Write:
    """One write of a run: reply taken by the mail server, intent committed, outcome committed."""

    replied_at: datetime
    opened_at: datetime
    recorded_at: datetime
    alone: bool
    """The reply was the only one in flight; else it came in a burst."""


@dataclass(frozen=True)
class ProductRun:
    """A finished run of the product."""

    registered_at: datetime
    closed_at: datetime
    writes: tuple[Write, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Round:
    """One batch on each side: CPU seconds by process, in all."""

    runs: int
    product_cpu: Mapping[str, float]
    floor_cpu: Mapping[str, float]


@dataclass(frozen=True)
class LedgerSize:
    """Rows by table, bytes of the content store by media type (typed contexts among them), mails that the server took."""

    rows: Mapping[str, int]
    content_bytes: Mapping[str, int]
    context_bytes: int
    request_mails: int
    other_mails: int
    effects: int


@dataclass(frozen=True)
class Experiment:
    """The product beside its floor. ``solo``: runs that had the machine for themselves; ``runs``: those of the rounds."""

    solo: tuple[ProductRun, ...]
    runs: tuple[ProductRun, ...]
    floor_events: tuple[tuple[Event, ...], ...]
    rounds: tuple[Round, ...]
    before: LedgerSize
    after: LedgerSize
    memory: Mapping[str, float]
    floor_memory: Mapping[str, float] = field(default_factory=dict)
