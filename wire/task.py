"""A task and the run that carries it out."""

from enum import StrEnum

from wire.base import Recorded, Wire


class RunState(StrEnum):
    """Where a run stands (design.md section 6)."""

    RETRIEVING = "retrieving"
    REASONING = "reasoning"
    VALIDATING = "validating"
    REQUESTING = "requesting"
    AWAITING_APPROVAL = "awaiting_approval"
    OVERDUE = "overdue"
    UNDELIVERABLE = "undeliverable"
    DISPATCHING = "dispatching"
    HALTED = "halted"
    OUTCOME_UNKNOWN = "outcome_unknown"
    COMPLETED = "completed"
    REJECTED = "rejected"
    NEEDS_INPUT = "needs_input"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FAILED = "failed"


FINAL_STATES = frozenset(
    {
        RunState.COMPLETED,
        RunState.REJECTED,
        RunState.NEEDS_INPUT,
        RunState.EXPIRED,
        RunState.CANCELLED,
        RunState.FAILED,
    }
)


class TaskRequest(Wire):
    """What somebody asked for. ``approvers`` (person ids) only narrows what policy names; empty = policy alone decides."""

    goal: str
    requester: str
    requester_source: str = ""
    approvers: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    key: str | None = None
    dry_run: bool = False


class TaskInput(Recorded):
    """The workflow's input. It names every version that the run stands on, so that a retry sees the same world."""

    run_id: str
    goal: str
    requester: str
    approvers: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    dry_run: bool = False
    policy_version: str
    graph_hash: str
    ledger_epoch: str
    brain: str
    step_cap: int = 25


class RunResult(Recorded):
    """How a run ended."""

    run_id: str
    state: RunState
    summary: str
    steps: int = 0
    writes: int = 0
