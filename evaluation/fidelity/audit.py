"""The audit: ingest a folder into a throw-away snapshot, read the store back, compare with the independent readers.

File by file, so that a folder of any size needs the memory of its largest file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.fidelity.bindings import held_bindings, reference_bindings
from evaluation.fidelity.facts import CLASSES, ClassResult, Fact, FactTable, compare
from evaluation.fidelity.held import graphs_by_key, held_facts
from evaluation.fidelity.ingesting import Ingest, ingest_folder
from evaluation.fidelity.reading import Ends, Read, read_files
from graph.errors import NothingToIngest
from graph.ingest import ingest
from graph.snapshot import open_store

_EXAMPLES = 20


@dataclass(frozen=True)
class Refused:
    """A file that is not in the graph. ``allowed``: DOCTYPE, ill-formed XML or a wrong root; else its facts are missing."""

    file: str
    reason: str
    allowed: bool


@dataclass
class Audit:
    """``examples``: per class some facts that are not held and some that are invented."""

    results: list[ClassResult] = field(default_factory=lambda: [ClassResult(name, 0, 0, 0) for name in CLASSES])
    refused: list[Refused] = field(default_factory=list)
    files: int = 0
    examples: dict[str, tuple[list[Fact], list[Fact]]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every class is at 1.000 both ways and nothing was refused that must be read."""
        return all(result.perfect for result in self.results) and all(item.allowed for item in self.refused)

    def add(self, reference: FactTable, held: FactTable) -> None:
        """Take in the facts of one file, from both sides."""
        right = _counted(reference, held)
        found = compare(reference.classes, right)
        self.results = [old.plus(new) for old, new in zip(self.results, found, strict=True)]
        for name in (result.name for result in found if not result.perfect):
            missing, invented = self.examples.setdefault(name, ([], []))
            left = reference.classes.get(name, set())
            missing += sorted(left - right.get(name, set()))[: _EXAMPLES - len(missing)]
            invented += sorted(right.get(name, set()) - left)[: _EXAMPLES - len(invented)]


def _counted(reference: FactTable, held: FactTable) -> dict[str, set[Fact]]:
    """What is held, without the conditions that the reference does not enumerate."""
    right = dict(held.classes)
    if reference.uncounted:
        edges = right.get("follows_edges", set())
        right["follows_edges"] = {
            fact for fact in edges if fact[:3] not in reference.uncounted or fact[4] != "condition"
        }
    return right


def audit(
    folder: Path,
    scratch: Path,
    bindings: Path | None = None,
    tamper: Callable[[Path], None] | None = None,
    load: Ingest | None = None,
) -> Audit:
    """Audit all files below ``folder``; the snapshot is built below ``scratch``.

    ``bindings``: a table to take beside those in the folder. ``tamper`` is called with the snapshots' folder before it is
    read back, so that tests may plant differences; ``load`` stands in for the product's ingestion.
    """
    tables = sorted(folder.rglob("bindings.csv"))
    scratch.mkdir(parents=True, exist_ok=True)
    extra = []
    if bindings is not None:
        extra.append(scratch / "bindings.csv")
        extra[0].write_bytes(bindings.read_bytes())
    try:
        root, refused = ingest_folder(folder, extra, scratch, load or ingest_by_product)
    except NothingToIngest as error:
        return _without_graph(folder, str(error))
    if tamper is not None:
        tamper(root)
    return _compared(folder, root, [*tables, *extra], refused)


def ingest_by_product(sources: Sequence[Path], root: Path) -> dict[str, str]:
    """The product's ingestion; returns file -> reason of what it refused."""
    return {item.file: item.reason for item in ingest(sources, root).refused}


def _compared(folder: Path, root: Path, tables: list[Path], refused: dict[str, str]) -> Audit:
    store, _ = open_store(root)
    found, ends, graphs = Audit(), Ends(), graphs_by_key(store)
    done: set[str] = set()
    for read in read_files(folder, ends):
        found.files += 1
        _note(found, read, refused.pop(read.shown, ""))
        if read.key not in done:
            done.add(read.key)
            found.add(read.table, held_facts(store, graphs.pop(read.key, [])))
    for left in graphs.values():
        # Graphs of no file at all: whatever they say is invented.
        found.add(FactTable(), held_facts(store, left))
    expected = FactTable()
    for table in tables:
        one = FactTable()
        reference_bindings(table, ends.endpoints, ends.nodes, one)
        expected.merge(one)
    found.add(expected, held_bindings(store))
    found.refused += [Refused(file, reason, False) for file, reason in refused.items()]
    found.refused.sort(key=lambda item: item.file)
    return found


def _note(found: Audit, read: Read, reason: str) -> None:
    """The refusal of a file by the ingestion or by the independent reader."""
    if reason:
        found.refused.append(Refused(read.shown, reason, bool(read.unreadable)))
    if read.failed:
        found.refused.append(Refused(read.shown, read.failed, False))


def _without_graph(folder: Path, reason: str) -> Audit:
    """No file could be ingested at all."""
    found = Audit()
    for read in read_files(folder, Ends()):
        found.files += 1
        found.refused.append(Refused(read.shown, read.unreadable or read.failed or reason, bool(read.unreadable)))
        found.add(read.table, FactTable())
    return found
