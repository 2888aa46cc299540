"""Runs: registered once, claimed by one execution, closed once."""

from datetime import datetime

import pytest

from ledger.errors import EpochMismatch, ForeignExecution, KeyReused, RunClosed, RunUnknown
from tests.unit.ledger.world import NOON, World, at
from wire.task import RunState


def test_starting_twice_is_the_same_run(world: World):
    world.start()
    world.start()
    assert [run.run_id for run in world.ledger.runs()] == ["run-a"]
    assert [event.kind for event in world.ledger.trail("run-a")] == ["run_registered", "execution_claimed"]


def test_the_same_key_with_another_request_is_refused(world: World):
    world.start()
    run = world.ledger.run("run-a")
    with pytest.raises(KeyReused, match="run-a"):
        world.ledger.register_run(run.task, run.request, "k" * 64, "other", NOON)


def test_a_closed_run_is_returned_as_it_is(world: World):
    world.start()
    world.ledger.close("run-a", RunState.COMPLETED, "done", at(1))
    run = world.ledger.run("run-a")
    assert world.ledger.register_run(run.task, run.request, "k" * 64, run.request_digest, at(2)) == run


def test_a_second_execution_halts_the_run(world: World):
    world.start()
    with pytest.raises(ForeignExecution, match="exec-run-a"):
        world.ledger.claim_execution("run-a", "reset", world.ledger.epoch, at(1))
    assert world.ledger.run("run-a").state is RunState.HALTED
    assert [block.kind for block in world.ledger.blocks("run-a")] == ["foreign_execution"]


def test_a_second_execution_of_a_closed_run_is_refused_and_recorded(world: World):
    world.start()
    world.ledger.close("run-a", RunState.COMPLETED, "done", at(1))
    with pytest.raises(ForeignExecution, match="exec-run-a"):
        world.ledger.claim_execution("run-a", "reset", world.ledger.epoch, at(2))
    assert world.ledger.run("run-a").state is RunState.COMPLETED
    assert world.ledger.trail("run-a")[-1].kind == "foreign_execution"
    assert world.ledger.verify("run-a").intact


def test_another_epoch_halts_the_run(world: World):
    world.start()
    with pytest.raises(EpochMismatch, match="epoch"):
        world.ledger.claim_execution("run-a", "exec-run-a", "older", at(1))
    assert world.ledger.run("run-a").state is RunState.HALTED


def test_a_run_is_closed_once(world: World):
    world.start()
    world.ledger.close("run-a", RunState.COMPLETED, "done", at(1))
    world.ledger.close("run-a", RunState.COMPLETED, "done", at(2))
    with pytest.raises(RunClosed):
        world.ledger.close("run-a", RunState.FAILED, "", at(3))
    with pytest.raises(RunClosed):
        world.ledger.set_state("run-a", RunState.REASONING, "", at(3))


def test_an_open_state_closes_nothing(world: World):
    world.start()
    with pytest.raises(ValueError, match="no final state"):
        world.ledger.close("run-a", RunState.OVERDUE, "", at(1))


def test_a_repeated_state_is_recorded_once(world: World):
    world.start()
    for _ in range(3):
        world.ledger.set_state("run-a", RunState.REASONING, "turn 1", at(1))
    assert [event.kind for event in world.ledger.trail("run-a")].count("state_changed") == 1


def test_a_halted_run_stays_halted_until_it_is_released(world: World):
    world.start()
    world.ledger.halt(["run-a"], "operator", "look", at(1))
    world.ledger.set_state("run-a", RunState.REASONING, "", at(2))
    assert world.ledger.run("run-a").state is RunState.HALTED
    world.ledger.release("run-a", "olga", "well", at(3))
    world.ledger.set_state("run-a", RunState.REASONING, "", at(4))
    assert world.ledger.run("run-a").state is RunState.REASONING


def test_runs_are_listed_by_state(world: World):
    world.start("run-a")
    world.start("run-b")
    world.ledger.close("run-b", RunState.REJECTED, "", at(1))
    assert [run.run_id for run in world.ledger.runs([RunState.REJECTED])] == ["run-b"]
    assert len(world.ledger.runs()) == 2


def test_an_unknown_run_is_named(world: World):
    with pytest.raises(RunUnknown, match="run-z"):
        world.ledger.run("run-z")


def test_naive_times_are_refused(world: World):
    with pytest.raises(Exception, match="time zone"):
        world.ledger.put(b"x", "text/plain", datetime(2026, 1, 1))  # noqa: DTZ001


def test_instants_come_back_in_utc(world: World):
    world.start()
    assert world.ledger.run("run-a").registered_at == NOON
