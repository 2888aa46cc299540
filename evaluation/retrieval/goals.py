"""The goals set for retrieval, each beside what was measured. A goal that is missed is shown as missed."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any


@dataclass(frozen=True)
class Goal:
    """``met`` is None where the run did not measure it."""

    goal: str
    measured: str
    met: bool | None


def goals(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All goals, judged by a report's JSON."""
    return [asdict(goal) for part in (_probes, _others, _contexts, _models, _openapi, _times) for goal in part(found)]


def compared(found: Mapping[str, Any], a: str, b: str, kind: str, metric: str) -> Mapping[str, Any] | None:
    """A row of ``comparisons``."""
    wanted = (a, b, kind, metric)
    return next(
        (row for row in found["comparisons"] if (row["a"], row["b"], row["type"], row["metric"]) == wanted), None
    )


def _probes(found: Mapping[str, Any]) -> Iterator[Goal]:
    wanted = (("committed weights", found), ("weights chosen without the process", found["controls"]["tuned"]))
    for (what, table), (other, least) in product(wanted, (("dense", 0.15), ("hybrid", 0.08))):
        row = compared(table, "countersign", other, "probe", "recall@3")
        goal = f"probe Recall@3, {what}: countersign − {other} at least +{least:.2f}, interval above 0"
        yield Goal(goal, _delta(row), None if row is None else row["delta"] >= least and row["ci_low"] > 0)
    ours, dense = (found["results"][name].get("probe") for name in ("countersign", "dense"))
    if ours and dense:
        pair = ours["complete_chain@5"], dense["complete_chain@5"]
        told = f"{pair[0]:.3f} against {pair[1]:.3f}"
        yield Goal("probe complete-chain@5 at least twice dense", told, pair[0] >= 2 * pair[1] and pair[0] > 0)


def _others(found: Mapping[str, Any]) -> Iterator[Goal]:
    row = compared(found["controls"]["tuned"], "countersign", "dense", "non_probe", "recall@3")
    yield Goal(
        "other types pooled, Recall@3: no loss beyond 0.005",
        _delta(row),
        None if row is None else row["delta"] >= -0.005,
    )
    ours, dense = found["results"]["countersign"], found["results"]["dense"]
    worst = {
        kind: (ours[kind]["recall@3"] - dense[kind]["recall@3"]) * ours[kind]["n"]
        for kind in ours
        if kind in dense and "recall@3" in ours[kind] and kind not in ("all", "non_probe")
    }
    kind, change = min(worst.items(), key=lambda item: item[1])
    yield Goal("no type loses more than one query (Recall@3)", f"worst: {kind}, {change:+.2f} queries", change >= -1)
    evicted = {kind: ours[kind].get("golds_evicted@3", 0) for kind in ("single", "schema", "codes") if kind in ours}
    told = ", ".join(f"{kind} {count}" for kind, count in evicted.items()) or "no such queries"
    yield Goal("no gold evicted at 3 on queries that ask for no chain", told, not any(evicted.values()))
    scope = ours["out_of_scope"]
    told = (
        f"{scope['recognised']} of {scope['n']} recognised, {scope['false_alarms']} false alarms of {scope['in_scope']}"
    )
    yield Goal("out-of-scope queries recognised, false alarms (counts)", told, None)


def _contexts(found: Mapping[str, Any]) -> Iterator[Goal]:
    table = found.get("completeness", {}).get("countersign", {}).get("all")
    if not table:
        return
    for kind in ("cardinalities", "dependencies"):
        share, given = table[kind]["share"], table[kind]["share_found"]
        if share is not None:
            yield Goal(f"context at 5, {kind}: at least 0.95", f"{share:.3f}", share >= 0.95)
        if given is not None:
            yield Goal(f"context at 5, {kind} of found entities: 1", f"{given:.3f}", given == 1)


def _models(found: Mapping[str, Any]) -> Iterator[Goal]:
    rows = {
        name: compared(part, "countersign", "dense", "probe", "recall@3") for name, part in found["sensitivity"].items()
    }
    told = "; ".join(f"{name} {_delta(row)}" for name, row in rows.items())
    met = all(row and row["ci_low"] > 0 for row in rows.values()) if len(rows) > 1 else None
    yield Goal("the gain on probes holds with each embedding model", told, met)


def _openapi(found: Mapping[str, Any]) -> Iterator[Goal]:
    table = found.get("openapi")
    goal = "no significant loss on OpenAPI catalogues at any k"
    if table is None:
        yield Goal(goal, "no such catalogues given", None)
        return
    losses = [row for row in table["losses"] if row["a"] == "countersign"]
    told = ", ".join(f"{row['type']} {row['metric']} {row['delta']:+.3f}" for row in losses) or "none"
    yield Goal(goal, told, not losses)


def _times(found: Mapping[str, Any]) -> Iterator[Goal]:
    for part, limit in zip(found["scale"], (20, 40), strict=False):
        times = part["ms"]["countersign"]
        told = f"{times['p95']:.1f} ms on the wall, {times['cpu_p95']:.1f} ms of processor time"
        yield Goal(f"p95 beyond encoding at {part['endpoints']} endpoints under {limit} ms", told, times["p95"] < limit)


def _delta(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "not measured"
    return f"{row['delta']:+.3f} [{row['ci_low']:+.3f}, {row['ci_high']:+.3f}], p = {row['p']:.4f}, n = {row['n']}"
