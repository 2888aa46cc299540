"""Following a run by its audit trail: what happens is shown as it is recorded, from the ledger alone."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

from cli.context import now
from ledger.store import Ledger
from wire.audit import AuditEvent
from wire.task import FINAL_STATES, RunState

PARKED = frozenset({RunState.OVERDUE, RunState.UNDELIVERABLE, RunState.HALTED, RunState.OUTCOME_UNKNOWN})
LOOK_EVERY = 0.1


async def follow(
    ledger: Ledger, run_id: str, *, until_parked: bool = True, timeout: float | None = None
) -> AsyncIterator[AuditEvent]:
    """Events in order, until the run has ended, parked for somebody (``until_parked``), or ``timeout`` seconds are over."""
    seen = 0
    end = None if timeout is None else now() + timedelta(seconds=timeout)
    while True:
        row = await asyncio.to_thread(ledger.run, run_id)
        if row.events > seen:
            for event in (await asyncio.to_thread(ledger.trail, run_id))[seen:]:
                seen = event.seq
                yield event
            continue
        if row.state in FINAL_STATES or (until_parked and row.state in PARKED):
            return
        if end is not None and now() >= end:
            return
        await asyncio.sleep(LOOK_EVERY)
