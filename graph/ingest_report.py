"""What an ingestion says: loaded, refused, warnings, unresolved bindings, changes. Kept in the snapshot's manifest."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, cast


@dataclass(frozen=True)
class LoadedFile:
    """One file that is in the graph. ``name`` is the service id or the process file's stem."""

    file: str
    kind: str
    name: str
    digest: str
    quads: int


@dataclass(frozen=True)
class Refusal:
    """One file that is not; ``reason`` is one line that names file, place and what to do."""

    file: str
    reason: str


@dataclass(frozen=True)
class IngestReport:
    """``unchanged``: the snapshot that was current before holds the same graph. ``changes`` are lines for people."""

    graph_hash: str
    quads: int = 0
    loaded: tuple[LoadedFile, ...] = ()
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    unchanged: bool = False

    def of_snapshot(self, digest: str, unchanged: bool) -> "IngestReport":
        """The same report for the snapshot that was written."""
        return replace(self, graph_hash=digest, unchanged=unchanged)


def changes_between(previous: Mapping[str, object] | None, loaded: Iterable[LoadedFile]) -> tuple[str, ...]:
    """Added, changed and removed files against the manifest of the snapshot before."""
    before = {(item.kind, item.name): item.digest for item in from_manifest(previous).loaded} if previous else {}
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
    for name in ("graph_hash", "changes", "unchanged"):
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
        unchanged=unchanged,
    )
