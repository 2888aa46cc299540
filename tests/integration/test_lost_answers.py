"""Answers that are lost or lie, at services without request ids: what is there is looked up, and nothing is sent twice."""

from dataclasses import replace

import httpx
import pytest

from embedded.supervisor import Part
from tests.live import CREATE_ORDER, FINISH, GOAL, ORDER, READ_SUPPLIER, call, live_system, plan, policy_text
from wire.call import ExecutedCall
from wire.task import RunState

GIVEN = {**ORDER, "ExternalReference": "GIVEN-1"}
ORDER_AS_GIVEN = call("POST", "PURCHASE_ORDER", "PurchaseOrderSet", payload=GIVEN)
SCRIPTS = {"ours": [READ_SUPPLIER, CREATE_ORDER, FINISH], "given": [READ_SUPPLIER, ORDER_AS_GIVEN, FINISH]}


def with_faults(deployment):
    part = deployment.odata()
    deployment.supervisor.kill("odata")
    deployment.supervisor.start(Part(part.name, [*part.command, "--faults"], part.ready))


@pytest.fixture(scope="module", params=["ours", "given"])
def live(request, tmp_path_factory):
    """One deployment a script; its services keep no request ids."""
    made = plan(tmp_path_factory.mktemp(request.param), SCRIPTS[request.param], policy_text())
    env = {**(made.env or {}), "COUNTERSIGN_ODATA__REPEATABILITY": "false"}
    with live_system(replace(made, env=env), with_faults) as system:
        system.script = request.param
        yield system


def address(live, path):
    return f"http://127.0.0.1:{live.deployment.ports['odata']}/{path}"


def orders_sent(live):
    return sum("PurchaseOrderSet" in write["path"] for write in live.writes())


async def ended(live, goal, fault=None):
    """The run after its approval, with what it wrote: (state, posts, effect)."""
    posts = orders_sent(live)
    run_id = live.start(goal)
    item = live.request_mail(run_id)
    if fault is not None:
        body = {"kind": fault, "service": "PURCHASE_ORDER"}
        assert httpx.post(address(live, "_faults"), json=body).status_code == 201
    live.reply(item, "APPROVE")
    state = await live.settled(run_id, RunState.COMPLETED, RunState.FAILED, RunState.OUTCOME_UNKNOWN)
    (effect,) = live.ledger.effects(run_id)
    digest = effect.result_digest
    executed = ExecutedCall.model_validate_json(live.ledger.get(digest)) if digest else None
    return run_id, state, orders_sent(live) - posts, executed


async def test_a_lost_answer_is_looked_up_by_the_reference(live):
    """A reference of the caller's own names the order only while nothing else carries it."""
    run_id, state, posts, executed = await ended(live, f"{GOAL} (answer lost)", "lost_response")
    assert (state, posts, executed.looked_up) == (RunState.COMPLETED, 1, "ExternalReference")
    sent = executed.result.data["ExternalReference"]
    assert sent == "GIVEN-1" if live.script == "given" else sent.startswith(run_id)
    assert live.ledger.verify(run_id).intact
    assert "the answer was lost" in live.cli("show", run_id).stdout


async def test_a_lost_request_stays_unknown(live):
    run_id, state, posts, executed = await ended(live, f"{GOAL} (request lost)", "lost_request")
    assert (state, posts, executed) == (RunState.OUTCOME_UNKNOWN, 0, None)
    assert live.cli("cancel", run_id, "--reason", "looked it up by hand").returncode == 0
    await live.settled(run_id, RunState.CANCELLED)


async def test_success_without_effect_is_seen(live):
    run_id, state, posts, executed = await ended(live, f"{GOAL} (no effect)", "no_effect")
    assert (state, posts, executed.result.status) == (RunState.OUTCOME_UNKNOWN, 1, 201)
    assert "but it is not there" in live.ledger.run(run_id).detail
    assert live.cli("cancel", run_id, "--reason", "asked the service's people").returncode == 0


async def test_a_reference_that_was_used_before_proves_nothing(live):
    if live.script == "ours":
        pytest.skip("a reference of our own is never used before")
    assert (await ended(live, f"{GOAL} (first)"))[1] is RunState.COMPLETED
    _, state, posts, executed = await ended(live, f"{GOAL} (second, answer lost)", "lost_response")
    assert (state, posts, executed) == (RunState.OUTCOME_UNKNOWN, 1, None)
