"""Rows written past the ledger's own code: no write goes out on them, and the audit names them."""

import pytest
from sqlalchemy import delete, insert, select, update

from ledger.errors import GateRefused
from ledger.schema import STEPS
from ledger.schema_approval import BLOCKS, DECISIONS, EVIDENCE, REQUESTS, VOTES
from tests.unit.ledger.world import World, at, make_call


def write(world: World, *statements) -> None:
    with world.ledger.writing() as connection:
        for statement in statements:
            connection.execute(statement)


def refused_and_noticed(world: World, reason: str) -> bool:
    faults = world.ledger.verify("run-a").faults
    with pytest.raises(GateRefused, match=reason):
        world.dispatch()
    return bool(faults)


def test_a_vote_inserted_by_hand(world: World):
    world.open_run()
    mail = world.judge(world.mail("approve", "carl"))
    digest = make_call("1").digest
    here = {"run_id": "run-a", "step": 1, "review": 1, "person": "ann"}
    held = {"message_key": "k", "content_digest": "c", "received_at": at(5), "at": at(5)}
    write(
        world,
        insert(EVIDENCE).values(**here, **held, evidence_id=mail.evidence_id),
        insert(VOTES).values(**here, principal="ann", call_digest=digest, evidence_id=mail.evidence_id),
    )
    assert refused_and_noticed(world, "no accepted mail")


def test_a_vote_given_to_another_person(world: World):
    world.open_run(approvers=("ann", "bob"), quorum=2)
    world.answer("approve", "ann")
    world.answer("approve", "ann")
    evidence = world.ledger.decisions("run-a")[0].evidence_id
    write(world, update(VOTES).where(VOTES.c.evidence_id == evidence).values(person="bob", principal="bob"))
    assert refused_and_noticed(world, "no accepted mail")


@pytest.mark.parametrize("change", ['"quorum":2', '"person":"ann"'])
def test_a_request_whose_plan_was_edited(world: World, change: str):
    world.open_run(approvers=("ann", "bob"), quorum=2)
    world.answer("approve", "bob")
    with world.ledger.reading() as connection:
        plan = str(connection.scalar(select(REQUESTS.c.plan)))
    edited = plan.replace(change, change.replace("2", "1").replace("ann", "carl"))
    write(world, update(REQUESTS).values(plan=edited))
    assert refused_and_noticed(world, "not the one in the chain")


def test_a_deadline_that_was_moved(world: World):
    world.open_run()
    write(world, update(REQUESTS).values(deadline=at(600)))
    world.answer("approve", minutes=120)
    assert refused_and_noticed(world, "not the one in the chain")


@pytest.mark.parametrize("stop", ["reject", "halt", "cancel"])
def test_a_stop_that_was_deleted(world: World, stop: str):
    world.open_run()
    world.answer("approve")
    if stop == "reject":
        world.answer("reject", minutes=6)
    elif stop == "halt":
        world.ledger.halt(["run-a"], "operator", "look", at(6))
    else:
        world.ledger.cancel("run-a", "olga", "no longer needed", at(6))
    write(world, delete(BLOCKS), update(STEPS).values(is_open=1))
    with pytest.raises(GateRefused, match="no release"):
        world.dispatch()


def test_a_released_halt_stops_nothing_any_more(world: World):
    world.open_run()
    world.ledger.halt(["run-a"], "operator", "look", at(2))
    world.ledger.release("run-a", "olga", "looked", at(3))
    world.ask(review=2, minutes=4)
    world.answer("approve", review=2, minutes=5)
    assert world.dispatch(review=2).kind == "new"


@pytest.mark.parametrize("column", ["received_at", "principal"])
def test_a_decision_whose_receipt_or_principal_was_edited(world: World, column: str):
    world.open_run()
    world.answer("approve")
    write(world, update(DECISIONS).values({column: at(1) if column == "received_at" else "bob"}))
    assert not world.ledger.verify("run-a").intact
