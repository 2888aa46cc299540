"""An outcome on a person's word: who may give it, when, and that it never reads like a proof."""

import pytest
from sqlalchemy import update

from ledger.account import account_for
from ledger.errors import ActRefused, RunClosed
from ledger.schema_approval import EFFECTS
from ledger.settling import Saw
from tests.unit.ledger.world import World, at, delegation, make_call, make_policy, signals
from wire.call import CallResult, ExecutedCall
from wire.policy import Policy
from wire.task import RunState

FAILED, SUCCEEDED = Saw(outcome="failed"), Saw(outcome="succeeded", key={"Order": "47"}, evidence="seen in SAP")


@pytest.fixture
def unknown(world: World) -> World:
    """A run whose approved write was sent and never answered."""
    world.open_run()
    world.answer("approve")
    world.ledger.record_effect(world.dispatch().effect_key, "unknown", None, at(7))
    world.ledger.set_state("run-a", RunState.OUTCOME_UNKNOWN, "no answer", at(7))
    return world


def settle(world: World, saw: Saw = FAILED, actor: str = "olga", policy: Policy | None = None) -> int:
    return world.ledger.settle("run-a", actor, "asked the ERP team", saw, policy or world.policy, at(20))


def carry_out(world: World, executed: ExecutedCall | None = None) -> None:
    word = world.ledger.settlement("run-a", 1)
    assert word is not None
    world.ledger.record_settled(world.ledger.effects("run-a")[0].effect_key, word, executed, at(21))


def test_the_word_wakes_the_run_and_changes_no_outcome_by_itself(unknown: World):
    assert settle(unknown) == 1
    assert unknown.ledger.effects("run-a")[0].outcome == "unknown"
    assert signals(unknown)[-1] == ("run-a", f"act-{unknown.ledger.run('run-a').events}")


@pytest.mark.parametrize(("saw", "outcome"), [(FAILED, "failed"), (SUCCEEDED, "executed")])
def test_a_settled_effect_is_told_apart_from_a_proven_one(unknown: World, saw: Saw, outcome: str):
    settle(unknown, saw)
    carry_out(unknown)
    (effect,) = unknown.ledger.effects("run-a")
    assert (effect.outcome, effect.settled_by) == (outcome, "olga")
    assert "settled by olga, not proven" in account_for(unknown.ledger.trail("run-a"))[0].settled
    assert unknown.ledger.verify("run-a").faults == ()


def test_what_was_seen_is_on_record(unknown: World):
    settle(unknown, SUCCEEDED)
    word = unknown.ledger.settlement("run-a", 1, "unknown")
    assert word is not None
    assert (word.key, word.evidence, word.actor) == ({"Order": "47"}, "seen in SAP", "olga")


@pytest.mark.parametrize("actor", ["rita", "ann"])
def test_who_asked_or_approves_cannot_settle(unknown: World, actor: str):
    with pytest.raises(ActRefused, match="somebody else must settle"):
        settle(unknown, actor=actor)


@pytest.mark.parametrize("giver", ["rita", "ann"])
def test_nor_can_who_may_speak_for_them(unknown: World, giver: str):
    with pytest.raises(ActRefused, match="somebody else must settle"):
        settle(unknown, policy=make_policy(delegations=(delegation(giver, "olga"),)))


def test_nor_can_who_was_given_a_seat_for_this_run(world: World):
    world.open_run()
    shift = {"from": "ann", "to": "carl", "until": at(600).isoformat()}
    world.ledger.ask_again("run-a", "delegate", "olga", "away", shift, at(1))
    world.ask(review=2, minutes=2)
    world.answer("approve", review=2, minutes=5)
    world.ledger.record_effect(world.dispatch(review=2).effect_key, "unknown", None, at(7))
    world.ledger.set_state("run-a", RunState.OUTCOME_UNKNOWN, "no answer", at(7))
    with pytest.raises(ActRefused, match="carl approves in run"):
        settle(world, actor="carl")


def test_only_what_is_unknown_is_settled_and_once(world: World):
    world.open_run()
    with pytest.raises(ActRefused, match="not outcome_unknown"):
        settle(world)


def test_a_second_word_waits_for_the_first(unknown: World):
    settle(unknown)
    with pytest.raises(ActRefused, match="was settled by olga"):
        settle(unknown, SUCCEEDED)


def test_a_halted_run_is_released_first(unknown: World):
    unknown.ledger.halt(["run-a"], "operator", "look", at(8))
    with pytest.raises(ActRefused, match="'release' it first"):
        settle(unknown)


def test_a_closed_run_takes_no_word(unknown: World):
    unknown.ledger.close("run-a", RunState.CANCELLED, "no", at(9))
    with pytest.raises(RunClosed):
        settle(unknown)


def test_a_write_that_reads_back_otherwise_keeps_its_answer(world: World):
    world.open_run()
    world.answer("approve")
    key = world.dispatch().effect_key
    answered = ExecutedCall(effect_key=key, digest=make_call("1").digest, result=CallResult(status=201))
    world.ledger.record_effect(key, "executed", answered, at(7))
    world.ledger.set_state("run-a", RunState.OUTCOME_UNKNOWN, "reads back otherwise", at(7))
    settle(world, SUCCEEDED)
    before = world.ledger.effects("run-a")[0].result_digest
    carry_out(world)
    (effect,) = world.ledger.effects("run-a")
    assert (effect.outcome, effect.result_digest, effect.settled_by) == ("executed", before, "olga")
    assert world.ledger.verify("run-a").faults == ()


@pytest.mark.parametrize("changed", [{"settled_by": None}, {"settled_by": "ann"}, {"outcome": "executed"}])
def test_a_row_that_hides_who_settled_it_is_found(unknown: World, changed: dict[str, str | None]):
    settle(unknown)
    carry_out(unknown)
    with unknown.ledger.writing() as connection:
        connection.execute(update(EFFECTS).values(**changed))
    assert unknown.ledger.verify("run-a").faults


def test_who_settled_cannot_approve_in_that_run(unknown: World):
    settle(unknown)
    carry_out(unknown)
    unknown.propose(turn=2, order="2")
    unknown.ask(step=2, review=1, approvers=("ann", "olga"), quorum=1, order="2", minutes=22)
    mail = unknown.mail("approve", "olga", step=2, minutes=23)
    assert unknown.judge(mail).outcome == "refused"
