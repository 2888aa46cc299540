"""Operators' acts on whole runs: cancelled is withdrawn and stays so; an outcome that nobody can prove is settled by a word."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from ledger.settling import Saw
from tests.workflow.whole_run import Run, Shop, create, policy_of
from wire.approval import MessageType, Outcome
from wire.task import RunState

Started = Callable[..., Any]
WITHDRAWN = MessageType.WITHDRAWAL_NOTICE


class Silent(Shop):
    """Takes writes and never answers them; ``shown``: what reading finds."""

    def __init__(self, *, shown: bool, repeatable: bool) -> None:
        super().__init__()
        self.posts, self.shown, self._repeatable = 0, shown, repeatable

    def _serve(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            self.posts += 1
            self.written.append(json.loads(request.content))
            raise httpx.ReadTimeout("no answer")
        found = self.written[-1:] if self.shown else []
        if "(" in request.url.path:
            return httpx.Response(200, json=found[0]) if found else httpx.Response(404)
        return httpx.Response(200, json={"value": found})


@pytest.fixture
def running(env) -> Iterator[Started]:
    runs: list[Run] = []

    @asynccontextmanager
    async def start(shop: Shop | None = None) -> AsyncIterator[Run]:
        runs.append(Run(env, policy_of(), (create("new"),), shop=shop or Shop()))
        async with runs[-1].worker():
            await runs[-1].start()
            yield runs[-1]

    yield start
    for run in runs:
        run.ledger.dispose()


async def now(run: Run) -> datetime:
    return (await run.env.get_current_time()).astimezone(UTC)


async def test_a_cancelled_run_is_withdrawn_and_a_later_yes_is_refused_and_recorded(running):
    async with running() as run:
        await run.asked(1)
        assert run.ledger.cancel(run.run_id, "olga", "ordered elsewhere", await now(run))
        await run.signal()
        result = await run.handle.result()
        judged = await run.answer("approve")
    assert (result.state, run.shop.written) == (RunState.CANCELLED, [])
    assert [to for to, _, _ in run.notices(WITHDRAWN)] == ["ann"]
    assert judged.outcome is Outcome.REFUSED
    assert [(mail.outcome, mail.reason) for mail in run.ledger.mails(run.run_id)] == [(Outcome.REFUSED, judged.reason)]
    assert [to for to, _, _ in run.notices(MessageType.REFUSAL_NOTICE)] == ["ann"]
    assert run.ledger.raw_mail(judged.evidence_id)
    assert run.ledger.verify(run.run_id).faults == ()


async def unknown(run: Run) -> None:
    await run.asked(1)
    await run.answer("approve")
    await run.until(lambda: run.ledger.run(run.run_id).state is RunState.OUTCOME_UNKNOWN, "outcome unknown")


async def settle(run: Run, outcome: str) -> None:
    saw = Saw(outcome=outcome, key={"User": "new"}, evidence="seen in the system")
    run.ledger.settle(run.run_id, "olga", "asked them", saw, run.policy, await now(run))
    await run.signal()


@pytest.mark.parametrize("repeatable", [True, False])
@pytest.mark.parametrize(("outcome", "effect", "writes"), [("succeeded", "executed", 1), ("failed", "failed", 0)])
async def test_a_word_settles_what_cannot_be_proven_and_sends_nothing(running, repeatable, outcome, effect, writes):
    shop = Silent(shown=False, repeatable=repeatable)
    async with running(shop) as run:
        await unknown(run)
        posts = shop.posts
        await settle(run, outcome)
        result = await asyncio.wait_for(run.handle.result(), 60)
    (row,) = run.ledger.effects(run.run_id)
    assert (row.outcome, row.settled_by, result.writes, shop.posts) == (effect, "olga", writes, posts)
    assert "settled by olga, not proven" in run.brain.told[-1][-1].text
    assert run.ledger.verify(run.run_id).faults == ()


async def test_operators_get_one_mail_about_an_outcome_that_nobody_knows(running):
    async with running(Silent(shown=False, repeatable=False)) as run:
        await unknown(run)
        await run.signal()
        await run.until(lambda: len(run.notices(MessageType.OPERATOR_ALERT)) > 0, "an alert")
        await settle(run, "failed")
        await asyncio.wait_for(run.handle.result(), 60)
    ((to, _, said),) = run.notices(MessageType.OPERATOR_ALERT)
    assert to == "olga"
    assert "nothing tells whether it took effect" in said
    assert "'settle'" in said


async def test_what_the_service_proves_counts_for_more_than_a_word(running):
    shop = Silent(shown=False, repeatable=False)
    async with running(shop) as run:
        await unknown(run)
        shop.shown = True
        await settle(run, "failed")
        result = await asyncio.wait_for(run.handle.result(), 60)
    (row,) = run.ledger.effects(run.run_id)
    assert (row.outcome, row.settled_by, result.state, shop.posts) == ("executed", None, RunState.COMPLETED, 1)
    assert any(event.kind == "settlement_set_aside" for event in run.ledger.trail(run.run_id))
