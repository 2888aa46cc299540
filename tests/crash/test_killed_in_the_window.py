"""The worker is killed after a server has done its part and before we could record it: a mail taken, an order created."""

from dataclasses import replace

import pytest

from tests.crash.proxies import Proxy, after_data, after_post_to
from tests.crash.records import asked, effects, judged, parked, request_mails
from tests.live import GOAL, live_system, until
from wire.approval import Outcome
from wire.call import ExecutedCall
from wire.task import RunState

pytestmark = pytest.mark.crash
keeps_ids = pytest.mark.parametrize("system", ["true"], indirect=True, ids=["repeatable"])
keeps_none = pytest.mark.parametrize("system", ["false"], indirect=True, ids=["unrepeatable"])


class Proxied:
    """A deployment whose worker and mailroom reach both servers through proxies."""

    def __init__(self, made, repeatability):
        self.env = {**(made.env or {}), "COUNTERSIGN_ODATA__REPEATABILITY": repeatability}
        self.plan = replace(made, env=self.env)

    def insert(self, deployment):
        self.smtp = Proxy(deployment.ports["smtp"], after_data)
        self.odata = Proxy(deployment.ports["odata"], after_post_to("PurchaseOrderSet"))
        self.env["COUNTERSIGN_SMTP__PORT"] = str(self.smtp.port)
        self.env["COUNTERSIGN_ODATA__BASE_URL"] = f"http://127.0.0.1:{self.odata.port}/{{service}}/"

    def close(self):
        self.smtp.close()
        self.odata.close()


@pytest.fixture(scope="module")
def system(request, new_plan):
    proxied = Proxied(new_plan("window"), request.param)
    with live_system(proxied.plan, proxied.insert) as live:
        yield live, proxied
    proxied.close()


async def killed_when_held(live, proxy):
    """Kill the worker once the proxy withholds an answer, and start it again."""
    await until(proxy.held.is_set, "the server's answer is withheld")
    live.kill("worker")
    live.restart("worker")


async def ordered_and_killed(live, proxy, goal):
    """An approved order that exists, though the worker died before it heard so."""
    run_id = live.start(goal)
    await parked(live, run_id)
    proxy.arm()
    live.approve(run_id)
    await killed_when_held(live, proxy)
    return run_id


@keeps_ids
async def test_killed_after_the_mail_was_taken(system):
    live, proxied = system
    before = live.orders()
    proxied.smtp.arm()
    run_id = live.start(f"{GOAL} (killed after the final dot)")
    await killed_when_held(live, proxied.smtp)
    await parked(live, run_id)
    first, second = request_mails(live, run_id)
    assert first == second
    assert asked(live, run_id) == [(2, 0, 2, 1)]
    live.approve(run_id)
    await live.settled(run_id, RunState.COMPLETED)
    live.reply(live.request_mail(run_id), "APPROVE")
    await until(lambda: len(judged(live, run_id)) == 2, "the answer to the copy is judged")
    assert judged(live, run_id) == [Outcome.ACCEPTED, Outcome.IGNORED]
    assert (effects(live, run_id), live.orders() - before) == (["executed"], 1)


@keeps_ids
async def test_killed_after_the_order_was_created(system):
    live, proxied = system
    before = live.orders()
    run_id = await ordered_and_killed(live, proxied.odata, f"{GOAL} (killed after the POST)")
    await live.settled(run_id, RunState.COMPLETED)
    (effect,) = live.ledger.effects(run_id)
    assert ExecutedCall.model_validate_json(live.ledger.get(effect.result_digest)).replayed
    assert (effects(live, run_id), live.orders() - before) == (["executed"], 1)
    assert live.ledger.verify(run_id).intact


@keeps_none
async def test_killed_after_the_order_was_created_at_a_service_that_keeps_no_ids(system):
    live, proxied = system
    before, posts = live.orders(), len(live.writes())
    run_id = await ordered_and_killed(live, proxied.odata, f"{GOAL} (killed after the POST, no ids kept)")
    await live.settled(run_id, RunState.COMPLETED)
    (effect,) = live.ledger.effects(run_id)
    executed = ExecutedCall.model_validate_json(live.ledger.get(effect.result_digest))
    assert (executed.looked_up, executed.replayed) == ("ExternalReference", False)
    assert (len(live.writes()) - posts, live.orders() - before) == (1, 1)
    assert live.ledger.verify(run_id).intact
