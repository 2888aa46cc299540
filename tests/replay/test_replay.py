"""Runs that earlier workers began, ended or left parked go on under the present workflow."""

import base64
import json
import re

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer
from temporalio.workflow import NondeterminismError

from tests.replay.broken_workflow import SleepsFirst
from tests.replay.record import HISTORIES, run_id_of
from tests.replay.scenarios import SCENARIOS
from workflows.agent_task import AgentTask
from workflows.sandbox import workflow_runner

FILES = sorted(HISTORIES.glob("*/*.json"))
NAMES = [f"{file.parent.name}/{file.stem}" for file in FILES]


def replayer(workflow):
    return Replayer(workflows=[workflow], workflow_runner=workflow_runner(), data_converter=pydantic_data_converter)


def history(file):
    return WorkflowHistory.from_json(run_id_of(file.stem), file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=NAMES)
async def test_every_recorded_history_replays(file):
    result = await replayer(AgentTask).replay_workflow(history(file))
    assert result.replay_failure is None


@pytest.mark.parametrize("file", FILES[:3], ids=NAMES[:3])
async def test_a_careless_change_of_the_workflow_is_noticed(file):
    result = await replayer(SleepsFirst).replay_workflow(history(file), raise_on_replay_failure=False)
    assert isinstance(result.replay_failure, NondeterminismError)


def test_the_latest_release_has_every_scenario():
    latest = max(file.parent for file in FILES)
    assert {file.stem for file in latest.glob("*.json")} == {scenario.name for scenario in SCENARIOS}


def test_some_histories_are_of_parked_runs():
    ends = [json.loads(file.read_text(encoding="utf-8"))["events"][-1]["eventType"] for file in FILES]
    assert sum("EXECUTION_COMPLETED" not in end for end in ends) >= 3


def test_histories_name_no_machine():
    texts = [file.read_text(encoding="utf-8") for file in FILES]
    assert not [t for t in texts if re.search(r'"identity": "(?!recorded)|/(home|root|tmp|work)/', t)]


def indexed(name):
    """Every set of search attributes that a recorded run wrote, in order."""
    events = json.loads((max(FILES).parent / f"{name}.json").read_text(encoding="utf-8"))["events"]
    upserts = [e["upsertWorkflowSearchAttributesEventAttributes"] for e in events if "upsertWorkflow" in "".join(e)]
    fields = [upsert["searchAttributes"]["indexedFields"] for upsert in upserts]
    return [{k: json.loads(base64.b64decode(v["data"])) for k, v in each.items()} for each in fields]


def test_a_parked_run_is_found_by_state_step_and_approver():
    last = indexed("second_write_parked")
    found = {key: value for each in last for key, value in each.items()}
    assert (found["RunState"], found["Step"]) == ("awaiting_approval", 2)
    assert found["ApproverToken"]


def test_states_that_pass_at_once_cost_the_server_nothing():
    states = [each["RunState"] for each in indexed("two_writes")]
    assert "validating" not in states
    assert len(states) == 10
