"""Executions that were reset or terminated, and evidence that went missing: never a second or a different write."""

import sqlite3

import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import WorkflowExecutionStatus

from cli.exit_codes import Exit
from tests.crash.records import completed_once, effects, parked, until_judged
from tests.live import GOAL, until
from wire.approval import Outcome
from wire.task import RunState

pytestmark = pytest.mark.crash


async def reset(client, run_id, event_id):
    """Reset to a workflow task that completed."""
    history = await client.get_workflow_handle(run_id).fetch_history()
    request = ResetWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=history.run_id),
        reason="a test",
        request_id=f"{run_id}-{event_id}",
        workflow_task_finish_event_id=event_id,
    )
    await client.workflow_service.reset_workflow_execution(request)


async def workflow_tasks(client, run_id):
    """Ids of the workflow tasks that completed."""
    history = await client.get_workflow_handle(run_id).fetch_history()
    return [e.event_id for e in history.events if e.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED]


async def task_before(client, run_id, activity):
    """The workflow task that scheduled an activity."""
    history = await client.get_workflow_handle(run_id).fetch_history()
    scheduled = [
        e.activity_task_scheduled_event_attributes
        for e in history.events
        if e.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    ]
    return next(a.workflow_task_completed_event_id for a in scheduled if a.activity_type.name == activity)


async def ended(client, run_id):
    """Until the newest execution has ended in Temporal."""
    handle = client.get_workflow_handle(run_id)

    async def closed():
        return (await handle.describe()).status is not WorkflowExecutionStatus.RUNNING

    await until(closed, f"{run_id} has ended in Temporal")


def halts(live, run_id):
    return [block.kind for block in live.ledger.blocks(run_id)]


@pytest.mark.parametrize("place", [0, -1], ids=["to the start", "to the last task"])
async def test_reset_while_parked_halts_the_run(live, orders, place):
    run_id = live.start(f"{GOAL} (reset while parked, {place})")
    await parked(live, run_id)
    request, client = live.request_mail(run_id), await live.client()
    await reset(client, run_id, (await workflow_tasks(client, run_id))[place])
    live.reply(request, "APPROVE")
    await live.settled(run_id, RunState.HALTED, RunState.COMPLETED)
    await ended(client, run_id)
    assert (effects(live, run_id), orders()) == ([], 0)
    assert halts(live, run_id) == ["foreign_execution"]
    assert "foreign_execution" in live.cli("show", run_id).stdout


async def test_reset_to_before_the_write_writes_nothing_more(live, orders):
    run_id = live.start(f"{GOAL} (reset after the write)")
    live.approve(run_id)
    await completed_once(live, run_id)
    client = await live.client()
    await reset(client, run_id, await task_before(client, run_id, "dispatch_write"))
    await ended(client, run_id)
    assert (effects(live, run_id), orders()) == (["executed"], 1)
    assert live.ledger.run(run_id).state is RunState.COMPLETED
    assert "refused a foreign execution" in live.cli("show", run_id).stdout


async def test_terminated_while_parked_and_asked_for_again(live, orders):
    goal = f"{GOAL} (terminated while parked)"
    run_id = live.start(goal)
    await parked(live, run_id)
    client = await live.client()
    await client.get_workflow_handle(run_id).terminate("a test")
    live.approve(run_id)
    await live.settled(run_id, RunState.HALTED)
    again = live.cli("run", goal)
    assert (again.returncode, halts(live, run_id)) == (Exit.HALTED, ["execution_ended"])
    assert live.cli("cancel", run_id, "--reason", "terminated by mistake").returncode == 0
    await live.settled(run_id, RunState.CANCELLED)
    assert (effects(live, run_id), orders()) == ([], 0)


async def test_asking_again_for_a_terminated_run_halts_it(live, orders):
    goal = f"{GOAL} (terminated, then asked for again)"
    run_id = live.start(goal)
    await parked(live, run_id)
    client = await live.client()
    await client.get_workflow_handle(run_id).terminate("a test")
    again = live.cli("run", goal)
    assert (again.returncode, halts(live, run_id)) == (Exit.HALTED, ["execution_ended"])
    live.approve(run_id)
    await until_judged(live, run_id, Outcome.REFUSED)
    assert (effects(live, run_id), orders()) == ([], 0)


async def test_a_decision_whose_raw_mail_is_gone_has_no_effect(live, orders):
    run_id = live.start(f"{GOAL} (evidence is lost)")
    await parked(live, run_id)
    live.kill("worker")
    live.approve(run_id)
    await until_judged(live, run_id, Outcome.ACCEPTED)
    (mail,) = live.ledger.mails(run_id)
    with sqlite3.connect(live.state / "ledger.sqlite") as connection:
        connection.execute("DELETE FROM content WHERE digest = ?", (mail.raw_digest,))
    live.restart("worker")
    await live.settled(run_id, RunState.HALTED, RunState.COMPLETED)
    assert (effects(live, run_id), orders()) == ([], 0)
    await until(lambda: not live.ledger.pending_outbox("signal"), "the run has been told of its halt")
    assert live.cli("cancel", run_id, "--reason", "evidence is lost").returncode == 0
    await live.settled(run_id, RunState.CANCELLED)
    assert [event.kind for event in live.ledger.trail(run_id)].count("run_halted") == 1
    assert not live.ledger.verify(run_id).intact
