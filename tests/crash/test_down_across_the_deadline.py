"""The worker is down while a deadline passes: the receipt time decides, whatever was read or woken first."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from tests.crash.records import asked, completed_once, effects, parked, until_judged
from tests.live import GOAL, policy_text, until
from wire.approval import Outcome
from wire.task import RunState

pytestmark = pytest.mark.crash


@contextmanager
def window(live, seconds):
    """Requests made meanwhile have this window, however much of it is gone when the server takes them."""
    policy = live.deployment.plan.policy_file
    before = policy.read_text()
    policy.write_text("late_acceptance_share = 1.0\n" + policy_text(window=seconds))
    yield
    policy.write_text(before)


async def parked_and_killed(live, goal, seconds):
    """A run whose request has a short window, with the worker dead."""
    with window(live, seconds):
        run_id = live.start(goal)
        await parked(live, run_id)
    live.kill("worker")
    return run_id


async def deadline_passes(live, run_id):
    """INTERNALDATE has whole seconds: only the next second is later than the deadline's."""
    deadline = live.ledger.requests(run_id)[-1].deadline
    await until(lambda: datetime.now(UTC) >= deadline + timedelta(seconds=1), "the deadline has passed")


async def test_a_reply_in_time_counts_though_it_is_read_after_the_deadline(live, orders):
    run_id = await parked_and_killed(live, f"{GOAL} (worker down, reply in time)", 15)
    live.approve(run_id)
    await until_judged(live, run_id, Outcome.ACCEPTED)
    await deadline_passes(live, run_id)
    live.restart("worker")
    await completed_once(live, run_id)
    assert orders() == 1


async def test_a_late_reply_opens_a_fresh_review_and_never_passes(live, orders):
    run_id = await parked_and_killed(live, f"{GOAL} (worker down, late reply)", 10)
    await deadline_passes(live, run_id)
    live.approve(run_id)
    await until_judged(live, run_id, Outcome.LATE)
    live.restart("worker")
    fresh = live.request_mail(run_id)
    assert (fresh.mail.message_type, fresh.mail.review) == ("fresh_review_request", "1")
    assert (effects(live, run_id), orders()) == ([], 0)
    live.reply(fresh, "APPROVE")
    await live.settled(run_id, RunState.COMPLETED)
    assert (effects(live, run_id), orders()) == (["executed"], 1)
    assert [(review, copies) for _, review, _, copies in asked(live, run_id)] == [(0, 1), (1, 1)]
