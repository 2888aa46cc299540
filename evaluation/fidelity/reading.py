"""The files of a folder one by one, through the independent reader that fits each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.held import KEY_LENGTH
from evaluation.fidelity.readable import kind_of
from evaluation.fidelity.reference_bpmn import GATEWAYS, read_processes
from evaluation.fidelity.reference_document import csdl_facts
from evaluation.fidelity.reference_order import order_facts
from odata.deep import deep_recursion

SUFFIXES = (".edmx", ".xml", ".bpmn")


@dataclass(frozen=True)
class Read:
    """One file. ``unreadable`` says why nothing can be read from it; ``failed`` why the independent reader read nothing."""

    shown: str
    key: str
    table: FactTable
    unreadable: str = ""
    failed: str = ""


@dataclass
class Ends:
    """What bindings may point to: service -> names of its endpoints, and (process, node) of all nodes but gateways."""

    endpoints: dict[str, set[str]] = field(default_factory=dict)
    nodes: set[tuple[str, str]] = field(default_factory=set)


def read_files(folder: Path, ends: Ends) -> Iterator[Read]:
    """Every file below the folder; ``ends`` grows as they are read."""
    names = _names(folder)
    for path in model_files(folder):
        shown, data = path.relative_to(folder).as_posix(), path.read_bytes()
        key = sha256(data).hexdigest()[:KEY_LENGTH]
        kind = kind_of(data)
        if not kind.name:
            yield Read(shown, key, FactTable(key), unreadable=kind.reason)
            continue
        try:
            with deep_recursion():
                table = _read(data, shown, key, kind.name, names[path], ends)
            yield Read(shown, key, table)
        except Exception as error:  # one file that a reader breaks on must not hide the others; it is told as a failure
            said = f"the independent reader failed: {type(error).__name__}: {error}"
            yield Read(shown, key, FactTable(key), failed=said)


def model_files(folder: Path) -> Iterator[Path]:
    """Files below the folder that are read, sorted."""
    yield from sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in SUFFIXES)


def _names(folder: Path) -> dict[Path, str]:
    """What tables call the services: the stem, with folders before it where other content has the same stem."""
    groups: dict[tuple[str, bool], dict[Path, str]] = {}
    for path in model_files(folder):
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


def _read(data: bytes, shown: str, key: str, kind: str, stem: str, ends: Ends) -> FactTable:
    if kind == "csdl":
        table = csdl_facts(data, shown, key)
        names = ends.endpoints.setdefault(stem, set())
        for name in ("entity_sets", "singletons", "operation_imports"):
            names |= {fact[1].rpartition("/")[2] for fact in table.classes.get(name, ())}
        for fact in table.classes.get("operations", ()):
            if fact[2] == "qualifiedName":
                names.add(fact[3])
        return table
    table, models = read_processes(data, key)
    for model in models:
        order_facts(model, table)
        ends.nodes |= {(model.id, node.id) for node in model.nodes.values() if node.kind not in GATEWAYS}
    return table
