"""Requests that do not arrive: who is asked then, who hears of it, and when the run waits. Real stages, gates and ledger."""

from policies.rulebook import policy_version
from tests.workflow.whole_run import CHAIN, Run, create, policy_of
from wire.approval import MessageType, Outcome
from wire.task import RunState

NOTICE, ALERT = MessageType.WITHDRAWAL_NOTICE, MessageType.OPERATOR_ALERT


async def parked(run: Run) -> None:
    await run.until(lambda: run.ledger.run(run.run_id).state is RunState.UNDELIVERABLE, "parked")
    await run.until(lambda: any(e.kind == "write_denied" for e in run.ledger.trail(run.run_id)), "denied")


async def test_a_bounce_asks_at_the_other_address_of_the_same_person(running):
    async with running() as run:
        await run.asked(1)
        await run.bounce("ann")
        again = await run.asked(2)
        await run.answer("approve")
        result = await run.handle.result()
    assert (again.mails[0].address, again.cause, result.writes) == ("ann@home.example", "undeliverable", 1)


async def test_a_bounce_goes_on_to_the_next_of_the_chain_whose_answer_counts(running):
    async with running(dead=("ann@home.example",), **CHAIN) as run:
        await run.asked(1)
        await run.bounce("ann")
        await run.asked(3)
        assert (await run.answer("approve", "ann", review=0)).outcome is Outcome.REFUSED
        assert (await run.answer("approve", "cora")).outcome is Outcome.ACCEPTED
        result = await run.handle.result()
    assert run.causes() == [("first", ["ann"]), ("undeliverable", ["ann"]), ("undeliverable", ["cora"])]
    assert (result.state, result.writes) == (RunState.COMPLETED, 1)


async def test_mail_that_the_server_refuses_goes_on_by_itself_and_uses_up_no_review(running):
    dead = ("ann", "ann@home.example", "cora", "cora@home.example")
    async with running(dead=dead, max_reviews=1, **CHAIN) as run:
        last = await run.asked(5)
        await run.answer("approve", "dan")
        result = await run.handle.result()
    assert ([seat.person for seat in last.plan.approvers], result.writes) == (["dan"], 1)


async def test_who_is_asked_no_more_and_the_operators_hear_of_it_once(running):
    async with running(**CHAIN, quorum=1) as run:
        run.dead = {"ann@home.example"}
        await run.asked(1)
        await run.bounce("ann")
        await run.asked(3)
        await run.answer("approve", "cora")
        await run.handle.result()
    (told,) = run.notices(MessageType.ESCALATION_NOTICE)
    assert (told[:2], "asks Cora" in told[2]) == (("olga", 2), True)
    assert [to for to, _, _ in run.notices(NOTICE)] == ["ann"]


async def test_with_the_quorum_still_in_reach_the_run_waits_on(running):
    async with running(approvers=("ann", "ben"), **CHAIN) as run:
        await run.asked(1)
        assert (await run.bounce("ann")).outcome is Outcome.IGNORED
        assert [to for to, _, _ in run.notices(ALERT)] == ["olga"]
        await run.answer("approve", "ben")
        result = await run.handle.result()
    assert (len(run.requests), result.writes) == (1, 1)


async def test_policy_may_leave_it_to_an_operator(running):
    async with running(on_undeliverable="operator", **CHAIN) as run:
        await run.asked(1)
        await run.bounce("ann")
        await parked(run)
        assert any("leaves it to an operator" in note for _, _, note in run.notices(ALERT))
        now = run.ledger.run(run.run_id).state_at
        run.ledger.ask_again(run.run_id, "reissue", "olga", "mailbox mended", {}, now)
        await run.signal()
        await run.asked(2)
        await run.answer("approve")
        result = await run.handle.result()
    assert (run.causes()[-1][1], result.writes) == (["ann"], 1)


async def test_who_answers_though_their_mail_was_said_to_have_come_back_is_asked_again(running):
    async with running(on_undeliverable="operator") as run:
        await run.asked(1)
        await run.bounce("ann")
        await parked(run)
        assert (await run.answer("approve")).outcome is Outcome.REFUSED
        await run.signal()
        await run.asked(2)
        await run.answer("approve")
        result = await run.handle.result()
    assert (run.causes()[-1][1], result.writes) == (["ann"], 1)


