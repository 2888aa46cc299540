"""What a two-write run takes of the engine, beside a plain Temporal application of the same shape."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evaluation.bench.histories import Event, activity_counts, event_counts
from evaluation.bench.measure import Measure, at_most
from evaluation.bench.numbers import median, ratio
from evaluation.bench.recorded import Experiment

GOAL_RATIO = 2.0
GOAL_ACTIVITIES = 22
GOAL_EVENTS = 150
PRODUCT_PARTS = ("temporal", "worker", "mailroom")
FLOOR_PARTS = ("temporal", "worker")


def engine_cost(experiment: Experiment) -> list[Measure]:
    """CPU, events and activities a run, with the ratios that have goals."""
    return [*_cpu(experiment), *_history(experiment), *_activities(experiment)]


def cpu_per_run(rounds: Iterable[tuple[int, Mapping[str, float]]], parts: Sequence[str]) -> dict[str, float]:
    """CPU milliseconds of each part for one run, over all rounds of ``(runs, seconds by part)``."""
    known = list(rounds)
    runs = sum(count for count, _ in known)
    return {part: 1000 * sum(cpu[part] for _, cpu in known) / runs for part in parts}


def _cpu(experiment: Experiment) -> list[Measure]:
    product = cpu_per_run(((r.runs, r.product_cpu) for r in experiment.rounds), PRODUCT_PARTS)
    floor = cpu_per_run(((r.runs, r.floor_cpu) for r in experiment.rounds), FLOOR_PARTS)
    each = [
        ratio(sum(r.product_cpu[p] for p in PRODUCT_PARTS), sum(r.floor_cpu[p] for p in FLOOR_PARTS))
        for r in experiment.rounds
    ]
    whole = ratio(sum(product.values()), sum(floor.values()))
    spread = f"rounds {min(each):.2f} to {max(each):.2f}, measured in turn"
    return [
        *[Measure(f"CPU a run: {part}", value, "ms") for part, value in product.items()],
        *[Measure(f"CPU a run: floor's {part}", value, "ms") for part, value in floor.items()],
        Measure("CPU a run: product / floor", whole, "x", at_most(GOAL_RATIO), spread),
        Measure("CPU a run: server / floor's server", ratio(product["temporal"], floor["temporal"]), "x"),
    ]


def _history(experiment: Experiment) -> list[Measure]:
    product = [run.events for run in experiment.runs]
    events, floor = _median_length(product), _median_length(experiment.floor_events)
    return [
        Measure("history events a run", events, "events", at_most(GOAL_EVENTS), _most_common(product)),
        Measure("history events a run: floor", floor, "events"),
        Measure("history events a run: product / floor", ratio(events, floor), "x", at_most(GOAL_RATIO)),
    ]


def _activities(experiment: Experiment) -> list[Measure]:
    counts = [activity_counts(run.events) for run in experiment.runs]
    total = median([sum(count.values()) for count in counts])
    names = dict.fromkeys(name for count in counts for name in count)
    return [
        Measure("activities a run", total, "activities", at_most(GOAL_ACTIVITIES)),
        *[Measure(f"activities a run: {name}", median([count[name] for count in counts]), "") for name in names],
    ]


def _median_length(histories: Sequence[Sequence[Event]]) -> float:
    return median([len(events) for events in histories])


def _most_common(histories: Sequence[Sequence[Event]]) -> str:
    """The kinds of event that a run has most of, so that a reader sees where they come from."""
    total: Counter[str] = sum((event_counts(events) for events in histories), Counter())
    return ", ".join(f"{count / len(histories):.3g} {kind.lower()}" for kind, count in total.most_common(6))
