"""Turns, steps, verdicts and observations."""

import pytest

from ledger.errors import DigestAlreadyAsked, RunClosed, StepUnknown
from tests.unit.ledger.world import CONTEXT, NOON, World, at, make_call
from wire.agent import Observation, Turn
from wire.call import Finding, Verdict
from wire.task import RunState


def test_steps_count_over_the_run_and_turns_without_call_get_none(world: World):
    world.start()
    context = world.ledger.put(CONTEXT, "application/json", NOON)
    first = world.propose(turn=1, order="1")
    asked = world.ledger.next_step("run-a", 2, Turn(action="ask", thought="?"), context, NOON)
    last = world.propose(turn=3, order="2")
    assert (first, asked, last) == (1, 0, 2)


def test_the_first_record_of_a_turn_wins(world: World):
    world.start()
    world.propose(turn=1)
    assert world.ledger.next_step("run-a", 1, Turn(action="finish", thought="late"), "x", NOON) == 1
    turn = world.ledger.turn("run-a", 1)
    assert turn is not None
    assert turn.action == "call"
    assert world.ledger.step_of("run-a", 1) == 1


def test_a_closed_run_takes_no_turn(world: World):
    world.start()
    world.ledger.close("run-a", RunState.CANCELLED, "", at(1))
    with pytest.raises(RunClosed):
        world.propose()


def test_proposal_and_validated_call_come_back_by_step(world: World):
    world.start()
    step = world.propose(order="7")
    validated = world.ledger.validated("run-a", step)
    assert validated == make_call("7")
    assert world.ledger.proposal("run-a", step).call == make_call("7").call


def test_an_invalid_call_has_findings_and_no_digest(world: World):
    world.start()
    step = world.propose()
    verdict = Verdict(kind="invalid", findings=(Finding(rule="R01", pointer="/x", message="unknown"),))
    world.ledger.record_verdict("run-a", step, verdict, None, at(1))
    assert world.ledger.validated("run-a", step) is None
    assert world.ledger.trail("run-a")[-1].payload["findings"] == ["R01"]


def test_the_same_verdict_is_recorded_once(world: World):
    world.start()
    step = world.propose()
    events = world.ledger.run("run-a").events
    call = make_call("1")
    world.ledger.record_verdict("run-a", step, Verdict(kind="valid", request=call.request), call, at(1))
    assert world.ledger.run("run-a").events == events


def test_a_call_is_never_put_to_an_approver_twice(world: World):
    world.open_run()
    with pytest.raises(DigestAlreadyAsked, match="step 1"):
        world.propose(turn=2, order="1")


def test_the_same_call_may_be_asked_again_in_a_fresh_review(world: World):
    world.open_run()
    assert world.ask(review=2).review == 2


def test_observations_keep_their_order_and_count_once(world: World):
    world.start()
    told = [Observation(turn=1, kind="invalid", text="a"), Observation(turn=1, kind="result", text="b")]
    for observation in (*told, told[0]):
        world.ledger.observe("run-a", 1, observation, at(1))
    assert world.ledger.observations("run-a") == tuple(told)


def test_an_unknown_step_is_named(world: World):
    world.start()
    with pytest.raises(StepUnknown, match="no step 9"):
        world.ledger.step("run-a", 9)
