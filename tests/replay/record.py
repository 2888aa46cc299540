"""Records histories of the present workflow: ``python -m tests.replay.record 0.1.0``.

Every release adds a folder; a folder that has been released is never recorded again, because runs parked by that release
exist and must go on under later workers.
"""

import argparse
import asyncio
import base64
import json
import os
import sys
from pathlib import Path
from typing import Any

from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from tests.fakes.stages import ScriptedStages
from tests.replay.scenarios import SCENARIOS, Scenario
from tests.workflow.conftest import register_search_attributes
from wire.task import TaskInput
from workflows.agent_task import AgentTask
from workflows.sandbox import workflow_runner

HISTORIES = Path(__file__).with_name("histories")


def run_id_of(name: str) -> str:
    """A run id that says what it is."""
    return "run-" + base64.b32encode(name.encode()).decode().lower().rstrip("=").ljust(26, "a")[:26]


def anonymous(value: Any) -> Any:
    """Without the names of the machine and the processes that recorded it."""
    if isinstance(value, list):
        return [anonymous(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: anonymous(item) for key, item in value.items()}
    if "identity" in kept:
        kept["identity"] = "recorded"
    if kept.get("kind") == "TASK_QUEUE_KIND_STICKY":
        kept["name"] = "sticky"
    return kept


async def record(environment: WorkflowEnvironment, scenario: Scenario) -> dict[str, Any]:
    """Play one scenario; its history as JSON."""
    stages = ScriptedStages(now=environment.get_current_time, **scenario.stages)
    run_id = run_id_of(scenario.name)
    task = TaskInput(
        run_id=run_id, goal="order pumps", requester="rita", policy_version="1", graph_hash="g",
        ledger_epoch="e", brain="planner", **scenario.task,
    )  # fmt: skip
    async with Worker(
        environment.client, task_queue=run_id, workflows=[AgentTask], activities=stages.activities(),
        workflow_runner=workflow_runner(),
    ):  # fmt: skip
        handle = await environment.client.start_workflow(AgentTask.run, task, id=run_id, task_queue=run_id)
        await scenario.play(stages, handle)
        if scenario.ends is not None:
            state = (await handle.result()).state
            if state is not scenario.ends:
                raise RuntimeError(f"scenario {scenario.name} ended {state.value}, not {scenario.ends.value}")
        history = await handle.fetch_history()
    answer: dict[str, Any] = anonymous(json.loads(history.to_json()))
    return answer


async def record_all(folder: Path) -> None:
    """One server and one file a scenario."""
    server = str(Path(sys.executable).with_name("temporal-test-server"))
    for scenario in SCENARIOS:
        async with await WorkflowEnvironment.start_time_skipping(
            test_server_existing_path=server, data_converter=pydantic_data_converter
        ) as environment:
            await register_search_attributes(environment)
            history = await record(environment, scenario)
        lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in history["events"])
        (folder / f"{scenario.name}.json").write_text(f'{{"events": [\n{lines}\n]}}\n', encoding="utf-8")
        sys.stdout.write(f"{scenario.name}: {len(history['events'])} events\n")


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", help="names the folder below tests/replay/histories")
    folder = HISTORIES / parser.parse_args().release
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        sys.stderr.write(f"{folder} exists: give the next release's name, released histories stay as they are\n")
        return 2
    asyncio.run(record_all(folder))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # the SDK's native threads can crash the interpreter while it ends (sdk-python#300)
