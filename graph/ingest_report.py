"""What an ingestion says: loaded, refused, warnings, unresolved bindings, changes. Kept in the snapshot's manifest."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from graph.changes import Change


@dataclass(frozen=True)
class LoadedFile:
    """One file that is in the graph. ``name`` is the service id or the process file's stem; ``read_at`` (ISO 8601) when it
    was read from a live service, empty for files."""

    file: str
    kind: str
    name: str
    digest: str
    quads: int
    read_at: str = ""


@dataclass(frozen=True)
class Refusal:
    """One file that is not; ``reason`` is one line that names file, place and what to do."""

    file: str
    reason: str


@dataclass(frozen=True)
class IngestReport:
    """``unchanged``: the snapshot that was current before holds the same graph. ``changes`` are lines for people, one a source;
    ``elements`` what changed inside the services. ``violations``: what the graph's own rules find (``graph.checks``)."""

    graph_hash: str
    quads: int = 0
    loaded: tuple[LoadedFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    elements: tuple[Change, ...] = ()
    unchanged: bool = False
    ingested_at: str = ""

    def against(self, changes: tuple[str, ...], elements: tuple[Change, ...], unchanged: bool) -> "IngestReport":
        """The same report beside the snapshot that was current before."""
        return replace(self, changes=changes, elements=elements, unchanged=unchanged)

    def told(self, refused: Iterable[Refusal], notes: Iterable[str]) -> "IngestReport":
        """The same report with what services answered this time, which no manifest keeps."""
        return replace(self, refused=(*self.refused, *refused), warnings=(*self.warnings, *notes))


def changes_between(previous: Iterable[LoadedFile], loaded: Iterable[LoadedFile]) -> tuple[str, ...]:
    """Added, changed and removed sources against the snapshot before."""
    before = {(item.kind, item.name): item.digest for item in previous}
    after = {(item.kind, item.name): item.digest for item in loaded}
    lines = []
    for kind, name in sorted({*before, *after}):
        old, new = before.get((kind, name)), after.get((kind, name))
        if old is None:
            lines.append(f"added {kind} {name}")
        elif new is None:
            lines.append(f"removed {kind} {name}")
        elif old != new:
            lines.append(f"changed {kind} {name}")
    return tuple(lines)


def to_manifest(report: IngestReport, identity: str) -> dict[str, object]:
    """The report as JSON values, without its hash and changes, which depend on what was there before."""
    found: dict[str, object] = asdict(report)
    for name in ("graph_hash", "changes", "elements", "unchanged"):
        del found[name]
    return {"sources": identity, **found}


def from_manifest(manifest: Mapping[str, object], unchanged: bool = False) -> IngestReport:
    """The report of a snapshot as its manifest keeps it."""
    found = cast(Mapping[str, Any], manifest)
    return IngestReport(
        graph_hash=found["graph_hash"],
        quads=found["quads"],
        loaded=tuple(LoadedFile(**item) for item in found["loaded"]),
        refused=tuple(Refusal(**item) for item in found["refused"]),
        warnings=tuple(found["warnings"]),
        unresolved=tuple(found["unresolved"]),
        violations=tuple(found.get("violations", ())),
        ingested_at=found.get("ingested_at", ""),
        unchanged=unchanged,
    )
