"""Operators stop, release and replace; nothing they do accepts anything."""

import pytest

from ledger.errors import GateRefused, RunClosed
from tests.unit.ledger.world import World, at, make_policy
from wire.approval import Outcome, RequestStatus
from wire.task import RunState


def test_halting_several_runs_skips_closed_ones(world: World):
    for run in ("run-a", "run-b"):
        world.start(run)
    world.ledger.close("run-b", RunState.COMPLETED, "", at(1))
    assert world.ledger.halt(["run-a", "run-b"], "operator", "look", at(2)) == ("run-a",)


def test_a_step_made_in_a_halted_run_is_closed_to_writes(world: World):
    world.start()
    world.ledger.halt(["run-a"], "operator", "look", at(1))
    assert not world.ledger.step("run-a", world.propose()).is_open


def test_a_cancellation_tells_the_run(world: World):
    world.open_run()
    assert world.ledger.cancel("run-a", "olga", "wrong customer", at(1))
    signal = world.ledger.pending_outbox("signal")[0].payload
    assert signal["evidence_id"].startswith("act-")
    assert world.ledger.decision("run-a", 0, 0, signal["evidence_id"]) is None
    assert [act.kind for act in world.ledger.acts("run-a")] == ["cancel"]


def test_a_release_asks_again_and_revives_no_decision(world: World):
    world.open_run()
    world.answer("approve")
    world.ledger.halt(["run-a"], "operator", "look", at(6))
    world.ledger.release("run-a", "olga", "all well", at(7))
    assert world.ledger.requests("run-a")[0].status is RequestStatus.WITHDRAWN
    assert world.ledger.standing("run-a", 1, 1) is None
    with pytest.raises(GateRefused):
        world.dispatch(minutes=8)
    world.ask(review=2, minutes=9)
    assert world.answer("approve", review=2, minutes=10).outcome is Outcome.ACCEPTED
    assert world.dispatch(review=2, minutes=11).kind == "new"


def test_a_release_does_not_undo_a_cancellation(world: World):
    world.open_run()
    world.ledger.cancel("run-a", "olga", "", at(1))
    world.ledger.release("run-a", "olga", "", at(2))
    assert [block.kind for block in world.ledger.blocks("run-a")] == ["cancel"]


def test_who_released_a_halt_cannot_approve_in_that_run(world: World):
    world.policy = make_policy(operators=("ann",))
    world.open_run()
    world.ledger.halt(["run-a"], "operator", "look", at(1))
    world.ledger.release("run-a", "ann", "all well", at(2))
    world.ask(review=2, minutes=3)
    assert world.answer("approve", review=2).outcome is Outcome.REFUSED
    assert world.answer("reject", review=2).outcome is Outcome.REJECTED


def test_a_closed_run_takes_no_act(world: World):
    world.start()
    world.ledger.close("run-a", RunState.COMPLETED, "", at(1))
    with pytest.raises(RunClosed):
        world.ledger.cancel("run-a", "olga", "", at(2))
    with pytest.raises(RunClosed):
        world.ledger.ask_again("run-a", "replace", "olga", "", {}, at(2))