async def test_a_run_without_anybody_left_wakes_when_policy_is_mended(running):
    async with running(dead=("ann", "ann@home.example")) as run:
        await parked(run)
        assert run.ledger.wake_undeliverable(policy_version(run.policy), run.ledger.run(run.run_id).state_at)
        await run.signal()
        run.policy = policy_of(approvers=("ben",)).model_copy(update={"version": "2"})
        now = run.ledger.run(run.run_id).state_at
        assert run.ledger.wake_undeliverable(policy_version(run.policy), now) == (run.run_id,)
        assert run.ledger.wake_undeliverable(policy_version(run.policy), now) == ()
        await run.signal()
        await run.until(lambda: run.causes()[-1][1] == ["ben"], "ben is asked")
        await run.asked(len(run.requests))
        await run.answer("approve", "ben")
        result = await run.handle.result()
    assert result.writes == 1


async def test_a_run_that_could_not_climb_its_chain_goes_on_there_when_policy_is_mended(running):
    async with running(on_deadline="escalate", escalate_to=("rita",)) as run:
        await run.asked(1)
        await run.sleep(66)
        await parked(run)
        run.policy = policy_of(on_deadline="escalate", escalate_to=("rita", "cora")).model_copy(update={"version": "2"})
        run.ledger.wake_undeliverable("2", run.ledger.run(run.run_id).state_at)
        await run.signal()
        await run.asked(2)
        await run.answer("approve", "cora")
        result = await run.handle.result()
    assert (run.causes()[-1], result.writes) == (("overdue", ["cora"]), 1)


async def test_a_no_while_nobody_can_be_asked_ends_as_rejected(running):
    async with running(on_undeliverable="operator") as run:
        await run.asked(1)
        await run.bounce("ann")
        await parked(run)
        assert (await run.answer("reject", "ann")).outcome is Outcome.REJECTED
        result = await run.handle.result()
    assert (result.state, run.shop.written) == (RunState.REJECTED, [])


async def test_the_second_write_of_a_run_does_not_ask_where_mail_came_back(running):
    async with running(turns=(create("one"), create("two")), **CHAIN) as run:
        await run.asked(1)
        await run.bounce("ann")
        await run.asked(2)
        run.dead = {"ann@home.example"}
        await run.bounce("ann")
        await run.asked(3)
        await run.answer("approve", "cora")
        await run.until(lambda: run.requests[-1].step == 2, "second write")
        await run.asked(len(run.requests))
        await run.answer("approve", "cora")
        result = await run.handle.result()
    assert (run.causes()[-1], result.writes) == (("first", ["cora"]), 2)


async def test_two_persons_must_say_yes_and_who_is_unreachable_is_replaced(running):
    async with running(approvers=("ann", "ben"), quorum="two-person", dead=("ben@home.example",), **CHAIN) as run:
        await run.asked(1)
        await run.answer("approve", "ann")
        await run.bounce("ben")
        await run.until(lambda: run.causes()[-1][1] == ["ann", "cora"], "cora joins")
        await run.asked(len(run.requests))
        await run.answer("approve", "cora")
        assert run.shop.written == []
        await run.answer("approve", "ann")
        result = await run.handle.result()
    assert result.writes == 1


async def test_a_copy_that_the_server_refuses_is_told_to_the_operators_and_the_rest_may_answer(running):
    async with running(approvers=("ann", "ben"), dead=("ann",)) as run:
        row = await run.asked(1)
        await run.answer("approve", "ben")
        result = await run.handle.result()
    assert (row.mails[0].failure is not None, len(run.requests), result.writes) == (True, 1, 1)
    (told,) = run.notices(ALERT)
    assert (told[0], "550 5.1.1" in told[2], "others can still answer" in told[2]) == ("olga", True, True)


async def test_the_requester_never_comes_to_decide_however_the_chain_is_climbed(running):
    chain = {"escalate_to": ("rita",), "escalate_further": (("rita", "cora"),), "deputies": ("rita", "dan")}
    dead = ("ann", "ann@home.example", "cora", "cora@home.example")
    async with running(dead=dead, **chain) as run:
        await run.until(lambda: run.causes() and run.causes()[-1][1] == ["dan"], "dan is asked")
        await run.asked(len(run.requests))
        assert (await run.answer("approve", "rita")).outcome is Outcome.REFUSED
        await run.answer("approve", "dan")
        result = await run.handle.result()
    assert ({p for _, persons in run.causes() for p in persons}, result.writes) == ({"ann", "cora", "dan"}, 1)
