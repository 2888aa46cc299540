"""The audit: ingest a folder into a throw-away snapshot, read the store back, compare with the independent readers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pyoxigraph import Store

from embedded.odata_service.errors import MetadataError
from evaluation.fidelity.bindings import held_bindings, reference_bindings
from evaluation.fidelity.facts import ClassResult, Fact, FactTable, compare
from evaluation.fidelity.held import KEY_LENGTH, held_facts
from evaluation.fidelity.readable import kind_of
from evaluation.fidelity.reference_bpmn import GATEWAYS, read_processes
from evaluation.fidelity.reference_document import csdl_facts
from evaluation.fidelity.reference_order import order_facts
from graph.errors import NothingToIngest
from graph.ingest import ingest
from graph.snapshot import open_store

SUFFIXES = (".edmx", ".xml", ".bpmn")


@dataclass(frozen=True)
class Refused:
    """A file that is not in the graph. ``allowed``: DOCTYPE, ill-formed XML or a wrong root; else its facts are missing."""

    file: str
    reason: str
    allowed: bool


@dataclass
class Reference:
    """What the independent readers found. ``unread``: files that only they could not read, with the reason."""

    table: FactTable = field(default_factory=FactTable)
    files: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    failed: list[Refused] = field(default_factory=list)
    endpoints: dict[str, set[str]] = field(default_factory=dict)
    nodes: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class Audit:
    """``examples``: per class up to some facts that are missing and some that are invented, with the file's name."""

    results: list[ClassResult]
    refused: list[Refused]
    files: int
    examples: dict[str, tuple[list[Fact], list[Fact]]]

    @property
    def passed(self) -> bool:
        """Whether every class is at 1.000 both ways and nothing was refused that must be read."""
        return all(result.perfect for result in self.results) and all(item.allowed for item in self.refused)


def audit(
    folder: Path, scratch: Path, bindings: Path | None = None, tamper: Callable[[Path], None] | None = None
) -> Audit:
    """Audit all files below ``folder``; the snapshot is built below ``scratch``.

    ``bindings``: a table to take beside those in the folder. ``tamper`` is called with the snapshots' folder before it is
    read back, so that tests may plant differences.
    """
    reference = read_reference(folder)
    sources = [folder]
    if bindings is not None:
        scratch.mkdir(parents=True, exist_ok=True)
        (scratch / "bindings.csv").write_bytes(bindings.read_bytes())
        sources.append(scratch / "bindings.csv")
    root = scratch / "snapshot"
    try:
        refused = {item.file: item.reason for item in ingest(sources, root).refused}
    except NothingToIngest as error:
        return _result(reference, FactTable(), dict.fromkeys(reference.files, str(error)))
    if tamper is not None:
        tamper(root)
    for table in dict.fromkeys([*sorted(folder.rglob("bindings.csv")), *sources[1:]]):
        found = FactTable()
        reference_bindings(table, reference.endpoints, reference.nodes, found)
        reference.table.merge(found)
    store, _ = open_store(root)
    return _result(reference, _held(store), refused)


def _held(store: Store) -> FactTable:
    held = held_facts(store)
    held.merge(held_bindings(store))
    return held


def read_reference(folder: Path) -> Reference:
    """Every file of the folder through the reader that fits it."""
    found = Reference()
    names = _names(folder)
    for path in _models(folder):
        shown, data = path.relative_to(folder).as_posix(), path.read_bytes()
        key = sha256(data).hexdigest()[:KEY_LENGTH]
        kind = kind_of(data)
        found.files[shown] = key
        if not kind.name:
            found.unreadable[shown] = kind.reason
            continue
        try:
            table = _read(data, shown, key, kind.name, names[path], found)
        except (MetadataError, ValueError, RecursionError) as error:
            found.failed.append(Refused(shown, f"the independent reader failed: {error}", False))
            continue
        found.table.merge(table)
    return found


def _models(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in SUFFIXES)


def _names(folder: Path) -> dict[Path, str]:
    """What tables call the services: the stem, with folders before it where other content has the same stem."""
    groups: dict[tuple[str, bool], dict[Path, str]] = {}
    for path in _models(folder):
        digest = sha256(path.read_bytes()).hexdigest()
        groups.setdefault((path.stem, path.suffix.lower() == ".bpmn"), {})[path] = digest
    return {
        path: _name(path, folder, group) if len(set(group.values())) > 1 else path.stem
        for group in groups.values()
        for path in group
    }


def _name(path: Path, folder: Path, group: dict[Path, str]) -> str:
    rivals = [other for other, digest in group.items() if digest != group[path]]
    for depth in range(2, max(len(path.relative_to(folder).parts), 2) + 1):
        tail = path.relative_to(folder).with_suffix("").parts[-depth:]
        if all(other.relative_to(folder).with_suffix("").parts[-depth:] != tail for other in rivals):
            return ".".join(tail)
    return f"{path.stem}.{group[path][:8]}"


def _read(data: bytes, shown: str, key: str, kind: str, stem: str, found: Reference) -> FactTable:
    if kind == "csdl":
        table = csdl_facts(data, shown, key)
        names = found.endpoints.setdefault(stem, set())
        for name in ("entity_sets", "singletons", "operation_imports"):
            names |= {fact[1].rpartition("/")[2] for fact in table.classes.get(name, ())}
        for fact in table.classes.get("operations", ()):
            if fact[2] == "qualifiedName":
                names.add(fact[3])
        return table
    table, models = read_processes(data, key)
    for model in models:
        order_facts(model, table)
        found.nodes |= {(model.id, node.id) for node in model.nodes.values() if node.kind not in GATEWAYS}
    return table


def _result(reference: Reference, held: FactTable, refused: dict[str, str]) -> Audit:
    told = [
        Refused(file, refused.get(file) or reference.unreadable[file], file in reference.unreadable)
        for file in sorted({*reference.unreadable, *(file for file in refused if file in reference.files)})
    ]
    tables = [Refused(file, reason, False) for file, reason in refused.items() if file not in reference.files]
    left, right = _counted(reference.table, held)
    examples = {
        name: (
            sorted(left.get(name, set()) - right.get(name, set())),
            sorted(right.get(name, set()) - left.get(name, set())),
        )
        for name in {*left, *right}
    }
    everything = sorted([*told, *tables, *reference.failed], key=lambda item: item.file)
    return Audit(compare(left, right), everything, len(reference.files), examples)


def _counted(reference: FactTable, held: FactTable) -> tuple[dict[str, set[Fact]], dict[str, set[Fact]]]:
    """Both sides without the conditions that the reference does not enumerate."""
    skipped = reference.uncounted
    right = dict(held.classes)
    if skipped:
        edges = right.get("follows_edges", set())
        right["follows_edges"] = {fact for fact in edges if fact[:3] not in skipped or fact[4] != "condition"}
    return dict(reference.classes), right
