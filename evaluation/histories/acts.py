"""Events that are acts of operators, under the rules of the commands: who may, on what, and what is refused."""

from datetime import timedelta
from random import Random
from typing import Any

from evaluation.histories.replies import Play
from evaluation.histories.scenes import OPERATORS, REQUESTER
from evaluation.histories.world import World
from ledger.errors import LedgerError
from ledger.operator_acts import AskingAgain
from policies.run_rules import Change, check_change


def play_cancel(world: World, run: int, rng: Random, kind: str) -> bool:
    """Stop the run."""
    actor = rng.choice(OPERATORS)
    return _done(world, run, kind, actor, lambda: world.stage.ledger.cancel(world.run_id(run), actor, "stop", world.at))


def play_confirm(world: World, run: int, rng: Random, kind: str) -> bool:
    """A halt is right."""
    actor = rng.choice(OPERATORS)
    return _done(
        world, run, kind, actor, lambda: world.stage.ledger.confirm(world.run_id(run), actor, "so it is", world.at)
    )


def play_halt(world: World, run: int, rng: Random, kind: str) -> bool:
    """Something (here: an operator) halts the run."""
    actor = rng.choice(OPERATORS)
    halt = lambda: world.stage.ledger.halt([world.run_id(run)], "operator", "look", world.at, actor)  # noqa: E731
    return _done(world, run, "halt", actor, halt)


def play_release(world: World, run: int, rng: Random, kind: str) -> bool:
    """Lift a halt; without one there is nothing to release."""
    actor, ledger = rng.choice(OPERATORS), world.stage.ledger
    if not [block for block in ledger.blocks(world.run_id(run)) if block.kind not in ("cancel", "rejected")]:
        return False
    return _done(world, run, "release", actor, lambda: ledger.release(world.run_id(run), actor, "well", world.at))


def play_halt_release(world: World, run: int, rng: Random, kind: str) -> bool:
    """Both, one after the other."""
    play_halt(world, run, rng, kind)
    world.pump()
    return play_release(world, run, rng, kind)


def play_asking_again(world: World, run: int, rng: Random, kind: str) -> bool:
    """``reissue`` or ``extend``."""
    actor = rng.choice(OPERATORS)
    seconds = rng.choice((60, 900)) if kind == "extend" else 0
    return _again(world, run, kind, actor, {"window_seconds": seconds} if seconds else {}, seconds=seconds)


def play_shift(world: World, run: int, rng: Random, kind: str) -> bool:
    """``delegate`` or ``replace`` a seat, to whom the rule names."""
    giver = rng.choice(world.rules.approvers)
    taker = rng.choice((*world.rules.deputies, *world.rules.escalate, *world.rules.approvers, "dan", REQUESTER))
    actor = rng.choice(OPERATORS)
    reviews = world.stage.ledger.requests(world.run_id(run))
    if actor in (giver, taker) or taker == REQUESTER or not reviews:
        return False
    call = world.stage.ledger.proposal(world.run_id(run), reviews[-1].step).call
    change = Change("replace" if kind == "replace" else "delegate", giver, taker, world.at)
    asked = tuple(seat.person for seat in reviews[-1].plan.approvers)
    if call is None or check_change(world.policy, call, asked, change):
        return False
    until = world.at + timedelta(seconds=rng.choice((120, 3600)))
    details = {"from": giver, "to": taker} | ({"until": until.isoformat()} if kind == "delegate" else {})
    return _again(world, run, kind, actor, details, giver=giver, taker=taker, until=until)


def play_remark(world: World, run: int, rng: Random, kind: str) -> bool:
    """``note`` hearsay, or ``resolve`` a refused mail: neither decides anything."""
    ledger, run_id = world.stage.ledger, world.run_id(run)
    if kind == "note":
        ledger.remark(run_id, "note", "olga", "operator", "ann said yes in a chat", {"about": "ann"}, world.at)
        return True
    refused = ledger.refused_mails(run_id, resolved=False)
    if not refused:
        return False
    details = {"mail": rng.choice(refused).raw_digest, "how": rng.choice(("discard", "ask"))}
    ledger.remark(run_id, "resolve", "olga", "operator", "it was ann", details, world.at)
    return True


def play_refused_act(world: World, run: int, rng: Random, kind: str) -> bool:
    """Acts that must be refused: confirming what is not halted, asking again where nothing waits."""
    ledger, run_id = world.stage.ledger, world.run_id(run)
    if any(block.step is None for block in ledger.blocks(run_id)):
        return False
    try:
        ledger.confirm(run_id, "olga", "no", world.at)
    except LedgerError:
        return True
    raise AssertionError(f"run {run_id} is not halted, and its halt was confirmed")


def _again(world: World, run: int, kind: str, actor: str, details: dict[str, Any], **more: Any) -> bool:
    asking: AskingAgain = kind  # type: ignore[assignment]
    ledger = world.stage.ledger
    again = lambda: ledger.ask_again(world.run_id(run), asking, actor, "again", details, world.at)  # noqa: E731
    return _done(world, run, kind, actor, again, **more)


def _done(world: World, run: int, kind: str, actor: str, act: Any, **more: Any) -> bool:
    """Carry out an act; one that the ledger refuses is none."""
    try:
        act()
    except LedgerError:
        return False
    world.note_act(kind, run, actor, **more)
    return True


ACTS: dict[str, Play] = {
    "cancel": play_cancel,
    "confirm": play_confirm,
    "halt": play_halt,
    "release": play_release,
    "halt_release": play_halt_release,
    "reissue": play_asking_again,
    "extend": play_asking_again,
    "delegate": play_shift,
    "replace": play_shift,
    "note": play_remark,
    "resolve": play_remark,
    "refused_act": play_refused_act,
}
