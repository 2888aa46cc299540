"""An audit of a small world, with a difference planted into the stored graph before it is read back."""

from collections.abc import Callable
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Store

from evaluation.fidelity.audit import Audit, audit
from evaluation.fidelity.facts import ClassResult
from graph.snapshot import current_hash, snapshot_dir
from tests.unit.graph.world import write_world

Plant = Callable[[Store], None]


def audited(tmp_path: Path, plant: Plant | None = None, changes: dict[str, bytes | None] | None = None) -> Audit:
    """The audit of the world after ``plant`` had the store."""

    def tamper(root: Path) -> None:
        if plant is not None:
            store = Store(str(snapshot_dir(root, current_hash(root) or "") / "store"))
            plant(store)
            store.flush()

    return audit(write_world(tmp_path / "sources", changes), tmp_path / "scratch", tamper=tamper)


def failing(found: Audit) -> dict[str, ClassResult]:
    """Classes that are not perfect."""
    return {result.name: result for result in found.results if not result.perfect}


def remove(store: Store, subject: str = "", predicate: str = "", value: str = "") -> None:
    """Take every quad away whose parts end so; at least one has to."""
    found = [quad for quad in store if _fits(quad, subject, predicate, value)]
    assert found
    for quad in found:
        store.remove(quad)


def replace(store: Store, subject: str, predicate: str, value: NamedNode) -> None:
    """Give what is said another value."""
    found = [quad for quad in store if _fits(quad, subject, predicate, "")]
    assert found
    for quad in found:
        store.remove(quad)
        store.add(Quad(quad.subject, quad.predicate, value, quad.graph_name))


def _fits(quad: Quad, subject: str, predicate: str, value: str) -> bool:
    ends = (quad.subject.value, quad.predicate.value, quad.object.value)
    return all(part.endswith(wanted) for part, wanted in zip(ends, (subject, predicate, value), strict=True))
