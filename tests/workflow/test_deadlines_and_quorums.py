"""Deadlines, reminders, chains, tails and quorums, with real stages, gates and ledger on skipped time."""

from datetime import timedelta
from typing import Any

import pytest

from tests.workflow.whole_run import CHAIN, Run, now_there
from wire.approval import Judgement, MessageType, Outcome, RequestStatus
from wire.task import RunState

NOTICE = MessageType.WITHDRAWAL_NOTICE


async def test_votes_of_an_older_review_never_count(running):
    async with running(approvers=("ann", "ben"), quorum=2) as run:
        await run.asked(1)
        await run.answer("approve", "ann")
        await run.sleep(66)
        await run.asked(2)
        await run.answer("approve", "ben")
        assert (await run.answer("approve", "ann", review=0)).outcome is Outcome.REFUSED
        assert run.shop.written == []
        await run.answer("approve", "ann")
        result = await run.handle.result()
    assert ([cause for cause, _ in run.causes()], result.writes) == (["first", "overdue"], 1)


@pytest.mark.parametrize("first", ["approve", "nothing"])
async def test_one_no_stops_a_quorum(running, first):
    async with running(approvers=("ann", "ben"), quorum="all") as run:
        await run.asked(1)
        if first == "approve":
            await run.answer("approve", "ann")
        await run.answer("reject", "ben")
        assert (await run.answer("approve", "ann")).outcome is Outcome.REFUSED
        result = await run.handle.result()
    assert (result.state, run.shop.written) == (RunState.REJECTED, [])


async def test_the_same_person_at_two_addresses_is_one_vote(running):
    async with running(approvers=("ann", "ben"), quorum=2) as run:
        await run.asked(1)
        await run.answer("approve", "ann@corp.example")
        assert (await run.answer("approve", "ann@home.example")).outcome is Outcome.IGNORED
        await run.answer("approve", "ben")
        assert (await run.handle.result()).writes == 1


async def test_at_three_quarters_only_who_has_not_answered_is_reminded(running):
    async with running(approvers=("ann", "ben"), quorum=2) as run:
        await run.asked(1)
        await run.answer("approve", "ann")
        await run.sleep(44)
        assert run.notices(MessageType.APPROVAL_REMINDER) == []
        await run.sleep(2)
        await run.until(lambda: run.notices(MessageType.APPROVAL_REMINDER), "reminder")
        assert [to for to, _, _ in run.notices(MessageType.APPROVAL_REMINDER)] == ["ben"]
        await run.answer("approve", "ben")
        assert (await run.handle.result()).writes == 1


async def test_silence_climbs_the_chain_line_by_line_and_stays_at_its_end(running):
    async with running(on_deadline="escalate", max_reviews=4, **CHAIN) as run:
        for number in (1, 2, 3, 4):
            await run.asked(number)
            await run.sleep(66)
        result = await run.handle.result()
    assert [persons for _, persons in run.causes()] == [["ann"], ["cora"], ["dan"], ["dan"]]
    assert (result.state, run.shop.written) == (RunState.EXPIRED, [])
    assert [(to, review) for to, review, _ in run.notices(MessageType.ESCALATION_NOTICE)] == [("olga", 1), ("olga", 2)]
    assert [to for to, _, _ in run.notices(NOTICE)] == ["ann", "cora", "dan"]


async def test_a_late_yes_of_the_next_line_asks_the_same_line_again(running):
    async with running(on_deadline="escalate", max_reviews=5, **CHAIN) as run:
        row = await run.asked(1)
        await run.sleep(66)
        row = await run.asked(2)
        late = row.deadline + timedelta(seconds=1)
        assert (await run.answer("approve", "cora", received_at=late)).outcome is Outcome.LATE
        await run.asked(3)
        await run.answer("approve", "cora")
        result = await run.handle.result()
    assert (run.causes()[-1], result.writes) == (("late", ["cora"]), 1)


async def test_reissue_asks_the_same_people_until_no_review_is_left(running):
    async with running(max_reviews=2) as run:
        result = await run.handle.result()
    assert (result.state, run.causes()) == (RunState.EXPIRED, [("first", ["ann"]), ("overdue", ["ann"])])


