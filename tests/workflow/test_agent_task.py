"""The run on a time-skipping server: who moves it, and what never does."""

import asyncio
from datetime import timedelta

import pytest
from temporalio import activity

from tests.fakes.stages import WINDOW, ScriptedStages
from wire.activity_signatures import DecisionAnswer, DispatchResult, Proposed, ProposeInput
from wire.approval import MessageType, Outcome
from wire.task import RunState


@pytest.fixture
def stages(env):
    return ScriptedStages(now=env.get_current_time)


async def parked(stages, count=1):
    """Until ``count`` requests were sent and the run has asked nothing more."""
    while len(stages.sent) < count:
        await asyncio.sleep(0.01)


def says(stages, outcome, after=timedelta(minutes=5), review=0):
    """The ledger answers every query with this outcome, received ``after`` the last request was accepted."""

    def answer(query):
        received = stages.sent[-1].accepted_at + after
        return DecisionAnswer(decision=stages.decision(outcome, received, review), read_past=True)

    stages.answer = answer


async def test_an_approved_write_takes_effect_once(stages, run_task):
    async with run_task(stages) as handle:
        await parked(stages)
        says(stages, Outcome.ACCEPTED)
        await handle.signal("decision", {"evidence_id": "e"})
        result = await handle.result()
    assert (result.state, len(stages.written)) == (RunState.COMPLETED, 1)


async def test_a_decision_that_arrives_early_is_kept(stages, run_task):
    says(stages, Outcome.ACCEPTED)
    async with run_task(stages) as handle:
        await handle.signal("decision", {"evidence_id": "early"})
        result = await handle.result()
    assert result.writes == 1
    assert stages.queries[0].evidence_id == "early"


@pytest.mark.parametrize(
    "args",
    [
        (),
        (1, 2, 3),
        ("text",),
        ({"evidence_id": ["x"]},),
        ([],),
        (None,),
        ({"evidence_id": "e", "outcome": "accepted"},),
    ],
)
async def test_a_signal_is_never_believed_and_never_harms(stages, run_task, args):
    async with run_task(stages) as handle:
        await parked(stages)
        await handle.signal("decision", args=list(args))
        while not stages.queries:
            await asyncio.sleep(0.01)
        assert stages.written == []
        says(stages, Outcome.ACCEPTED)
        await handle.signal("decision", {"evidence_id": "real"})
        assert (await handle.result()).writes == 1


async def test_silence_brings_a_reminder_then_a_fresh_review_then_the_end(stages, run_task):
    stages.answer = lambda query: DecisionAnswer(read_past=True)
    async with run_task(stages) as handle:
        result = await handle.result()
    assert result.state is RunState.EXPIRED
    assert [s.review for s in stages.sent] == [0, 1, 2]
    assert [n.message_type for n in stages.notices].count(MessageType.APPROVAL_REMINDER) == 3
    assert stages.written == []


async def test_a_late_yes_opens_a_fresh_review_and_never_passes(stages, run_task):
    says(stages, Outcome.ACCEPTED, after=WINDOW + timedelta(seconds=1))
    stages.max_reviews = 2
    async with run_task(stages) as handle:
        result = await handle.result()
    assert (result.state, stages.written) == (RunState.EXPIRED, [])
    assert [s.detail for s in stages.sent] == ["first", "late"]


async def test_a_yes_in_time_counts_though_it_is_read_after_the_deadline(stages, run_task):
    says(stages, Outcome.ACCEPTED, after=WINDOW - timedelta(seconds=1))
    async with run_task(stages) as handle:
        result = await handle.result()
    assert result.writes == 1


async def test_a_no_goes_back_to_the_agent(stages, run_task):
    says(stages, Outcome.REJECTED)
    async with run_task(stages) as handle:
        await handle.signal("decision", {"evidence_id": "no"})
        result = await handle.result()
    assert (result.summary, stages.written) == ("done", [])


@pytest.mark.parametrize("kind", ["drifted"])
async def test_drift_asks_afresh_and_shows_why(stages, run_task, kind):
    stages.dispatches = [DispatchResult(kind=kind, summary="price changed")]
    stages.answer = lambda q: DecisionAnswer(
        decision=stages.decision(Outcome.ACCEPTED, stages.sent[-1].accepted_at, q.review)
    )
    async with run_task(stages) as handle:
        await handle.signal("decision", {"evidence_id": "1"})
        await parked(stages, 2)
        await handle.signal("decision", {"evidence_id": "2"})
        result = await handle.result()
    assert [s.detail for s in stages.sent] == ["first", "drifted"]
    assert (result.writes, result.state) == (2, RunState.COMPLETED)


@pytest.mark.parametrize("kind", ["unknown", "refused", "differs"])
async def test_what_dispatch_could_not_settle_parks_until_an_operator_cancels(stages, run_task, kind):
    stages.dispatches = [DispatchResult(kind=kind)]
    says(stages, Outcome.ACCEPTED)
    async with run_task(stages) as handle:
        await handle.signal("decision", {"evidence_id": "yes"})
        while not stages.written:
            await asyncio.sleep(0.01)
        stages.answer = lambda query: DecisionAnswer(run_state=RunState.CANCELLED)
        await handle.signal("decision", {})
        result = await handle.result()
    assert (result.state, len(stages.written)) == (RunState.CANCELLED, 1)


