"""Which files an ingestion takes from the paths it is given, and the identity of their content."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from graph.errors import SourceError

TABLES = ("bindings", "codes", "required", "carryover")
_MODELS = (".edmx", ".xml", ".bpmn")
_PRODUCERS = ("graph/*.py", "odata/csdl*.py", "odata/safe_xml.py")


@dataclass(frozen=True)
class SourceFile:
    """``shown`` is the path below the folder that was given (or the name); ``table`` the kind of a CSV file."""

    path: Path
    shown: str
    digest: str
    table: str | None = None


def find_sources(sources: Sequence[Path]) -> list[SourceFile]:
    """Files in a stable order. In a folder: ``*.edmx``, ``*.xml``, ``*.bpmn`` and the tables by their names, at any depth.

    Raises ``SourceError`` for a path that does not exist, and for a file named outright that is of no known kind.
    """
    found: dict[Path, SourceFile] = {}
    for source in sources:
        if source.is_dir():
            members = sorted(path for path in source.rglob("*") if path.is_file() and _kind_known(path))
            found.update((path.resolve(), _source_file(path, path.relative_to(source).as_posix())) for path in members)
        elif not source.is_file():
            raise SourceError(str(source), None, "", "no such file or folder", "check the path")
        elif not _kind_known(source):
            kinds = [*(f"*{suffix}" for suffix in _MODELS), *(f"{name}.csv" for name in TABLES)]
            advice = f"give files named {', '.join(kinds)}"
            raise SourceError(str(source), None, "", "of no known kind", advice)
        else:
            found[source.resolve()] = _source_file(source, source.name)
    return sorted(found.values(), key=lambda item: (item.shown, str(item.path)))


def sources_digest(files: Sequence[SourceFile]) -> str:
    """Identity of an ingestion: names and contents of its sources, and the code that reads them."""
    digest = sha256()
    for file in files:
        digest.update(f"{file.shown}\0{file.digest}\n".encode())
    for producer in _producers():
        digest.update(producer.read_bytes())
    return digest.hexdigest()


def _producers() -> Iterator[Path]:
    """A new release may read the same file otherwise, so its own code is part of the identity."""
    base = Path(__file__).parent.parent
    for pattern in _PRODUCERS:
        yield from sorted(base.glob(pattern))


def _kind_known(path: Path) -> bool:
    return path.suffix.lower() in _MODELS or _table_of(path) is not None


def _table_of(path: Path) -> str | None:
    return path.stem if path.suffix.lower() == ".csv" and path.stem in TABLES else None


def _source_file(path: Path, shown: str) -> SourceFile:
    return SourceFile(path, shown, sha256(path.read_bytes()).hexdigest(), _table_of(path))