async def test_an_answer_that_came_before_the_last_window_leaves_the_review_open(running):
    async with running(max_reviews=1) as run:
        row = await run.asked(1)
        before = row.opens_at - timedelta(seconds=2)
        for _ in range(2):
            assert (await run.answer("approve", received_at=before)).outcome is Outcome.LATE
            await run.until(lambda: run.notices(MessageType.APPROVAL_REMINDER), "a reminder")
        assert (await run.answer("approve")).outcome is Outcome.ACCEPTED
        result = await run.handle.result()
    assert (result.writes, len(run.requests), len(run.notices(MessageType.APPROVAL_REMINDER))) == (1, 1, 1)


async def in_the_tail(run: Run) -> Any:
    row = await run.asked(1)
    await run.sleep(66)
    await run.until(lambda: run.requests[0].status is RequestStatus.EXPIRED, "expired")
    return row


async def test_in_the_tail_an_answer_that_came_in_time_counts(running):
    async with running(on_deadline="expire", tail_seconds=7200) as run:
        row = await in_the_tail(run)
        early = row.deadline - timedelta(seconds=1)
        assert (await run.answer("approve", received_at=early)).outcome is Outcome.ACCEPTED
        result = await run.handle.result()
    assert (len(run.requests), result.writes) == (1, 1)


async def test_in_the_tail_a_late_answer_opens_a_fresh_review(running):
    async with running(on_deadline="expire", tail_seconds=7200) as run:
        await in_the_tail(run)
        assert (await run.answer("approve")).outcome is Outcome.LATE
        await run.asked(2)
        await run.answer("approve")
        result = await run.handle.result()
    assert ([cause for cause, _ in run.causes()], result.writes) == (["first", "late"], 1)


async def test_in_the_tail_a_no_ends_the_run_as_rejected(running):
    async with running(on_deadline="expire", tail_seconds=7200) as run:
        await in_the_tail(run)
        await run.answer("reject")
        assert (await run.handle.result()).state is RunState.REJECTED


async def test_a_halt_in_the_tail_keeps_the_run_from_expiring(running):
    async with running(on_deadline="expire", tail_seconds=600) as run:
        await in_the_tail(run)
        now = run.ledger.run(run.run_id).state_at
        run.ledger.halt([run.run_id], "collision", "two runs", now)
        await run.signal()
        await run.sleep(60)
        assert run.ledger.run(run.run_id).state is RunState.HALTED
        run.ledger.release(run.run_id, "olga", "looked at", now)
        await run.signal()
        await run.asked(2)
        await run.answer("approve")
        assert (await run.handle.result()).writes == 1


async def test_after_the_tail_the_run_has_expired_and_nothing_counts(running):
    async with running(on_deadline="expire", tail_seconds=600) as run:
        row = await in_the_tail(run)
        result = await run.handle.result()
        early = row.deadline - timedelta(seconds=1)
        assert (await run.answer("approve", received_at=early)).outcome is Outcome.REFUSED
    assert (result.state, run.requests[0].status, run.shop.written) == (RunState.EXPIRED, RequestStatus.EXPIRED, [])
    assert [to for to, _, _ in run.notices(NOTICE)] == ["ann"]


@pytest.mark.parametrize(
    ("typed", "outcome", "writes"), [("approve", Outcome.ACCEPTED, 1), ("reject", Outcome.REJECTED, 0)]
)
async def test_a_reply_that_is_there_before_we_know_that_the_request_is_out_counts(running, typed, outcome, writes):
    async with running(approvers=("ann", "ben")) as run:
        judged: list[Judgement] = []

        def answer_once() -> None:
            if not judged:
                judged.append(run.judge(typed, "ann", -1, now_there()))

        run.on_mail = answer_once
        await run.until(lambda: judged, "a quick reply")
        await run.signal()
        result = await run.handle.result()
    assert (judged[0].outcome, len(run.requests), len(run.sent)) == (outcome, 1, 1)
    assert (result.writes, len(run.shop.written)) == (writes, writes)
