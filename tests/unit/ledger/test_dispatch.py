"""The dispatch gate, and what it excludes."""

import pytest
from sqlalchemy import delete, insert, update
from sqlalchemy.exc import IntegrityError

from ledger.errors import GateRefused, LedgerError
from ledger.schema import CONTENT, STEPS
from ledger.schema_approval import EFFECTS, REQUESTS
from tests.unit.ledger.world import World, at, make_call
from wire.approval import Outcome
from wire.call import CallResult, ExecutedCall
from wire.task import RunState


def approved(world: World) -> World:
    world.open_run()
    world.answer("approve")
    return world


def executed(key: str) -> ExecutedCall:
    return ExecutedCall(
        effect_key=key, digest=make_call("1").digest, result=CallResult(status=201, data={"Order": "1"})
    )


def test_an_intent_is_new_then_open_then_recorded(world: World):
    approved(world)
    first, second = world.dispatch(), world.dispatch()
    world.ledger.record_effect(first.effect_key, "executed", executed(first.effect_key), at(7))
    third = world.dispatch()
    assert (first.kind, second.kind, third.kind) == ("new", "open", "recorded")
    assert third.result == executed(first.effect_key)


def test_nothing_without_an_approval(world: World):
    world.open_run()
    with pytest.raises(GateRefused, match="0 of 1 approvals"):
        world.dispatch()
    assert world.ledger.trail("run-a")[-1].kind == "gate_refused"
    assert world.ledger.effects("run-a") == ()


def test_nothing_for_other_bytes(world: World):
    approved(world)
    with pytest.raises(GateRefused, match="not the one that was put to the approver"):
        world.dispatch(order="2")


def test_nothing_for_half_a_quorum(world: World):
    world.open_run(approvers=("ann", "bob"), quorum=2)
    world.answer("approve", "ann")
    with pytest.raises(GateRefused, match="1 of 2 approvals"):
        world.dispatch()


def test_nothing_when_the_raw_mail_is_gone(world: World):
    approved(world)
    evidence_id = world.ledger.decisions("run-a")[0].evidence_id
    with world.ledger.writing() as connection:
        connection.execute(delete(CONTENT).where(CONTENT.c.digest == evidence_id))
    with pytest.raises(GateRefused, match="does not hold"):
        world.dispatch()


def test_nothing_when_the_raw_mail_was_altered(world: World):
    approved(world)
    evidence_id = world.ledger.decisions("run-a")[0].evidence_id
    with world.ledger.writing() as connection:
        connection.execute(update(CONTENT).where(CONTENT.c.digest == evidence_id).values(body=b"APPROVE"))
    with pytest.raises(GateRefused, match="does not hold"):
        world.dispatch()


@pytest.mark.parametrize("act", ["reject", "halt", "cancel", "withdraw", "supersede", "close"])
def test_nothing_after_something_speaks_against_it(world: World, act: str):
    approved(world)
    acts = {
        "reject": lambda: world.answer("reject", minutes=6),
        "halt": lambda: world.ledger.halt(["run-a"], "operator", "look", at(6)),
        "cancel": lambda: world.ledger.cancel("run-a", "olga", "no longer needed", at(6)),
        "withdraw": lambda: world.ledger.withdraw("run-a", 1, 1, "late", at(6)),
        "supersede": lambda: world.ask(review=2),
        "close": lambda: world.ledger.close("run-a", RunState.CANCELLED, "", at(6)),
    }
    acts[act]()
    with pytest.raises(GateRefused):
        world.dispatch()


def test_a_cancellation_after_the_intent_waits_for_the_outcome(world: World):
    approved(world)
    intent = world.dispatch()
    assert not world.ledger.cancel("run-a", "olga", "too late", at(7))
    assert world.ledger.step("run-a", 1).is_open
    world.ledger.record_effect(intent.effect_key, "executed", executed(intent.effect_key), at(8))
    assert not world.ledger.step("run-a", 1).is_open


def test_a_no_after_the_intent_alerts_and_stops_nothing(world: World):
    approved(world)
    world.dispatch()
    judgement = world.answer("reject", minutes=7)
    assert (judgement.outcome, judgement.reason) == (Outcome.REFUSED, "already dispatched")
    assert any(item.payload["message_type"] == "operator_alert" for item in world.ledger.pending_outbox("mail"))


@pytest.mark.parametrize("table", [STEPS, REQUESTS])
def test_block_and_open_intent_exclude_each_other_by_constraint(world: World, table):
    approved(world)
    world.dispatch()
    column = "is_open" if table is STEPS else "is_live"
    with pytest.raises(IntegrityError), world.ledger.writing("run-a") as connection:
        connection.execute(update(table).values({column: 0}))


def test_an_intent_cannot_be_inserted_over_a_block_by_any_code(world: World):
    approved(world)
    intent = world.dispatch()
    world.ledger.record_effect(intent.effect_key, "failed", None, at(7))
    world.propose(turn=2, order="2")
    world.ask(step=2, order="2")
    world.ledger.halt(["run-a"], "operator", "look", at(8))
    values = {"effect_key": "k", "run_id": "run-a", "step": 2, "review": 1, "call_digest": "d", "guard_open": 1}
    with pytest.raises(IntegrityError), world.ledger.writing("run-a") as connection:
        connection.execute(insert(EFFECTS).values(**values, repeatability_id="r", opened_at=at(9)))


def test_an_unknown_outcome_may_be_settled_once(world: World):
    approved(world)
    key = world.dispatch().effect_key
    world.ledger.record_effect(key, "unknown", None, at(7))
    assert world.dispatch().kind == "open"
    world.ledger.record_effect(key, "executed", executed(key), at(8))
    with pytest.raises(LedgerError, match="recorded as executed"):
        world.ledger.record_effect(key, "failed", None, at(9))


def test_a_step_has_one_effect_for_ever(world: World):
    approved(world)
    key = world.dispatch().effect_key
    world.ledger.record_effect(key, "failed", None, at(7))
    world.ask(review=2, minutes=10)
    world.answer("approve", review=2, minutes=12)
    with pytest.raises(GateRefused, match="effect already"):
        world.dispatch(review=2)


def test_an_effect_needs_its_intent(world: World):
    with pytest.raises(LedgerError, match="no intent"):
        world.ledger.record_effect("nothing", "executed", None, at(1))
