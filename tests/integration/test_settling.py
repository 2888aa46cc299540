"""A write whose outcome nobody can prove, or that reads back otherwise, is settled by an operator; nothing is sent by it."""

import json
import re
import tomllib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from embedded.supervisor import Part
from policies.rulebook import parse_policy
from tests.live import CREATE_ORDER, FINISH, GOAL, READ_SUPPLIER, live_system, plan, policy_text
from wire.task import RunState

POLICY = policy_text().replace('operators = ["olga", "rita"]', 'operators = ["olga"]')
POLICY = POLICY.replace(
    'addresses = ["operator@countersign.example"]\n', 'addresses = ["operator@countersign.example"]\nos_users = ["*"]\n'
)


def with_faults(deployment):
    part = deployment.odata()
    deployment.supervisor.kill("odata")
    deployment.supervisor.start(Part(part.name, [*part.command, "--faults"], part.ready))


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A deployment whose services keep no request ids."""
    made = plan(tmp_path_factory.mktemp("settling"), [READ_SUPPLIER, CREATE_ORDER, FINISH], POLICY)
    with live_system(
        replace(made, env={**(made.env or {}), "COUNTERSIGN_ODATA__REPEATABILITY": "false"}), with_faults
    ) as it:
        yield it


async def parked(live, goal, fault):
    """A run that stands in outcome_unknown after its approved write, and how many writes were sent by then."""
    run_id = live.start(f"{GOAL} ({goal})")
    item = live.request_mail(run_id)
    url = f"http://127.0.0.1:{live.deployment.ports['odata']}/_faults"
    assert httpx.post(url, json={"kind": fault, "service": "PURCHASE_ORDER"}).status_code == 201
    live.reply(item, "APPROVE")
    await live.settled(run_id, RunState.OUTCOME_UNKNOWN)
    return run_id, len(live.writes())


def settle(live, run_id, outcome, *more):
    done = live.cli("settle", run_id, "--outcome", outcome, "--reason", "asked the ERP team", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_a_lost_request_is_settled_as_failed_and_the_agent_goes_on(live):
    run_id, writes = await parked(live, "lost", "lost_request")
    settle(live, run_id, "failed")
    state = await live.settled(run_id, RunState.COMPLETED, RunState.FAILED)
    assert (state, len(live.writes())) == (RunState.FAILED, writes)
    shown, audited = live.cli("show", run_id).stdout, live.cli("audit", run_id).stdout
    assert "settled by olga, not proven by the service: the write did not take effect" in shown
    assert "failed (NOT PROVEN: on a person's word)" in audited
    assert "intact" in audited


async def test_a_lost_request_is_settled_as_succeeded_with_what_was_seen(live):
    run_id, writes = await parked(live, "entered by hand", "lost_request")
    settle(live, run_id, "succeeded", "--key", "PurchaseOrder=4500000099", "--evidence", "entered it by hand")
    await live.settled(run_id, RunState.COMPLETED)
    assert len(live.writes()) == writes
    (seen,) = [o for o in live.ledger.observations(run_id) if o.kind == "written"]
    assert seen.data == {"PurchaseOrder": "4500000099"}
    assert "executed (NOT PROVEN: on a person's word)" in live.cli("audit", run_id).stdout


async def test_success_without_effect_is_accepted_as_seen(live):
    run_id, writes = await parked(live, "no effect", "no_effect")
    settle(live, run_id, "succeeded", "--evidence", "it is there, under another number")
    await live.settled(run_id, RunState.COMPLETED)
    assert len(live.writes()) == writes
    assert live.ledger.effects(run_id)[0].settled_by == "olga"
    assert live.ledger.verify(run_id).faults == ()


async def test_an_outcome_is_one_of_two_words_and_cancelling_stays_possible(live):
    run_id, _ = await parked(live, "refused", "lost_request")
    done = live.cli("settle", run_id, "--outcome", "perhaps", "--reason", "x")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert live.cli("cancel", run_id, "--reason", "enough").returncode == 0
    await live.settled(run_id, RunState.CANCELLED)


async def test_a_run_on_real_parts_is_erased_whole(live):
    """Every kind of event that a real run writes: nobody is named any more, and the record still verifies and can be read."""
    run_id, _ = await parked(live, "to be erased", "lost_request")
    settle(live, run_id, "succeeded", "--key", "PurchaseOrder=4500000100")
    await live.settled(run_id, RunState.COMPLETED)
    policy = parse_policy(tomllib.loads(POLICY) | {"retention_days": 1})
    live.ledger.erase(run_id, policy, "olga", "operator", "retention", datetime.now(UTC) + timedelta(days=2))
    assert live.ledger.verify(run_id).faults == ()
    shown, audited = live.cli("show", run_id), live.cli("--json", "audit", run_id)
    assert (shown.returncode, audited.returncode) == (0, 0)
    left = shown.stdout + json.dumps([e.model_dump(mode="json") for e in live.ledger.trail(run_id)]) + audited.stdout
    assert re.findall(r"\b(?:ann|rita)\b|Nordpump|to be erased|4500000100", left, re.IGNORECASE) == []
    assert "erased by policy" in audited.stdout
