"""From a reply in the mailbox to a run that has acted on it."""

from collections.abc import Sequence

from evaluation.bench.histories import Resumption, resumptions
from evaluation.bench.measure import Measure
from evaluation.bench.numbers import median, milliseconds, percentile
from evaluation.bench.recorded import Experiment, ProductRun, Write

STORED = "from the mail server's 250 to the reply (it has stored the mail then)"


def resume_time(experiment: Experiment) -> list[Measure]:
    """Medians and 95th percentiles. All clocks are the machine's: history events, ledger rows and the bench share it."""
    answered = [pair for run in experiment.runs for pair in answered_writes(run)]
    waiting = [(write, resumption) for write, resumption in answered if resumption.parked_at is not None]
    alone = [pair for pair in waiting if pair[0].alone]
    burst = [pair for pair in waiting if not pair[0].alone]
    measures = [
        *_spread(
            "reply stored to signal, alone", [milliseconds(w.replied_at, r.signalled_at) for w, r in alone], STORED
        ),
        *_resumed("alone", alone, "one reply at a time"),
        *_resumed("burst", burst, "the replies of a whole batch at once"),
        *_spread(
            "reply stored to write intent, alone",
            [milliseconds(w.replied_at, w.opened_at) for w, _ in alone],
            "to the intent row: the decision is read and the dispatch gate passed",
        ),
        *_spread(
            "floor: signal to resumed",
            [
                milliseconds(r.signalled_at, r.resumed_at)
                for events in experiment.floor_events
                for r in resumptions(events)
            ],
            "what the engine alone takes",
        ),
    ]
    if len(waiting) < len(answered):
        left = Measure(
            "replies before their wait began", len(answered) - len(waiting), "replies", note="not counted above"
        )
        measures.append(left)
    return measures


def answered_writes(run: ProductRun) -> list[tuple[Write, Resumption]]:
    """Each write with the resumption that its reply brought about."""
    return list(zip(run.writes, resumptions(run.events), strict=False))


def _resumed(kind: str, pairs: Sequence[tuple[Write, Resumption]], note: str) -> list[Measure]:
    times = [milliseconds(write.replied_at, resumption.resumed_at) for write, resumption in pairs]
    return _spread(
        f"reply stored to resumed, {kind}",
        times,
        f"{note}; until the first workflow task after the signal is completed",
    )


def _spread(name: str, times: Sequence[float], note: str) -> list[Measure]:
    if not times:
        return []
    return [
        Measure(f"{name}, median", median(times), "ms", note=f"{note}; {len(times)} samples"),
        Measure(f"{name}, p95", percentile(times, 0.95), "ms"),
    ]