async def test_an_unknown_outcome_is_looked_up_again_at_every_word_and_asks_nobody_afresh(stages, run_task):
    stages.dispatches = [DispatchResult(kind="unknown"), DispatchResult(kind="unknown")]
    says(stages, Outcome.ACCEPTED)
    async with run_task(stages) as handle:
        for looked_up in (1, 2, 3):
            await handle.signal("decision", {"evidence_id": f"word {looked_up}"})
            while len(stages.written) < looked_up:
                await asyncio.sleep(0.01)
        result = await handle.result()
    assert (result.state, len(stages.sent)) == (RunState.COMPLETED, 1)


async def test_a_no_that_came_before_the_gate_rejects_the_write(stages, run_task):
    stages.dispatches = [DispatchResult(kind="refused", summary="blocked: rejected")]
    answers = iter([Outcome.ACCEPTED, Outcome.REJECTED])
    stages.answer = lambda q: DecisionAnswer(decision=stages.decision(next(answers), stages.sent[-1].accepted_at))
    async with run_task(stages) as handle:
        await handle.signal("decision", {"evidence_id": "yes"})
        result = await handle.result()
    assert (len(stages.written), len(stages.sent), result.state) == (1, 1, RunState.COMPLETED)


async def test_a_halted_run_asks_afresh_when_released(stages, run_task):
    state = [RunState.HALTED]
    stages.answer = lambda query: DecisionAnswer(run_state=state[0])
    async with run_task(stages) as handle:
        await handle.signal("decision", {"evidence_id": "collision"})
        while not stages.queries:
            await asyncio.sleep(0.01)
        state[0] = RunState.AWAITING_APPROVAL
        await handle.signal("decision", {})
        await parked(stages, 2)
        says(stages, Outcome.ACCEPTED, review=1)
        await handle.signal("decision", {"evidence_id": "again"})
        assert (await handle.result()).writes == 1
    assert [s.detail for s in stages.sent] == ["first", "released"]


async def test_cancelled_in_temporal_ends_as_cancelled(stages, run_task):
    async with run_task(stages) as handle:
        await parked(stages)
        await handle.cancel()
        result = await handle.result()
    assert (result.state, stages.written) == (RunState.CANCELLED, [])


async def test_the_step_cap_ends_a_run_that_never_finishes(stages, run_task):
    stages.turns = ["read"] * 9
    async with run_task(stages, step_cap=3) as handle:
        result = await handle.result()
    assert (result.state, stages.reads) == (RunState.FAILED, 3)


async def test_an_invalid_call_costs_a_turn_and_nothing_else(stages, run_task):
    stages.turns = ["invalid", "read"]
    async with run_task(stages) as handle:
        result = await handle.result()
    assert (result.state, stages.reads, stages.sent) == (RunState.COMPLETED, 1, [])


async def test_a_call_that_nobody_may_approve_ends_the_run(stages, run_task):
    stages.turns = ["denied"]
    async with run_task(stages) as handle:
        result = await handle.result()
    assert (result.state, result.summary) == (RunState.FAILED, "no rule")


async def test_a_dry_run_composes_and_sends_nothing(stages, run_task):
    async with run_task(stages, dry_run=True) as handle:
        result = await handle.result()
    assert (result.state, stages.written, stages.queries) == (RunState.COMPLETED, [], [])


async def test_state_query_tells_where_the_run_stands(stages, run_task):
    async with run_task(stages) as handle:
        await parked(stages)
        says(stages, Outcome.ACCEPTED)
        await handle.signal("decision", {"evidence_id": "e"})
        await handle.result()
        state = await handle.query("state")
    assert (state["state"], state["writes"]) == ("completed", 1)


class Slow(ScriptedStages):
    """A brain that never comes to an end of its turn."""

    @activity.defn
    async def propose_call(self, request: ProposeInput) -> Proposed:
        self.reads += 1
        await asyncio.Event().wait()
        raise AssertionError("cancelled before")


async def test_a_cancellation_that_meets_a_running_activity_cancels(env, run_task):
    stages = Slow(now=env.get_current_time)
    async with run_task(stages) as handle:
        while not stages.reads:
            await asyncio.sleep(0.01)
        await handle.cancel()
        assert (await handle.result()).state is RunState.CANCELLED


async def test_an_operator_has_the_call_asked_afresh(stages, run_task):
    async with run_task(stages) as handle:
        await parked(stages)
        stages.answer = lambda query: DecisionAnswer(asked_again=query.review == 0)
        await handle.signal("decision", {"evidence_id": "act-1"})
        await parked(stages, 2)
        says(stages, Outcome.ACCEPTED, review=1)
        await handle.signal("decision", {"evidence_id": "e"})
        result = await handle.result()
    assert (result.state, [review.review for review in stages.written]) == (RunState.COMPLETED, [1])
    assert [review.cause for review in stages.asked] == ["first", "operator"]
