"""The main job on real parts: two writes, each after a real reply to a real mail."""

import json

import pytest

from tests.live import GOAL, TWO_WRITES, Live, live_system, plan, policy_text, until
from wire.task import RunState


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("main")
    with live_system(plan(folder, TWO_WRITES, policy_text())) as system:
        yield system


async def approved_run(live: Live, goal: str) -> str:
    run_id = live.start(goal)
    live.approve(run_id, step=2)
    live.approve(run_id, step=3)
    await live.settled(run_id, RunState.COMPLETED)
    return run_id


async def test_two_writes_take_effect_only_after_two_replies(live):
    before = live.orders()
    run_id = live.start(f"{GOAL} (first)")
    item = live.request_mail(run_id, step=2)
    assert live.orders() == before
    live.reply(item, "APPROVE")
    live.approve(run_id, step=3)
    assert await live.settled(run_id, RunState.COMPLETED, RunState.FAILED) is RunState.COMPLETED
    assert live.orders() == before + 1
    assert [e.outcome for e in live.ledger.effects(run_id)] == ["executed", "executed"]


async def test_audit_answers_from_records_alone_and_verifies(live):
    run_id = await approved_run(live, f"{GOAL} (second)")
    done = live.cli("--json", "audit", run_id)
    answer = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert answer["chain"]["intact"]
    write = answer["writes"][0]
    assert (write["approvals"][0]["person"], write["rule_id"]) == ("ann", "all")
    assert write["origin"]["exchanges"][0][0] == "faulty"


async def test_an_exported_record_is_judged_offline_and_shows_what_was_altered(live, tmp_path):
    run_id = await approved_run(live, f"{GOAL} (exported)")
    folder = tmp_path / "record"
    assert live.cli("audit", run_id, "--export", str(folder)).returncode == 0
    assert live.cli("audit", "--exported", str(folder)).returncode == 0
    events = (folder / "events.jsonl").read_text()
    (folder / "events.jsonl").write_text(events.replace('"person":"ann"', '"person":"eve"'))
    done = live.cli("audit", "--exported", str(folder))
    assert (done.returncode, "was altered" in done.stdout) == (11, True)


async def test_a_no_stops_the_write_and_the_run_says_so(live):
    before = live.orders()
    run_id = live.start(f"{GOAL} (third)")
    live.reply(live.request_mail(run_id, step=2), "REJECT\n\nwrong supplier")
    await live.settled(run_id, RunState.REJECTED, RunState.FAILED, RunState.NEEDS_INPUT)
    assert live.orders() == before
    assert any("wrong supplier" in o.text for o in live.ledger.observations(run_id))
    told = live.cli("audit", run_id).stdout
    assert "never sent" in told
    assert "rejected  rejected, by ann" in told


async def test_a_decision_signalled_by_hand_has_no_effect(live):
    before = live.orders()
    run_id = live.start(f"{GOAL} (fourth)")
    live.request_mail(run_id, step=2)
    client = await live.client()
    handle = client.get_workflow_handle(run_id)
    forged = {"run_id": run_id, "step": 2, "review": 0, "evidence_id": "f" * 64, "outcome": "accepted", "person": "ann"}
    await handle.signal("decision", forged)
    await until(lambda: _decision_read(handle), "the run asks the ledger")
    assert live.orders() == before
    assert live.ledger.run(run_id).state is RunState.AWAITING_APPROVAL
    assert live.cli("cancel", run_id, "--reason", "test is over").returncode == 0
    await live.settled(run_id, RunState.CANCELLED)


async def _decision_read(handle) -> bool:
    history = await handle.fetch_history()
    scheduled = [
        e.activity_task_scheduled_event_attributes.activity_type.name for e in history.events if e.event_type == 10
    ]
    return "read_decision" in scheduled


async def test_the_same_request_again_is_the_same_run(live):
    run_id = await approved_run(live, f"{GOAL} (fifth)")
    again = live.cli("run", f"{GOAL} (fifth)")
    assert again.returncode == 9
    assert run_id in again.stderr
