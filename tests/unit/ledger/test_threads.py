"""Callers wrap the ledger in threads: nothing is lost and nothing done twice."""

from concurrent.futures import ThreadPoolExecutor

from ledger.store import open_ledger
from tests.unit.ledger.world import World, at
from wire.agent import Observation

THREADS = 8


def test_opening_at_once_makes_one_ledger(shared_url: str):
    with ThreadPoolExecutor(THREADS) as pool:
        opened = list(pool.map(lambda n: open_ledger(shared_url, random_epoch=lambda: str(n)), range(THREADS)))
    assert len({ledger.epoch for ledger in opened}) == 1
    for ledger in opened:
        ledger.dispose()


def test_appending_at_once_keeps_one_chain(shared_url: str):
    world = World(open_ledger(shared_url, random_epoch=lambda: "e"))
    world.start()

    def observe(turn: int) -> None:
        world.ledger.observe("run-a", turn, Observation(turn=turn, kind="result", text=str(turn)), at(1))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(observe, range(40)))
    assert len(world.ledger.observations("run-a")) == 40
    assert world.ledger.verify("run-a").intact
    world.ledger.dispose()


def test_the_same_mail_at_once_is_accepted_once(shared_url: str):
    world = World(open_ledger(shared_url, random_epoch=lambda: "e"))
    world.open_run()
    mail = world.mail("approve")
    with ThreadPoolExecutor(THREADS) as pool:
        outcomes = [judgement.outcome.value for judgement in pool.map(world.judge, [mail] * THREADS)]
    assert sorted(outcomes) == ["accepted"] + ["ignored"] * (THREADS - 1)
    assert len(world.ledger.pending_outbox("signal")) == 1
    world.ledger.dispose()


def test_a_yes_dispatched_and_a_no_at_once_never_both_hold(shared_url: str):
    """Whichever comes first: the write is begun and the NO only alerts, or the NO stands and the write is refused."""
    world = World(open_ledger(shared_url, random_epoch=lambda: "e"))
    for number in range(10):
        run_id = world.open_run(f"run-{number}", order=str(number))
        world.answer("approve", run_id=run_id)
        refusal = world.mail("reject", run_id=run_id, minutes=6)
        with ThreadPoolExecutor(2) as pool:
            written = pool.submit(world.dispatch, run_id, order=str(number))
            rejected = pool.submit(world.judge, refusal)
        assert (rejected.result().outcome.value == "rejected") is (written.exception() is not None)
    world.ledger.dispose()
