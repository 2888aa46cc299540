"""One run through the whole ledger, as the activities drive it."""

from tests.unit.ledger.world import World, at, make_call
from wire.approval import Outcome
from wire.call import CallResult, ExecutedCall
from wire.task import RunState


def test_a_run_from_registration_to_its_verified_end(world: World):
    world.open_run()
    judgement = world.answer("approve")
    assert judgement.outcome is Outcome.ACCEPTED
    intent = world.dispatch()
    executed = ExecutedCall(effect_key=intent.effect_key, digest=make_call("1").digest, result=CallResult(status=201))
    world.ledger.record_effect(intent.effect_key, "executed", executed, at(7))
    world.ledger.close("run-a", RunState.COMPLETED, "order created", at(8))
    verdict = world.ledger.verify("run-a")
    assert verdict.faults == ()
    assert verdict.events > 8
