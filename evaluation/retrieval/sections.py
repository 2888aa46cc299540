"""The sections of the report, each from the JSON that stands beside it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.retrieval.goals import compared
from evaluation.retrieval.html import Cell, listing, note, p_value, section, table, text
from evaluation.retrieval.needed import KINDS
from evaluation.retrieval.scoring import CUTS
from evaluation.retrieval.svg import bars, curves

Found = Mapping[str, Any]

_MAIN = ("recall@1", "recall@3", "recall@5", "recall@10", "ndcg@10", "mrr", "complete_chain@5", "complete_chain@10")
_TIMES = ("p50", "p95", "max", "cpu_p50", "cpu_p95")
_CHANGES = (
    ("placebo", "sequence edges at random"),
    ("backward", "sequence edges backward"),
    ("left_out", "process left out of the graph"),
)
_EARNED = (("probe", "recall@3"), ("probe", "complete_chain@5"), ("non_probe", "recall@3"))
_LEAD = ("dense", "hybrid", "countersign")
LIMITS = (
    "Few authors: benchmark, process layer and bindings come from the same hands, and all labels are by language models; no "
    "person has checked them.",
    "One vendor's metadata, and processes of one kind of company. Other catalogues will differ.",
    "The gain stands and falls with a process layer: where nobody has drawn and bound a process, the row 'process left out' "
    "is what remains.",
    "Weights were chosen on the train queries of the open benchmark; its figures are therefore optimistic, those of the dev "
    "split less so. Only an unseen benchmark is not.",
    "Queries of one process are no independent draws. Intervals draw processes, of which there are few.",
    "Codes, required fields and carry-overs count against the same graph that the context is built from; whether that graph "
    "says what the metadata says is another evaluation (evaluation.fidelity).",
)


def sections(found: Found) -> Iterator[str]:
    """In order."""
    yield _opening(found)
    for build in (
        _goals,
        _main,
        _per_type,
        _ablation,
        _gains,
        _controls,
        _completeness,
        _sensitivity,
        _openapi,
        _times,
    ):
        yield build(found)
    yield section("Limits of this report", listing(LIMITS))


def _opening(found: Found) -> str:
    benches, model = ", ".join(found["bench"]), found["model"]["name"]
    return text(
        f"{found['queries']} queries of {benches} over {found['endpoints']} endpoints of {found['metadata']}; "
        f"embedding model {model}; graph {found['graph'][:12]}."
    ) + note(found["convention"])


def _goals(found: Found) -> str:
    rows = [(goal["goal"], goal["measured"], goal["met"]) for goal in found["goals"]]
    return section("Goals", table(("goal", "measured", "met"), rows))


def _main(found: Found) -> str:
    results = found["results"]
    parts = [
        text(f"{kind}: {next(iter(results.values()))[kind]['n']} queries")
        + table(("method", *_MAIN), _rows(results, kind, _MAIN))
        for kind in ("probe", "non_probe", "all")
        if kind in next(iter(results.values()))
    ]
    for split, by_method in found["splits"].items():
        kind = "probe" if "probe" in by_method["dense"] else "all"
        parts.append(text(f"{kind}, split {split}: {by_method['dense'][kind]['n']} queries"))
        parts.append(table(("method", *_MAIN), _rows(by_method, kind, _MAIN)))
    return section("Main table", *parts, _comparisons(found))


def _rows(results: Mapping[str, Any], kind: str, metrics: Sequence[str]) -> list[Sequence[Cell]]:
    return [(name, *(by_type[kind][metric] for metric in metrics)) for name, by_type in results.items()]


def _comparisons(found: Found) -> str:
    rows = [
        (
            f"{row['a']} − {row['b']}",
            row["type"],
            row["metric"],
            row["delta"],
            f"[{row['ci_low']:+.3f}, {row['ci_high']:+.3f}]",
        )
        + (*(p_value(row[name]) for name in ("p", "p_holm", "p_by_process")), row["n"], row["clusters"])
        for row in found["comparisons"]
        if row["type"] in ("probe", "non_probe", "all")
        and row["metric"] in ("recall@3", "recall@5", "complete_chain@5", "ndcg@10")
        and (row["b"] in ("dense", "hybrid"))
    ]
    head = ("pair", "type", "metric", "delta", "95 % interval", "p", "p (Holm)", "p by process", "n", "clusters")
    return text("Differences") + table(head, rows)


def _per_type(found: Found) -> str:
    results = found["results"]
    kinds = [kind for kind, values in results["dense"].items() if "recall@3" in values]
    shown = [name for name in _LEAD if name in results]
    plot = bars({kind: {name: results[name][kind]["recall@3"] for name in shown} for kind in kinds})
    lines = [
        (f"{name}", kind, results[name][kind]["n"])
        + tuple(results[name][kind][metric] for metric in ("recall@1", "recall@3", "recall@5", "possible_recall@3"))
        + (results[name][kind]["golds_added@3"], results[name][kind]["golds_evicted@3"])
        for kind in kinds
        for name in shown
    ]
    head = ("method", "type", "n", "recall@1", "recall@3", "recall@5", "of possible@3", "added@3", "evicted@3")
    grown = curves(
        {
            name: {k: results[name]["probe" if "probe" in kinds else "all"][f"recall@{k}"] for k in CUTS}
            for name in shown
        }
    )
    return section("By type of query", text("Recall@3"), plot, text("Recall over k, probes"), grown, table(head, lines))


def _ablation(found: Found) -> str:
    results = found["results"]
    names = [name for name in results if name.startswith(("hybrid", "bindings")) or name in ("dense", "countersign")]
    head = ("method", *(f"{kind} {metric}" for kind in ("probe", "non_probe") for metric in ("R@3", "R@5", "chain@5")))
    metrics = ("recall@3", "recall@5", "complete_chain@5")
    rows = [
        (name, *(results[name].get(kind, {}).get(metric) for kind in ("probe", "non_probe") for metric in metrics))
        for name in names
    ]
    return section("Ablations", table(head, rows), *_ideas(found))


def _ideas(found: Found) -> Iterator[str]:
    """What the whole method has over itself without one idea; below 0, the idea costs."""
    yield text("Countersign without one idea: what the idea adds (whole − without).")
    rows: list[Sequence[Cell]] = []
    for name in found["ideas"]["results"]:
        cells: list[Cell] = []
        for kind, metric in _EARNED:
            row = compared(found["ideas"], "countersign", name, kind, metric)
            cells += [row["delta"], f"[{row['ci_low']:+.3f}, {row['ci_high']:+.3f}]"] if row else [None, None]
        rows.append((name, *cells))
    yield table(("idea taken away", *(cell for kind, metric in _EARNED for cell in (f"{kind} {metric}", "95 %"))), rows)


def _gains(found: Found) -> str:
    rows = [
        (kind, values["golds"])
        + tuple(
            cell
            for k in (3, 5)
            for cell in (
                ", ".join(f"{why} {count}" for why, count in values[f"added@{k}"].items()),
                values[f"evicted@{k}"],
            )
        )
        for kind, values in found["gains"].items()
    ]
    head = ("type", "golds", "added at 3, by reason", "evicted at 3", "added at 5, by reason", "evicted at 5")
    return section(
        "Where the gain comes from", text("Golds that countersign has and dense has not, and back."), table(head, rows)
    )


def _controls(found: Found) -> str:
    controls, metrics = found["controls"], ("recall@1", "recall@3", "recall@5", "recall@10")
    counts = {kind: values["n"] for kind, values in found["results"]["dense"].items()}
    tables = [("dense with twice the places", controls["dense_2k"])]
    for what, title in _CHANGES:
        tables += [(f"{name}, {title}", by_type) for name, by_type in controls[what].items()]
    tables.append(("countersign, weights chosen without the process", controls["tuned"]["results"]))
    rows = [
        (title, kind, by_type[kind].get("n", counts[kind]), *(by_type[kind][metric] for metric in metrics))
        for kind in ("probe", "non_probe", "all")
        for title, by_type in tables
        if kind in by_type
    ]
    said = "'Left out' ranks the queries of each process over a graph without it; queries of no process are not in it."
    return section("Controls", table(("row", "type", "n", *metrics), rows), note(said))


def _completeness(found: Found) -> str:
    head = ("method", "type", "entities", *(part for kind in KINDS for part in (kind, "if found")))
    rows = [
        (name, kind, values["entities"]["share"])
        + tuple(values[fact][share] for fact in KINDS for share in ("share", "share_found"))
        for name, by_type in found["completeness"].items()
        for kind, values in by_type.items()
        if kind in ("all", "probe", "non_probe")
    ]
    return section("Completeness of the context at the first five hits", table(head, rows))


def _sensitivity(found: Found) -> str:
    rows: list[Sequence[Cell]] = []
    for model, part in found["sensitivity"].items():
        for kind in ("probe", "non_probe"):
            for other in ("dense", "hybrid"):
                row = compared(part, "countersign", other, kind, "recall@3")
                if row:
                    values = (part["results"][name][kind]["recall@3"] for name in (other, "countersign"))
                    interval = f"[{row['ci_low']:+.3f}, {row['ci_high']:+.3f}]"
                    rows.append((model, kind, other, *values, row["delta"], interval, p_value(row["p"])))
    head = ("model", "type", "against", "its R@3", "countersign R@3", "delta", "95 % interval", "p")
    left = [f"{name}: {why}" for name, why in found["models_left_out"].items()]
    return section("Sensitivity to the embedding model", table(head, rows), listing(left) if left else "")


def _openapi(found: Found) -> str:
    part = found.get("openapi")
    if part is None:
        return section("Catalogues without a process layer", text("No OpenAPI catalogues were given (--openapi)."))
    metrics = ("recall@1", "recall@3", "recall@5", "recall@10", "ndcg@10")
    rows = [
        (method, group, values["n"], *(values[metric] for metric in metrics))
        for group in next(iter(part["results"].values()))
        for method, by_group in part["results"].items()
        for values in (by_group[group],)
    ]
    return section(
        "Catalogues without a process layer",
        table(("method", "catalogue", "n", *metrics), rows),
        note(part["convention"]),
    )


def _times(found: Found) -> str:
    rows = [
        (name, part["endpoints"], *(times[column] for column in _TIMES), part["memory_mb"])
        for part in found["scale"]
        for name, times in part["ms"].items()
    ]
    load = ", ".join(f"{value:.1f}" for value in found["load_average"])
    said = (
        "One search for ten hits, without encoding the query; wall time and processor time. The larger catalogue is the "
        f"smaller one many times over. Load average at the end: {load} on {found['cores']} cores."
    )
    head = ("method", "endpoints", *(f"{name} ms" for name in _TIMES), "memory MB, all methods")
    return section("Latency and memory", table(head, rows), note(said))
