"""The raw metadata of a snapshot's services, as it was ingested."""

import re
from pathlib import Path

from graph.ingest_report import from_manifest
from graph.snapshot import read_manifest
from graph.source_store import kept_sources

_ENCODING = re.compile(rb"""<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']""")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def documents_of(root: Path, digest: str) -> dict[str, str]:
    """Service -> text of its metadata. Raises ``SnapshotMissing``; ``SnapshotDamaged`` when a kept source is lost."""
    loaded = [item for item in from_manifest(read_manifest(root, digest)).loaded if item.kind == "service"]
    return {source.name: text_of(source.read()) for source in kept_sources(root, loaded, ())}


def text_of(data: bytes) -> str:
    """XML bytes as text, by byte order mark or declaration; what cannot be decoded is replaced, since nothing is parsed."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    told = _ENCODING.match(data)
    try:
        return data.decode(told[1].decode() if told else "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")
