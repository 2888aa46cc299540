"""What ``ingest`` answers: lines for people, values for programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cli.graph_age import Age, ages_of

if TYPE_CHECKING:
    from graph.ingest_report import IngestReport

MOST_LINES = 5
NO_ENDPOINT = "its endpoint is not in the graph"
MOST_CHANGES = 20


def describe(report: "IngestReport", now: datetime, stale_days: float) -> list[str]:
    """The report in lines."""
    lines = [_head(report), *_changes(report)]
    lines += [f"refused: {refusal.reason}" for refusal in report.refused]
    lines += _first([f"unresolved: {text}" for text in report.unresolved], "bindings do not resolve")
    broken = [text for text in report.violations if not _is_told(text)]
    lines += _first([f"broken rule: {text}" for text in broken], "broken rules")
    lines += [str(age) for age in _ages(report, now, stale_days)]
    if report.warnings:
        lines.append(f"{len(report.warnings)} warnings (all with --json), the first: {report.warnings[0]}")
    return lines


def answer_json(report: "IngestReport", now: datetime, stale_days: float) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "graph_hash": report.graph_hash,
        "unchanged": report.unchanged,
        "ingested_at": report.ingested_at,
        "quads": report.quads,
        "loaded": [item.file for item in report.loaded],
        "sources": [asdict(item) for item in report.loaded],
        "refused": [asdict(refusal) for refusal in report.refused],
        "warnings": report.warnings,
        "unresolved": report.unresolved,
        "violations": report.violations,
        "changes": {"sources": report.changes, "elements": [asdict(change) for change in report.elements]},
        "ages": [age.as_json() for age in _ages(report, now, stale_days)],
    }


def _head(report: "IngestReport") -> str:
    since = f" since {report.ingested_at}" if report.ingested_at else ""
    return f"graph {report.graph_hash}: {len(report.loaded)} files{f', unchanged{since}' if report.unchanged else ''}"


def _changes(report: "IngestReport") -> Iterator[str]:
    """Sources one by one while they are few, else counted; then what changed inside services."""
    if len(report.changes) <= MOST_LINES:
        yield from report.changes
    else:
        counts = Counter(" ".join(line.split(" ", 2)[:2]) for line in report.changes)
        yield "; ".join(f"{count} × {what}" for what, count in sorted(counts.items())) + " (each with --json)"
    yield from _first([str(change) for change in report.elements], "changes", MOST_CHANGES)


def _first(lines: Sequence[str], what: str, most: int = MOST_LINES) -> list[str]:
    shown = list(lines[:most])
    return [*shown, f"… {len(lines)} {what} (all with --json)"] if len(lines) > most else shown


def _is_told(violation: str) -> bool:
    """A binding that does not resolve breaks a rule as well; one line about it is enough."""
    return ", binding " in violation and not violation.endswith(NO_ENDPOINT)


def _ages(report: "IngestReport", now: datetime, stale_days: float) -> list[Age]:
    read_at = {
        f"codes of {item.name}" if item.kind == "valuehelp" else f"metadata of {item.name}": item.read_at
        for item in report.loaded
        if item.read_at
    }
    return ages_of(read_at, now, stale_days)
