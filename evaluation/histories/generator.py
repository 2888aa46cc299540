"""Histories from a seed: a scene and a list of events. An event holds its own randomness: leaving others out keeps it."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from evaluation.histories.scenes import SCENES, Scene

KINDS: dict[str, float] = {
    # honest mail
    "yes": 34, "alias_yes": 3, "reminder_yes": 4, "delegate_yes": 4, "second_yes": 2, "no": 4, "unclear": 5, "negated": 1.5,
    "comment_late": 1, "no_late": 1.5, "no_old": 1,
    # time
    "edge_yes": 4, "late_yes": 3, "early_yes": 1, "old_yes": 2, "wait_reminder": 2, "wait_deadline": 3, "wait_long": 1,
    # mail that comes again or elsewhere
    "duplicate": 4, "migrated": 3, "same_id": 1.5, "crossed": 2, "crossed_stranger": 1.5, "replayed": 2, "shuffle": 2,
    # mail that nobody may decide with
    "automatic": 4, "spoof": 6, "disguise": 3, "stranger_yes": 3, "requester_yes": 3, "requester_delegate_yes": 2,
    "outsider_yes": 3, "outsider_no": 1.5, "noise": 1, "bounce": 1, "forged_no": 1,
    # operators
    "cancel": 1.2, "reissue": 1.5, "extend": 1, "delegate": 1.5, "replace": 1.5, "release": 1.5, "confirm": 0.5, "note": 1,
    "resolve": 1, "refused_act": 1, "halt": 1, "halt_release": 1.5,
    # policy and service
    "remove_approver": 1.5, "raise_quorum": 1.2, "end_delegations": 1, "swap_approver": 1, "drift": 2, "void": 0.7,
    "snapshot": 1,
    # faults
    "mailroom_down": 4, "mailroom_up": 3, "signal_lost": 3, "signal_twice": 3, "handmade": 3, "poll_twice": 1.5, "rescan": 2,
    "lost_before": 1.5, "lost_after": 1.5, "died_before": 1.5, "died_after": 1.5, "smtp_refuses": 1, "clock": 2, "foreign": 0.7,
    "engine_cancel": 0.5,
}  # fmt: skip
"""Every kind of event with its weight."""

LONG = frozenset({"wait_reminder", "wait_deadline", "wait_long", "late_yes", "edge_yes", "no_late", "comment_late"})
"""Kinds that take every run of a scene past a window: rarer where there are many runs, which all ask afresh then."""

FAMILY = 16
"""Histories that begin alike stand beside each other, so that what they share is played once."""
_NAMES, _WEIGHTS = tuple(KINDS), tuple(KINDS.values())


@dataclass(frozen=True)
class Event:
    """One happening: ``after`` seconds later, in run ``run``; ``salt`` decides all else; without ``look`` nobody polls yet."""

    kind: str
    run: int
    after: float
    salt: int
    look: bool = True


@dataclass(frozen=True)
class History:
    """``seed`` and ``index`` name it; ``kept`` are the places of its events when others were left out."""

    seed: int
    index: int
    scene: Scene
    events: tuple[Event, ...]
    kept: tuple[int, ...]

    @property
    def is_trunk(self) -> bool:
        """Whether the others of its family begin as it does."""
        return self.index % FAMILY == 0

    def only(self, kept: Sequence[int]) -> "History":
        """The same history with only those of its events (by place in ``kept``)."""
        return History(
            self.seed, self.index, self.scene,
            tuple(self.events[place] for place in kept), tuple(self.kept[place] for place in kept),
        )  # fmt: skip

    def command(self) -> str:
        """How to play it again."""
        kept = ",".join(map(str, self.kept))
        return f"python -m evaluation.histories --seed {self.seed} --replay {self.index} --keep '{kept}'"


@dataclass(frozen=True)
class Focus:
    """Half of the events are of these kinds, and only these scenes are used: what one fault would show in."""

    kinds: tuple[str, ...]
    scenes: tuple[str, ...] = ()


def generate(seed: int, index: int, focus: Focus | None = None) -> History:
    """History ``index`` of ``seed``: the trunk of its family, or the beginning of the trunk with an end of its own."""
    family, member = divmod(index, FAMILY)
    rng = Random(f"{seed}/{family}")
    scene = rng.choice([s for s in SCENES if focus is None or not focus.scenes or s.name in focus.scenes])
    length = 1 + min(11, int(rng.expovariate(0.3)))
    events = tuple(_event(rng, scene, focus) for _ in range(length + (focus is not None)))
    if member:
        own = Random(f"{seed}/{family}/{member}")
        begun = events[: own.randint(0, len(events))]
        events = (*begun, *(_event(own, scene, focus) for _ in range(own.choice((1, 1, 1, 2, 2)))))
    return History(seed, index, scene, events, tuple(range(len(events))))


def _event(rng: Random, scene: Scene, focus: Focus | None) -> Event:
    kind = rng.choices(_NAMES, _WEIGHTS)[0]
    if focus is not None and rng.random() < 0.5:
        kind = rng.choice(focus.kinds)
    elif kind in LONG and rng.random() < 1 - 1 / scene.runs:
        kind = "yes"
    after = rng.choice((0.0, 1.0, rng.uniform(0, 5), rng.uniform(0, 90)))
    return Event(kind, rng.randrange(scene.runs), after, rng.getrandbits(48), look=rng.random() < 0.75)
