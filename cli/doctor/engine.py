"""Temporal: reachable, its namespace, our search attributes, and a worker that polls our task queue."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cli.doctor.finding import Finding, right, unknown, wrong
from settings import Settings

if TYPE_CHECKING:
    from temporalio.client import Client

ATTRIBUTES = ("RunState", "Step", "Review", "Deadline", "PolicyVersion", "ApproverToken")
LONG_POLL_SECONDS = 75.0
"""A worker polls again after a minute at most; who has not for longer is gone."""


def look_at_engine(settings: Settings, now: datetime) -> Sequence[Finding]:
    """Every line about the engine."""
    return asyncio.run(_look(settings, now))


async def _look(settings: Settings, now: datetime) -> Sequence[Finding]:
    from temporalio.client import Client

    where = f"{settings.temporal_address}, namespace {settings.temporal_namespace}"
    later = [
        unknown(part, "Temporal cannot be asked", "mend Temporal first") for part in ("search attributes", "worker")
    ]
    try:
        client = await Client.connect(settings.temporal_address, namespace=settings.temporal_namespace)
    except RuntimeError as error:
        mend = "start the parts with 'starter.py up', or set COUNTERSIGN_TEMPORAL_ADDRESS"
        return [wrong("Temporal", f"{settings.temporal_address} does not answer: {error}", mend), *later]
    fault = await _namespace_fault(client, settings)
    if fault:
        mend = "make the namespace ('temporal operator namespace create'), or set COUNTERSIGN_TEMPORAL_NAMESPACE"
        return [wrong("Temporal", f"{where}: {fault}", mend), *later]
    return [right("Temporal", where), await _attributes(client, settings), await _worker(client, settings, now)]


async def _namespace_fault(client: "Client", settings: Settings) -> str:
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
    from temporalio.service import RPCError

    try:
        await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace=settings.temporal_namespace)
        )
    except RPCError as error:
        return error.message
    return ""


async def _attributes(client: "Client", settings: Settings) -> Finding:
    from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
    from temporalio.service import RPCError

    try:
        found = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=settings.temporal_namespace)
        )
    except RPCError as error:
        return unknown(
            "search attributes", f"the server does not list them ({error.message})", "look at them in its UI"
        )
    missing = [name for name in ATTRIBUTES if name not in found.custom_attributes]
    if missing:
        mend = "register them: 'temporal operator search-attribute create' (docker-compose.yml shows the types)"
        return wrong("search attributes", f"not registered: {', '.join(missing)}", mend)
    return right("search attributes", f"{', '.join(ATTRIBUTES)} are registered")


async def _worker(client: "Client", settings: Settings, now: datetime) -> Finding:
    from temporalio.api.enums.v1 import TaskQueueType
    from temporalio.api.taskqueue.v1 import TaskQueue
    from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest

    kinds = {"workflows": TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, "activities": TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY}
    told = []
    for name, kind in kinds.items():
        answer = await client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=settings.temporal_namespace,
                task_queue=TaskQueue(name=settings.task_queue),
                task_queue_type=kind,
            )
        )
        seen = [(now - p.last_access_time.ToDatetime(tzinfo=UTC)).total_seconds() for p in answer.pollers]
        fresh = [age for age in seen if age <= LONG_POLL_SECONDS]
        if not fresh:
            last = f"; the last one {min(seen):.0f} s ago" if seen else ""
            mend = "start 'python worker.py' (or 'starter.py up') and see its log"
            return wrong("worker", f"nobody polls queue {settings.task_queue} for {name}{last}", mend)
        told.append(f"{len(fresh)} for {name}")
    return right("worker", f"queue {settings.task_queue} is polled by {', '.join(told)}")
