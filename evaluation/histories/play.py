"""Plays a history to its end and has the oracle judge it."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from evaluation.histories.acts import ACTS
from evaluation.histories.again import AGAIN
from evaluation.histories.generator import Event, History
from evaluation.histories.oracle import Oracle
from evaluation.histories.replies import MAIL
from evaluation.histories.troubles import TROUBLES
from evaluation.histories.world import Snapshot, Stage, World

PLAYS = {**MAIL, **AGAIN, **ACTS, **TROUBLES}
LAST = timedelta(seconds=40)
"""Played on after the last event, so that signals that failed are delivered."""


@dataclass
class Verdict:
    """What became of one history. ``owed``: runs that must have taken effect; ``missed`` those that did not."""

    violations: list[str]
    owed: int
    missed: list[int]
    effects: int
    played: Counter[str]
    outcomes: Counter[str]
    states: Counter[str]
    chain: list[str] = field(default_factory=list)

    @property
    def fault(self) -> str:
        """What is wrong, in one line; empty when nothing is."""
        missed = [
            f"run {run} has every yes in time, nothing disturbed it, and it did not take effect" for run in self.missed
        ]
        return "; ".join([*self.violations, *missed, *self.chain])


@dataclass(frozen=True)
class Reached:
    """Where some events led to: histories that begin with them can go on from there. None: from the scene's beginning."""

    events: tuple[Event, ...]
    snapshot: Snapshot | None
    played: Counter[str]


def play(stage: Stage, history: History, *, verify: bool = False) -> Verdict:
    """Play and judge. ``verify``: the ledger's own verifier must find nothing, either."""
    return play_after(stage, history, [], verify=verify)


def play_after(stage: Stage, history: History, known: list[Reached], *, verify: bool = False) -> Verdict:
    """The same, going on from the longest beginning that ``known`` holds. What a trunk comes through is added there."""
    begun = [taken for taken in known if history.events[: len(taken.events)] == taken.events]
    best = max(begun, key=lambda taken: len(taken.events), default=Reached((), None, Counter()))
    world, played = World(stage, history.scene), Counter(best.played)
    try:
        if best.snapshot is None:
            world.begin()
        else:
            world.resume(best.snapshot)
        for place in range(len(best.events), len(history.events)):
            if _happens(world, history.events[place]):
                played[history.events[place].kind] += 1
            if history.is_trunk and world.engine.resting:
                known.append(Reached(history.events[: place + 1], world.snapshot(), Counter(played)))
        _end(world)
        chain = [fault for number in range(world.scene.runs) for fault in _chain(world, number)] if verify else []
        return _judged(world, played, chain)
    finally:
        world.engine.close()


def _happens(world: World, event: Event) -> bool:
    world.advance(world.at + timedelta(seconds=event.after))
    world.troubles.slow_post = event.kind != "reminder_yes" and event.salt % 8 > 0
    if not world.troubles.slow_post:
        world.pump()
    done = PLAYS[event.kind](world, event.run, Random(event.salt), event.kind)
    if done:
        world.touch(event.kind, event.run)
    if event.look:
        world.pump()
    return done


def _end(world: World) -> None:
    world.troubles.room_up, world.troubles.unreachable, world.troubles.forgetful = True, 0, 0
    world.pump()
    if world.delayed:
        world.advance(world.at + LAST)
        world.pump()


def _chain(world: World, number: int) -> list[str]:
    return [str(fault) for fault in world.stage.ledger.verify(world.run_id(number)).faults]


def _judged(world: World, played: Counter[str], chain: list[str]) -> Verdict:
    oracle = Oracle(world.account)
    owed = oracle.owed()
    states = Counter(world.stage.ledger.run(world.run_id(n)).state.value for n in range(world.scene.runs))
    return Verdict(
        violations=oracle.violations(),
        owed=len(owed),
        missed=[run for run in owed if not oracle.done(run)],
        effects=sum(1 for served in world.service.log if served.effect),
        played=played,
        outcomes=world.outcomes,
        states=states,
        chain=chain,
    )
