"""The floor's worker, a process of its own: ``python -m evaluation.bench.floor_worker ADDRESS FILE``.

Each activity appends a byte to FILE, so that the bench sees progress without asking the server.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from temporalio import activity
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from evaluation.bench.floor_workflow import STEP, FloorRun, StepDone

QUEUE = "floor"
READY = "floor ready"


class FloorSteps:
    """The only activity: does nothing but leave its mark."""

    def __init__(self, marks: int) -> None:
        self._marks = marks

    @activity.defn(name=STEP)
    async def step(self, done: StepDone) -> StepDone:
        """The next number."""
        os.write(self._marks, b".")
        return StepDone(number=done.number + 1, text="done")


async def serve(address: str, marks: Path) -> None:
    """Serve until SIGTERM."""
    client = await Client.connect(address, data_converter=pydantic_data_converter)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    steps = FloorSteps(os.open(marks, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
    async with Worker(client, task_queue=QUEUE, workflows=[FloorRun], activities=[steps.step]):
        sys.stdout.write(f"{READY}\n")
        sys.stdout.flush()
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2])))
    sys.stdout.flush()
    os._exit(0)  # the SDK's native threads can crash the interpreter while it ends (sdk-python#300)
