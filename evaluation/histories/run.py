"""Many histories: played, counted, and the first that fails made small."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from scipy.stats import beta

from evaluation.histories.generator import FAMILY, Focus, History, generate
from evaluation.histories.play import Reached, Verdict, play, play_after
from evaluation.histories.wiring import PRODUCT, Wiring
from evaluation.histories.world import Stage

VERIFY_EVERY = 20
"""Every so many histories the ledger's own verifier looks at the chains as well."""


@dataclass
class Tally:
    """What was played and what came of it."""

    histories: int = 0
    runs: int = 0
    effects: int = 0
    wrong_effects: int = 0
    owed: int = 0
    missed: int = 0
    verified: int = 0
    events: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    scenes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, history: History, verdict: Verdict, *, verified: bool) -> None:
        """Count one history."""
        self.histories += 1
        self.runs += history.scene.runs
        self.effects += verdict.effects
        self.wrong_effects += bool(verdict.violations)
        self.owed += verdict.owed
        self.missed += len(verdict.missed)
        self.verified += verified
        self.events += verdict.played
        self.outcomes += verdict.outcomes
        self.states += verdict.states
        self.scenes[history.scene.name] += 1
        if verdict.fault:
            self.faults.append(f"{history.command()}: {verdict.fault}")

    def merge(self, other: "Tally") -> None:
        """Add another process's counts."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def report(self) -> dict[str, Any]:
        """The counts as the output file holds them. ``upper_95``: histories with a wrong effect, share at most."""
        counts = {name: value for name, value in vars(self).items() if not isinstance(value, Counter)}
        tables = {name: dict(value.most_common()) for name, value in vars(self).items() if isinstance(value, Counter)}
        bounds = {
            "upper_95": upper_bound(self.wrong_effects, self.histories),
            "missed_upper_95": upper_bound(self.missed, self.owed),
        }
        return counts | bounds | tables


def upper_bound(events: int, trials: int) -> float:
    """Clopper-Pearson, one-sided 95 %: the rate that the true one does not exceed."""
    return 1.0 if events >= trials else float(beta.ppf(0.95, events + 1, trials - events))


def play_many(seed: int, indices: Iterable[int], wiring: Wiring = PRODUCT) -> Tally:
    """Play these histories of a seed one after the other."""
    stage = Stage(wiring)
    try:
        return play_on(stage, seed, indices)
    finally:
        stage.close()


def play_on(stage: Stage, seed: int, indices: Iterable[int]) -> Tally:
    """The same on a stage that stands. A history that does not come to its end counts as failed, too."""
    tally, known = Tally(), list[Reached]()
    for index in indices:
        history, verified = generate(seed, index), index % VERIFY_EVERY == 0
        try:
            known = known if index % FAMILY else []
            tally.add(history, play_after(stage, history, known, verify=verified), verified=verified)
        except Exception as error:
            known = []
            tally.faults.append(f"{history.command()}: {type(error).__name__}: {error}")
    return tally


@cache
def _stage() -> Stage:
    """The one stage of this process."""
    return Stage()


def play_chunk(chunk: tuple[int, int, int]) -> Tally:
    """Seed, first index, end: what a worker process is given."""
    seed, first, end = chunk
    return play_on(_stage(), seed, range(first, end))


def first_fault(
    wiring: Wiring, seed: int, indices: Sequence[int], focus: Focus | None = None
) -> tuple[History, str] | None:
    """The first history whose effects the oracle does not grant, and what it says; made small."""
    stage = Stage(wiring)
    try:
        for index in indices:
            history = generate(seed, index, focus)
            if _violates(stage, history):
                small = shrink(history, lambda tried: bool(_violates(stage, tried)))
                return small, _violates(stage, small)
    finally:
        stage.close()
    return None


def shrink(history: History, fails: Callable[[History], bool]) -> History:
    """The history with as few of its events as still fail, one left out at a time."""
    place = len(history.events) - 1
    while place >= 0:
        tried = history.only([other for other in range(len(history.events)) if other != place])
        if fails(tried):
            history = tried
        place = min(place, len(history.events)) - 1
    return history


def _violates(stage: Stage, history: History) -> str:
    return "; ".join(play(stage, history).violations)
