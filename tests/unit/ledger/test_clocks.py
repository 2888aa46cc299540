"""What the mail server's clock lets count: probes as ledger rows, a YES kept back, asking again when the clock is right."""

from datetime import timedelta

import pytest

from tests.unit.ledger.world import World, at
from wire.approval import Outcome

ROOM = "approvals"


def measure(world: World, minutes: float, skew: float, transit: float = 0.0) -> None:
    """A probe sent at that minute, stored at once by a server whose clock is ``skew`` seconds ahead, and seen."""
    sent = at(minutes)
    probe = world.ledger.begin_probe(ROOM, "countersign.example", sent)
    seen = sent + timedelta(seconds=transit)
    assert world.ledger.probe_returned(probe.message_id, sent + timedelta(seconds=skew), seen, world.policy)


def answer(world: World, minutes: float, text: str = "approve", review: int = 1) -> tuple[Outcome, str]:
    mail = world.mail(text, minutes=minutes, review=review).model_copy(update={"mailbox": ROOM})
    judged = world.ledger.judge_batch([mail], world.policy, at(minutes))[0]
    return judged.outcome, judged.reason


def test_probe_ids_are_of_this_ledger_and_counted(world: World):
    first = world.ledger.begin_probe(ROOM, "countersign.example", at(0))
    again = world.ledger.begin_probe(ROOM, "countersign.example", at(1))
    assert (first.number, again.number) == (1, 2)
    assert len({first.message_id, again.message_id, first.message_id.replace(".1.", ".2.")}) == 3


def test_only_the_first_sight_of_a_probe_measures(world: World):
    measure(world, 0, 0)
    probe = world.ledger.probes(ROOM)[0]
    assert world.ledger.probe_returned(probe.message_id, at(90), at(90), world.policy)
    assert world.ledger.probes(ROOM)[0].seen_at == at(0)


def test_a_probe_of_somebody_else_is_none_of_ours(world: World):
    assert not world.ledger.probe_returned("clock.1.abc@countersign.example", at(0), at(0), world.policy)


@pytest.mark.parametrize(
    ("skew", "minutes", "outcome"),
    [
        (0, 5, Outcome.ACCEPTED),
        (20, 5, Outcome.ACCEPTED),
        (-20, 59.6, Outcome.ACCEPTED),
        (-20, 59.9, Outcome.LATE),
        (20, 0.2, Outcome.LATE),
        (20, 59.9, Outcome.ACCEPTED),
    ],
)
def test_the_measured_skew_counts_at_the_edge_that_it_moves(
    world: World, skew: float, minutes: float, outcome: Outcome
):
    world.open_run()
    measure(world, 0, skew)
    assert answer(world, minutes)[0] is outcome


@pytest.mark.parametrize("skew", [None, 32, -31, 3600])
def test_no_yes_counts_beyond_the_bound_or_without_a_measurement(world: World, skew: float | None):
    world.open_run()
    if skew is not None:
        measure(world, 0, skew)
    assert answer(world, 5) == (Outcome.REFUSED, "the mail server's clock is not known to be right")
    assert world.ledger.votes("run-a", 1, 1) == ()


def test_a_no_counts_whatever_the_clock_says(world: World):
    world.open_run()
    measure(world, 0, 3600)
    assert answer(world, 5, "reject")[0] is Outcome.REJECTED


def test_a_measurement_counts_for_some_hours_only(world: World):
    world.policy = world.policy.model_copy(update={"clock_probe_valid_seconds": 240})
    world.open_run()
    measure(world, 0, 0)
    assert answer(world, 4)[0] is Outcome.ACCEPTED
    world.open_run("run-b")
    mail = world.mail("approve", run_id="run-b", minutes=4.1).model_copy(update={"mailbox": ROOM})
    assert world.ledger.judge_batch([mail], world.policy, at(4.1))[0].outcome is Outcome.REFUSED


def test_a_receipt_in_our_future_shows_that_the_clock_moved(world: World):
    world.open_run()
    measure(world, 0, 0)
    mail = world.mail("approve", minutes=5).model_copy(update={"mailbox": ROOM})
    assert world.ledger.judge_batch([mail], world.policy, at(4))[0].outcome is Outcome.REFUSED


def test_what_came_while_the_clock_was_wrong_does_not_count_when_it_is_judged_later(world: World):
    world.open_run()
    measure(world, 1, -90)
    measure(world, 9, 0)
    mail = world.mail("approve", minutes=5).model_copy(update={"mailbox": ROOM})
    assert world.ledger.judge_batch([mail], world.policy, at(10))[0].outcome is Outcome.REFUSED
    assert answer(world, 10)[0] is Outcome.ACCEPTED


def test_what_came_in_a_long_pause_counts_when_the_clock_is_right_after_it(world: World):
    world.policy = world.policy.model_copy(update={"clock_probe_valid_seconds": 60})
    world.open_run()
    measure(world, 1, 0)
    measure(world, 9, 0)
    mail = world.mail("approve", minutes=5).model_copy(update={"mailbox": ROOM})
    assert world.ledger.judge_batch([mail], world.policy, at(9.5))[0].outcome is Outcome.ACCEPTED


def test_many_slow_probes_hide_no_measurement(world: World):
    world.open_run()
    measure(world, 0, 0)
    for number in range(120):
        measure(world, number / 60, 0, transit=31)
    assert answer(world, 5)[0] is Outcome.ACCEPTED


def test_policy_without_probes_reckons_with_its_own_skew_alone(world: World):
    world.policy = world.policy.model_copy(update={"clock_probe_seconds": 0})
    world.open_run()
    assert answer(world, 5)[0] is Outcome.ACCEPTED


def test_who_was_kept_back_is_told_and_asked_again_once_the_clock_is_right(world: World):
    world.open_run()
    answer(world, 5)
    measure(world, 6, 0)
    measure(world, 7, 0)
    sent = [(i.payload["message_type"], i.payload["to_name"]) for i in world.ledger.pending_outbox("mail")]
    assert sent == [("refusal_notice", "Ann"), ("operator_alert", "Olga"), ("approval_reminder", "Ann")]
    assert answer(world, 8)[0] is Outcome.ACCEPTED


def test_nobody_is_asked_again_after_the_deadline_or_while_the_clock_is_wrong(world: World):
    world.open_run()
    answer(world, 5)
    measure(world, 6, 90)
    measure(world, 61, 0)
    assert "approval_reminder" not in [i.payload["message_type"] for i in world.ledger.pending_outbox("mail")]


def test_the_chain_says_which_measurement_a_decision_was_made_with(world: World):
    world.open_run()
    measure(world, 0, 0.0, transit=1.5)
    answer(world, 5)
    event = next(e for e in world.ledger.trail("run-a") if e.kind == "mail_judged")
    told = event.payload["clock"]
    assert (told["probe"], told["low"], told["high"], told["fault"]) == (1, -1.5, 1.0, "")
    assert world.ledger.decisions("run-a")[0].clock_skew_seconds == -1.5
