"""Dead servers, a dry run, real metadata: each ends in an honest state with one clear line, and nothing is half done."""

import json
import shutil
from functools import partial

import pytest

from tests.live import CATALOGUE, GOAL, ONE_WRITE, TWO_WRITES, live_system, plan, policy_text, until
from wire.task import RunState


def planned(folder, script, catalogues=(CATALOGUE,), **env):
    made = plan(folder, script, policy_text(), catalogues)
    return made.__class__(**{**made.__dict__, "env": {**(made.env or {}), **env}})


async def test_a_dead_mail_server_keeps_the_request_and_says_so(tmp_path):
    with live_system(planned(tmp_path, ONE_WRITE)) as live:
        live.kill("mail")
        run_id = live.start(GOAL)
        await until(lambda: live.ledger.run(run_id).detail.startswith("not sent yet"), "the trouble to be said")
        assert "SMTP server 127.0.0.1" in live.ledger.run(run_id).detail
        live.restart("mail")
        live.approve(run_id)
        assert await live.settled(run_id, RunState.COMPLETED, RunState.FAILED) is RunState.COMPLETED
        assert [m.copies for r in live.ledger.requests(run_id) for m in r.mails] == [1]


async def test_a_dead_odata_service_fails_the_read_and_the_run_says_so(tmp_path):
    with live_system(
        planned(tmp_path, [TWO_WRITES[0], {"action": "finish", "thought": "x", "answer": "read"}])
    ) as live:
        live.kill("odata")
        done = live.cli("--json", "run", GOAL, "--wait")
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["state"]) == (1, "failed")
        told = live.ledger.observations(answer["run_id"])
        assert [o.kind for o in told] == ["failed"]


async def test_a_dead_odata_service_at_dispatch_fails_with_nothing_done(tmp_path):
    with live_system(planned(tmp_path, ONE_WRITE)) as live:
        run_id = live.start(GOAL)
        item = live.request_mail(run_id)
        live.kill("odata")
        live.reply(item, "APPROVE")
        state = await live.settled(run_id, RunState.FAILED, RunState.OUTCOME_UNKNOWN, RunState.COMPLETED)
        assert (state, [e.outcome for e in live.ledger.effects(run_id)]) == (RunState.FAILED, ["failed"])
        live.restart("odata")
        assert live.writes() == []


async def test_a_dead_model_endpoint_fails_the_run_in_one_line(tmp_path):
    env = {"COUNTERSIGN_MODEL__BASE_URL": "http://127.0.0.1:9/v1", "COUNTERSIGN_MODEL__NAME": "nobody"}
    with live_system(planned(tmp_path, None, **env)) as live:
        done = live.cli("--json", "run", GOAL, "--wait")
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["state"], answer["brain"]) == (1, "failed", "endpoint:nobody")
        assert "127.0.0.1:9" in answer["summary"]


async def test_a_dry_run_composes_the_mail_and_sends_nothing(tmp_path):
    with live_system(planned(tmp_path, TWO_WRITES)) as live:
        done = live.cli("--json", "run", GOAL, "--dry-run", "--wait")
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["state"]) == (0, "completed")
        composed = [e for e in live.ledger.trail(answer["run_id"]) if e.kind == "dry_run_composed"]
        raw = live.ledger.get(composed[0].payload["content"]["mail_0"])
        assert b"APPROVE" in raw
        assert (live.writes(), live.ledger.requests(answer["run_id"])) == ([], ())
        with live.mailbox() as client:
            assert client.new_mails() == []


SAP = ("API_SALES_ORDER_SRV", "API_OUTBOUND_DELIVERY_SRV", "API_PURCHASEORDER_PROCESS_SRV")
SAP_GOAL = (
    "Enter a standard order for sold-to party 10100001 in sales organization 1010, distribution channel 10, organization "
    "division 00, with 12 EA of material TG11, then create the outbound delivery for that sales order from shipping point 1010."
)
SAP_PURCHASE = (
    "Create a standard purchase order with supplier 17300001 for company code 1010, purchasing organization 1010, purchasing "
    "group 001: 20 pieces of material TG11 for plant 1010 at a net price of 15.00 EUR."
)


@pytest.fixture(scope="module")
def sap(tmp_path_factory, shared):
    folder = tmp_path_factory.mktemp("sap")
    catalogue = folder / "catalogue"
    shutil.copytree(shared / "bench" / "processes", catalogue / "processes")
    for name in SAP:
        shutil.copyfile(shared / "corpus" / "edmx" / f"{name}.edmx", catalogue / f"{name}.edmx")
    for name in ("bindings", "carryover", "codes", "required"):
        shutil.copyfile(shared / "bench" / f"{name}.csv", catalogue / f"{name}.csv")
    with live_system(planned(folder, None, (catalogue,))) as live:
        yield live


def _has_effect(live, run_id, step) -> bool:
    return any(e.step == step and e.outcome for e in live.ledger.effects(run_id))


async def approve_all(live, run_id):
    ends = {RunState.COMPLETED, RunState.FAILED, RunState.NEEDS_INPUT, RunState.REJECTED}
    while True:
        await live.settled(run_id, RunState.AWAITING_APPROVAL, *ends)
        if live.ledger.run(run_id).state in ends:
            return live.ledger.run(run_id)
        step = live.ledger.requests(run_id)[-1].step
        live.approve(run_id, step)
        await until(partial(_has_effect, live, run_id, step), "the effect")
        await until(lambda: live.ledger.run(run_id).state is not RunState.DISPATCHING, "the next turn")


@pytest.mark.parametrize(("goal", "writes"), [(SAP_GOAL, 2), (SAP_PURCHASE, 1)])
async def test_the_planner_completes_a_run_over_real_sap_metadata(sap, goal, writes):
    row = await approve_all(sap, sap.start(goal))
    assert (row.state, row.summary) == (RunState.COMPLETED, row.summary)
    assert [e.outcome for e in sap.ledger.effects(row.run_id)] == ["executed"] * writes
