"""No effect without the right person's yes to exactly these bytes in time, and every owed effect comes: generated histories."""

import secrets

from evaluation.histories.generator import FAMILY, generate
from evaluation.histories.play import Reached, play, play_after
from evaluation.histories.run import Tally, play_many, shrink, upper_bound
from evaluation.histories.world import Stage

COUNT = 25 * FAMILY


def test_no_effect_without_the_right_yes_and_no_owed_effect_fails_to_come():
    seed = secrets.randbelow(1 << 31)
    tally = play_many(seed, range(COUNT))
    assert tally.faults == []
    assert tally.histories == COUNT
    assert tally.effects > COUNT / 20
    assert tally.owed > COUNT / 20


def test_histories_come_to_many_kinds_of_outcome():
    tally = play_many(1, range(8 * FAMILY))
    assert {"accepted", "rejected", "ignored", "refused"} <= set(tally.outcomes)
    assert {"completed", "awaiting_approval"} <= set(tally.states)


def test_a_history_goes_on_from_a_snapshot_as_it_does_without():
    stage, shared, alone = Stage(), Tally(), Tally()
    known: list[Reached] = []
    for history in [generate(5, index) for index in range(2 * FAMILY)]:
        known = known if history.index % FAMILY else []
        shared.add(history, play_after(stage, history, known), verified=False)
        alone.add(history, play(stage, history), verified=False)
    stage.close()
    assert shared == alone


def test_the_same_seed_and_index_are_the_same_history():
    assert generate(7, 35) == generate(7, 35)
    assert generate(7, 35) != generate(7, 36)


def test_members_of_a_family_begin_alike():
    trunk, member = generate(7, 2 * FAMILY), generate(7, 2 * FAMILY + 3)
    assert member.scene == trunk.scene
    assert member.events[:-2] == trunk.events[: len(member.events) - 2]


def test_a_failing_history_is_made_as_small_as_still_fails():
    history = next(h for h in (generate(1, i) for i in range(1000)) if len({e.salt for e in h.events}) > 5)
    wanted = {history.events[1].salt, history.events[4].salt}
    small = shrink(history, lambda tried: wanted <= {event.salt for event in tried.events})
    assert small.kept == (1, 4)
    assert "--keep '1,4'" in small.command()


def test_bound_beside_a_zero():
    assert 2.99e-5 < upper_bound(0, 100_000) < 3.0e-5
