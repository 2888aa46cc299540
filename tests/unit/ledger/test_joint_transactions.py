"""Several entries of a stage are one transaction, and several reads one view."""

import pytest

from tests.unit.ledger.world import World, at
from wire.agent import Observation
from wire.task import RunState

TOLD = Observation(turn=1, kind="result", text="one row")


def observe_and_fail(world: World) -> None:
    with world.ledger.jointly("run-a"):
        world.ledger.observe("run-a", 1, TOLD, at(1))
        world.ledger.set_state("run-a", RunState.REASONING, "turn 2", at(1))
        raise OSError("the process ends here")


def test_joint_entries_stand_together(world: World):
    world.start()
    with world.ledger.jointly("run-a"):
        world.ledger.observe("run-a", 1, TOLD, at(1))
        assert world.ledger.observations("run-a") == (TOLD,)
    assert [event.kind for event in world.ledger.trail("run-a")][-1] == "observation_recorded"


def test_of_joint_entries_none_stands_alone(world: World):
    world.start()
    before = world.ledger.trail("run-a")
    with pytest.raises(OSError, match="ends here"):
        observe_and_fail(world)
    assert world.ledger.trail("run-a") == before
    world.ledger.observe("run-a", 1, TOLD, at(2))
    assert world.ledger.verify("run-a").intact


def test_a_joint_transaction_writes_only_what_it_holds(world: World):
    world.start()
    world.start("run-b")
    with world.ledger.jointly("run-a"), pytest.raises(RuntimeError, match="does not hold"):
        world.ledger.observe("run-b", 1, TOLD, at(1))


def test_what_commits_before_it_raises_is_never_joined(world: World):
    world.open_run()
    with world.ledger.jointly("run-a"), pytest.raises(RuntimeError, match="does not hold"):
        world.dispatch()


def test_a_common_view_takes_no_entries(world: World):
    world.start()
    with world.ledger.together():
        assert world.ledger.run("run-a").state is RunState.RETRIEVING
        with pytest.raises(RuntimeError, match="does not hold"):
            world.ledger.observe("run-a", 1, TOLD, at(1))


def test_a_step_a_request_and_an_intent_say_where_the_run_stands(world: World):
    world.start()
    seen = [world.propose() and world.ledger.run("run-a").state]
    world.ask()
    seen.append(world.ledger.run("run-a").state)
    world.answer("approve")
    world.dispatch()
    assert [*seen, world.ledger.run("run-a").state] == [
        RunState.VALIDATING,
        RunState.REQUESTING,
        RunState.DISPATCHING,
    ]
