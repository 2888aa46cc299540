"""Runs the floor on a Temporal server of its own, in the steps in which the product is run."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from temporalio.client import Client, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter

from embedded.ports import free_port
from embedded.supervisor import Part, Supervisor, says
from embedded.temporal_server import server_command, server_ready
from evaluation.bench.floor_worker import QUEUE, READY
from evaluation.bench.floor_workflow import FloorDecision, FloorRun, FloorTask
from evaluation.bench.histories import Event, read_events
from evaluation.bench.waiting import until

Handle = WorkflowHandle[FloorRun, int]


class Floor:
    """The floor's server and worker, and the hands to work with them."""

    def __init__(self, client: Client, marks: Path, pids: dict[str, int]) -> None:
        self.pids = pids
        self._client = client
        self._marks = marks
        self._expected = 0

    async def batch(self, keys: Sequence[str], stretches: Sequence[int]) -> list[tuple[Event, ...]]:
        """One run a key: started and answered one at a time, but the last answers all at once. The histories."""
        handles = [await self._start(key, stretches) for key in keys]
        for position, count in enumerate(stretches[1:-1], start=1):
            for handle in handles:
                await self._decide(handle, position)
                await self._parked(count)
        for handle in handles:
            await self._decide(handle, len(stretches) - 1)
        for handle in handles:
            await handle.result()
        self._expected += len(handles) * stretches[-1]
        return [read_events(await handle.fetch_history()) for handle in handles]

    async def _start(self, key: str, stretches: Sequence[int]) -> Handle:
        task = FloorTask(key=key, stretches=tuple(stretches))
        handle = await self._client.start_workflow(FloorRun.run, task, id=key, task_queue=QUEUE)
        await self._parked(stretches[0])
        return handle

    async def _decide(self, handle: Handle, position: int) -> None:
        await handle.signal(FloorRun.decide, FloorDecision(evidence_id=f"{handle.id}/{position}", verdict="approve"))

    async def _parked(self, activities: int) -> None:
        self._expected += activities
        await until(lambda: self._marks.stat().st_size >= self._expected, "the floor to reach its wait")


@asynccontextmanager
async def running_floor(folder: Path, repository: Path) -> AsyncIterator[Floor]:
    """Server and worker up, under the pragmas of the product's server; down again afterwards."""
    folder.mkdir(parents=True)
    marks = folder / "marks"
    marks.touch()
    supervisor = Supervisor(folder / "logs", repository)
    port, ui_port = free_port(), free_port()
    address = f"127.0.0.1:{port}"
    server = server_command(folder / "temporal.sqlite", port, ui_port)
    worker = [sys.executable, "-m", "evaluation.bench.floor_worker", address, str(marks)]
    try:
        supervisor.start(Part("temporal", server, server_ready(port, ui_port)))
        supervisor.start(Part("worker", worker, says(READY)))
        client = await Client.connect(address, data_converter=pydantic_data_converter)
        yield Floor(client, marks, supervisor.pids())
    finally:
        supervisor.stop()
