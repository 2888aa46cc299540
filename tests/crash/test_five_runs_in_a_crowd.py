"""Five runs overlap in a mailbox that others use too; answered in reverse order, one answer crossed."""

from dataclasses import replace

import pytest

from tests.crash.crowd import fill, of_last_week, standing, stranger
from tests.crash.records import APPROVALS, completed_once, effects, imap, parked
from tests.live import GOAL, live_system, until
from wire.task import RunState

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def crowd(new_plan):
    """The system, and INBOX as it stood before the product came up."""
    before = []

    def move_in(deployment):
        with imap(deployment, APPROVALS) as client:
            fill(client, [stranger(n) for n in range(500)])
            fill(client, [mail for n in range(8) for mail in of_last_week(n)])
            before.extend(standing(client))

    with live_system(new_plan("crowd"), move_in) as live:
        yield live, before


async def test_each_of_five_runs_ends_right_and_strangers_mail_is_untouched(crowd):
    live, before = crowd
    assert len(before) == 516
    orders = live.orders()
    runs = [live.start(f"{GOAL} (run {n} of five)") for n in range(5)]
    for run_id in runs:
        await parked(live, run_id)
    requests = [live.request_mail(run_id) for run_id in runs]
    crossed, other = requests[3], requests[1]
    mixed = replace(crossed.mail, message_id=other.mail.message_id, references=other.mail.references)
    for request in reversed(requests):
        if request is not other:
            live.reply(replace(request, mail=mixed) if request is crossed else request, "APPROVE")
    for run_id in (runs[3], runs[1]):
        await live.settled(run_id, RunState.HALTED)
        assert ([b.kind for b in live.ledger.blocks(run_id)], effects(live, run_id)) == (["collision"], [])
    for run_id in (runs[4], runs[2], runs[0]):
        await completed_once(live, run_id)
    assert live.orders() - orders == 3
    with imap(live.deployment, APPROVALS) as client:
        await until(lambda: len(standing(client)) <= len(before), "our answers are filed away")
        assert standing(client) == before
