"""A part is killed while a run waits for its approver; started again, the run goes on as if nothing had been."""

from dataclasses import replace

import pytest

from embedded.supervisor import says
from tests.crash.records import completed_once, judged, parked, until_judged
from tests.live import GOAL, until
from wire.approval import Outcome

pytestmark = pytest.mark.crash


@pytest.mark.parametrize("part", ["worker", "mailroom", "temporal"])
async def test_a_part_killed_while_parked(live, orders, part):
    run_id = live.start(f"{GOAL} ({part} is killed)")
    await parked(live, run_id)
    live.kill(part)
    live.restart(part)
    live.approve(run_id)
    await completed_once(live, run_id)
    assert orders() == 1


async def test_everything_killed_at_once(live, orders):
    run_id = live.start(f"{GOAL} (everything is killed)")
    await parked(live, run_id)
    parts = ("temporal", "mail", "odata", "worker", "mailroom")
    for part in parts:
        live.kill(part)
    for part in parts:
        live.restart(part)
    live.approve(run_id)
    await completed_once(live, run_id)
    assert orders() == 1


@pytest.mark.parametrize("part", ["worker", "mailroom"])
async def test_a_reply_that_comes_while_a_part_is_down(live, orders, part):
    run_id = live.start(f"{GOAL} (answered while {part} is down)")
    await parked(live, run_id)
    live.kill(part)
    live.approve(run_id)
    live.restart(part)
    await completed_once(live, run_id)
    assert orders() == 1


async def test_mailroom_killed_between_commit_and_signal(live, orders):
    run_id = live.start(f"{GOAL} (mailroom is killed before it signals)")
    await parked(live, run_id)
    live.kill("temporal")
    live.approve(run_id)
    await until_judged(live, run_id, Outcome.ACCEPTED)
    live.kill("mailroom")
    assert live.ledger.pending_outbox("signal")
    live.restart("temporal")
    live.restart("mailroom")
    await completed_once(live, run_id)
    assert orders() == 1


async def test_two_mailrooms_are_harmless(live, orders):
    second = replace(live.deployment.mailroom(), name="mailroom2", ready=says("lease_waited_for"))
    live.deployment.supervisor.start(second)
    run_id = live.start(f"{GOAL} (two mailrooms)")
    live.approve(run_id)
    await completed_once(live, run_id)
    live.kill("mailroom")
    other = live.start(f"{GOAL} (the second mailroom alone)")
    live.approve(other)
    await completed_once(live, other)
    live.kill("mailroom2")
    live.restart("mailroom")
    await until(lambda: judged(live, run_id) == judged(live, other) == [Outcome.ACCEPTED], "each reply judged once")
    assert orders() == 2
