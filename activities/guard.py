"""What every stage does first: make sure that this execution owns the run, and run blocking work off the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.ports import Parts
from ledger.errors import LedgerError, RunHalted
from ledger.records import RunRow

P = ParamSpec("P")
T = TypeVar("T")


async def off_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking ``function`` in a thread."""
    return await asyncio.to_thread(function, *args, **kwargs)


async def on_own_run(parts: Parts, run_id: str, work: Callable[[RunRow], T], epoch: str | None = None) -> T:
    """Claim the run for this Temporal execution, then do blocking ``work`` on its row, in one trip to a thread.

    Raises a non-retryable ``ApplicationError`` typed ForeignExecution or EpochMismatch when the run belongs to another one.
    """
    return await off_loop(_claimed, parts, run_id, activity.info().workflow_run_id or "", epoch, work)


def _claimed(parts: Parts, run_id: str, temporal_run_id: str, epoch: str | None, work: Callable[[RunRow], T]) -> T:
    try:
        row = parts.ledger.claim_execution(run_id, temporal_run_id, epoch, parts.now())
    except RunHalted as error:
        raise final(error) from error
    return work(row)


def final(error: LedgerError | Exception) -> ApplicationError:
    """An error that no retry mends; its class name is the type that the workflow sees."""
    return ApplicationError(str(error), type=type(error).__name__, non_retryable=True)
