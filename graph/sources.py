"""What an ingestion takes: files of the paths it is given, and what was gathered elsewhere; the identity of all of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from graph.errors import SourceError

TABLES = ("bindings", "codes", "required", "carryover", "valuehelp")
_CSV_TABLES = TABLES[:4]
_MODELS = (".edmx", ".xml", ".bpmn")
_PRODUCERS = ("graph/*.py", "odata/csdl*.py", "odata/safe_xml.py")
_BPMN = b"http://www.omg.org/spec/BPMN/"
_SNIFFED = 4096


@dataclass(frozen=True)
class SourceFile:
    """One source. ``shown`` names it in every message: the path below the folder that was given, a URL, or what it holds.

    ``name`` is the service id or the process file's stem; ``table`` the kind of a table (of ``TABLES``), None for a model.
    ``read_at`` (ISO 8601, UTC) is when it was read from a live service; empty for files.
    """

    shown: str
    digest: str
    name: str = ""
    table: str | None = None
    path: Path | None = None
    data: bytes | None = None
    read_at: str = ""

    def read(self) -> bytes:
        """The bytes that ``digest`` names. Raises ``SourceError`` when the file changed since it was found."""
        if self.data is not None:
            return self.data
        data = self.path.read_bytes() if self.path is not None else b""
        if sha256(data).hexdigest() != self.digest:
            raise SourceError(self.shown, None, "", "changed while it was read", "ingest again")
        return data


def source_of_bytes(data: bytes, shown: str, name: str, table: str | None = None, read_at: str = "") -> SourceFile:
    """A source that was fetched or made, not found on disk."""
    return SourceFile(shown, sha256(data).hexdigest(), name, table, data=data, read_at=read_at)


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
        elif not _kind_known(source) and source.suffix.lower() != ".ttl":
            kinds = [*(f"*{suffix}" for suffix in _MODELS), *(f"{name}.csv" for name in _CSV_TABLES), "*.ttl"]
            advice = f"give files named {', '.join(kinds)}"
            raise SourceError(str(source), None, "", "of no known kind", advice)
        else:
            found[source.resolve()] = _source_file(source, source.name)
    return sorted(named_apart(found.values()), key=lambda item: (item.shown, str(item.path)))


def named_apart(files: Iterable[SourceFile]) -> Iterator[SourceFile]:
    """The files, each with a name of its own: the stem, or where others share it, as many folders before it as it takes.

    ``a/metadata.xml`` and ``b/metadata.xml`` become ``a.metadata`` and ``b.metadata``, whichever is found first. The same
    content twice needs no two names.
    """
    groups: dict[tuple[bool, str], list[SourceFile]] = {}
    for file in files:
        if file.table is None:
            groups.setdefault((file.shown.lower().endswith(".bpmn"), file.name), []).append(file)
        else:
            yield file
    for group in groups.values():
        digests = {file.digest for file in group}
        yield from group if len(digests) == 1 else (replace(file, name=_apart(file, group)) for file in group)


def _apart(file: SourceFile, group: Sequence[SourceFile]) -> str:
    for folders in range(1, max(len(PurePosixPath(file.shown).parts), 2)):
        name = _with_folders(file, folders)
        if all(_with_folders(other, folders) != name for other in group if other.digest != file.digest):
            return name
    return f"{file.name}.{file.digest[:8]}"


def _with_folders(file: SourceFile, folders: int) -> str:
    return ".".join((*PurePosixPath(file.shown).parts[:-1][-folders:], file.name))


def sources_digest(files: Sequence[SourceFile], policy: object) -> str:
    """Identity of an ingestion: names and contents of its sources, how lenient it is, and the code that reads them."""
    digest = sha256(f"{policy!r}\n".encode())
    for file in files:
        digest.update(f"{file.shown}\0{file.name}\0{file.digest}\n".encode())
    for producer in _producers():
        digest.update(producer.read_bytes())
    return digest.hexdigest()


def key_of(source: SourceFile) -> tuple[str, str]:
    """What a newer source of the same key replaces: a table by where it stands, a model by kind and name."""
    if source.table is not None:
        return source.table, source.shown
    bpmn = source.shown.lower().endswith(".bpmn") or _BPMN in source.read()[:_SNIFFED]
    return "process" if bpmn else "service", source.name


def _producers() -> Iterator[Path]:
    """A new release may read the same file otherwise, so its own code is part of the identity."""
    base = Path(__file__).parent.parent
    for pattern in _PRODUCERS:
        yield from sorted(base.glob(pattern))


def _kind_known(path: Path) -> bool:
    return path.suffix.lower() in _MODELS or _table_of(path) is not None


def _table_of(path: Path) -> str | None:
    suffix = path.suffix.lower()
    if suffix == ".ttl":
        return "bindings" if path.stem == "bindings" else None
    return path.stem if suffix == ".csv" and path.stem in _CSV_TABLES else None


def _source_file(path: Path, shown: str) -> SourceFile:
    digest = sha256(path.read_bytes()).hexdigest()
    # A file name may be any bytes; what is stored and told is text.
    shown = shown.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    # A Turtle file given by its own name can only hold bindings, whatever it is called.
    table = "bindings" if path.suffix.lower() == ".ttl" else _table_of(path)
    return SourceFile(shown, digest, PurePosixPath(shown).stem, table, path)
