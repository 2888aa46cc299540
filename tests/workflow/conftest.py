"""A time-skipping Temporal server for the suite, and one way to run a task on it."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.client import WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from embedded.temporal_server import SEARCH_ATTRIBUTES
from tests.fakes.stages import ScriptedStages
from tests.workflow.whole_run import Run, create, policy_of
from wire.agent import Turn
from wire.task import RunResult, TaskInput
from workflows.agent_task import AgentTask
from workflows.sandbox import workflow_runner

Handle = WorkflowHandle[AgentTask, RunResult]


@pytest.fixture(scope="session")
def test_server() -> str:
    return str(Path(sys.executable).with_name("temporal-test-server"))


@pytest.fixture
async def env(test_server: str) -> AsyncIterator[WorkflowEnvironment]:
    async with await WorkflowEnvironment.start_time_skipping(
        test_server_existing_path=test_server, data_converter=pydantic_data_converter
    ) as environment:
        await register_search_attributes(environment)
        yield environment


async def register_search_attributes(environment: WorkflowEnvironment) -> None:
    kinds = {
        name: IndexedValueType.Value(f"INDEXED_VALUE_TYPE_{kind.upper()}") for name, kind in SEARCH_ATTRIBUTES.items()
    }
    request = AddSearchAttributesRequest(namespace=environment.client.namespace, search_attributes=kinds)
    await environment.client.operator_service.add_search_attributes(request)


@pytest.fixture
def run_task(env: WorkflowEnvironment) -> Callable[..., object]:
    @asynccontextmanager
    async def start(stages: ScriptedStages, **changes: object) -> AsyncIterator[Handle]:
        run_id = f"run-{uuid4().hex[:26]}"
        task = TaskInput(
            run_id=run_id, goal="order pumps", requester="rita", policy_version="1", graph_hash="g",
            ledger_epoch="e", brain="planner", **changes,
        )  # fmt: skip
        queue = f"q-{run_id}"
        async with Worker(
            env.client, task_queue=queue, workflows=[AgentTask], activities=stages.activities(),
            workflow_runner=workflow_runner(),
        ):  # fmt: skip
            yield await env.client.start_workflow(AgentTask.run, task, id=run_id, task_queue=queue)

    return start


ONE_WRITE = (create("new"),)


@pytest.fixture
def running(env: WorkflowEnvironment) -> Iterator[Callable[..., object]]:
    """Starts a whole run (``tests.workflow.whole_run``); ``dead``: whose address is refused, else fields of the rule."""
    runs: list[Run] = []

    @asynccontextmanager
    async def start(
        *, dead: tuple[str, ...] = (), turns: Sequence[Turn] = ONE_WRITE, **rule: Any
    ) -> AsyncIterator[Run]:
        refused = {f"{name}@corp.example" if "@" not in name else name for name in dead}
        runs.append(Run(env, policy_of(**rule), turns, refused))
        async with runs[-1].worker():
            await runs[-1].start()
            yield runs[-1]
            assert await runs[-1].replay_failure() is None

    yield start
    for run in runs:
        run.ledger.dispose()
