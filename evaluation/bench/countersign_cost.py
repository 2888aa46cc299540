"""What countersigning costs: bytes and rows of evidence, mails, and the time that no human is waited for."""

from collections.abc import Sequence

from evaluation.bench.ledger_size import grown
from evaluation.bench.measure import Measure
from evaluation.bench.numbers import median, milliseconds, ratio
from evaluation.bench.recorded import Experiment, ProductRun
from evaluation.bench.resume_time import answered_writes


def countersign_cost(experiment: Experiment) -> list[Measure]:
    """Evidence, rows and mails over the rounds; latency over the runs that had the machine for themselves."""
    return [*_stored(experiment), *_mails(experiment), *_latency(experiment.solo)]


def machine_milliseconds(run: ProductRun) -> dict[str, float] | None:
    """Milliseconds of a run by stretch, without the waits for a reply; they add up to ``whole``.

    A wait runs from parked to the reply in the mailbox. None when a reply came before its wait began.
    """
    stretches: dict[str, float] = {}
    since = run.registered_at
    for number, (write, resumption) in enumerate(answered_writes(run), start=1):
        if resumption.parked_at is None:
            return None
        stretches[f"to parked {number}"] = milliseconds(since, resumption.parked_at)
        stretches[f"reply {number} to effect"] = milliseconds(write.replied_at, write.recorded_at)
        since = write.recorded_at
    stretches["last effect to end"] = milliseconds(since, run.closed_at)
    return {**stretches, "whole": sum(stretches.values())}


def _stored(experiment: Experiment) -> list[Measure]:
    runs = len(experiment.runs)
    new = grown(experiment.before, experiment.after)
    size, rows = sum(new.content_bytes.values()), {name: count for name, count in new.rows.items() if count}
    kinds = ", ".join(f"{kind} {count / runs:.0f}" for kind, count in sorted(new.content_bytes.items()) if count)
    return [
        Measure("evidence bytes a run", size / runs, "bytes", note=f"content store: {kinds}"),
        Measure(
            "evidence bytes a run: typed context", new.context_bytes / runs, "bytes", note="what the brain was shown"
        ),
        Measure("ledger rows a run", sum(rows.values()) / runs, "rows"),
        *[Measure(f"ledger rows a run: {name}", count / runs, "rows") for name, count in sorted(rows.items())],
    ]


def _mails(experiment: Experiment) -> list[Measure]:
    new = grown(experiment.before, experiment.after)
    requests = ratio(new.request_mails, new.effects)
    every = ratio(new.request_mails + new.other_mails, new.effects)
    return [
        Measure("approval requests an effect", requests, "mails", note="one approver"),
        Measure(
            "mails sent an effect", every, "mails", note="with the notification that the requester gets at a run's end"
        ),
    ]


def _latency(solo: Sequence[ProductRun]) -> list[Measure]:
    times = [stretches for run in solo if (stretches := machine_milliseconds(run)) is not None]
    if not times:
        return []
    note = f"median of {len(times)} runs, one at a time; no wait for a reply counted"
    whole = Measure("latency without the human", median([t["whole"] for t in times]), "ms", note=note)
    names = [name for name in times[0] if name != "whole"]
    return [whole, *[Measure(f"latency: {name}", median([t[name] for t in times]), "ms") for name in names]]
