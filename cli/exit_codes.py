"""Exit codes, stable: scripts may rely on them."""

from enum import IntEnum

from wire.task import RunState


class Exit(IntEnum):
    """What a command ended with."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REJECTED = 3
    NEEDS_INPUT = 4
    EXPIRED = 5
    CANCELLED = 6
    OVERDUE = 7
    HALTED = 8
    ALREADY_CLOSED = 9
    UNREACHABLE = 10
    NOT_INTACT = 11
    NOT_FOUND = 12
    INTERRUPTED = 130


BY_STATE = {
    RunState.COMPLETED: Exit.OK,
    RunState.FAILED: Exit.FAILED,
    RunState.REJECTED: Exit.REJECTED,
    RunState.NEEDS_INPUT: Exit.NEEDS_INPUT,
    RunState.EXPIRED: Exit.EXPIRED,
    RunState.CANCELLED: Exit.CANCELLED,
    RunState.OVERDUE: Exit.OVERDUE,
    RunState.UNDELIVERABLE: Exit.OVERDUE,
    RunState.HALTED: Exit.HALTED,
    RunState.OUTCOME_UNKNOWN: Exit.HALTED,
}
