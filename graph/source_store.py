"""The bytes of every source in a snapshot, by their SHA-256: a later ingestion can keep what it does not replace.

sources/<sha256>    one file each, written once
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from graph.errors import SnapshotDamaged
from graph.ingest_report import LoadedFile
from graph.snapshot import write_durably
from graph.sources import TABLES, SourceFile, key_of


def keep_source(root: Path, source: SourceFile, data: bytes) -> None:
    """Keep the bytes of a source; nothing happens when they are there already."""
    path = _path(root, source.digest)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, data)


def kept_sources(root: Path, loaded: Iterable[LoadedFile], newer: Iterable[SourceFile]) -> list[SourceFile]:
    """Sources of a snapshot that no newer one replaces, as they were. Raises ``SnapshotDamaged`` when one is lost."""
    replaced = {key_of(source) for source in newer}
    kept: list[SourceFile] = []
    for item in loaded:
        table = item.kind if item.kind in TABLES else None
        if ((table, item.file) if table else (item.kind, item.name)) not in replaced:
            data = _load(root, item)
            kept.append(SourceFile(item.file, item.digest, item.name, table, data=data, read_at=item.read_at))
    return kept


def remove_sources(root: Path, keep: Iterable[str]) -> int:
    """Delete the bytes of all sources but those whose digests ``keep`` names; returns how many went."""
    kept = frozenset(keep)
    gone = [path for path in (root / "sources").glob("*") if path.name not in kept]
    for path in gone:
        path.unlink()
    return len(gone)


def _path(root: Path, digest: str) -> Path:
    return root / "sources" / digest


def _load(root: Path, item: LoadedFile) -> bytes:
    try:
        data = _path(root, item.digest).read_bytes()
    except FileNotFoundError:
        data = b""
    if sha256(data).hexdigest() != item.digest:
        raise SnapshotDamaged(f"the kept copy of {item.file} is lost or changed: give the file itself")
    return data
