"""Where snapshots are: a folder of embedded stores, or a SPARQL endpoint that they were published to; readers see one port."""

from pathlib import Path
from typing import Protocol

from graph.publishing import open_published, published_hash, published_snapshots, remove_published
from graph.reader import SnapshotReader, open_snapshot
from graph.snapshot import current_hash, list_snapshots, remove_snapshots, snapshot_dir
from graph.sparql_store import SparqlEndpoint, SparqlStore
from odata.auth import BasicAuth, BearerAuth


class Library(Protocol):
    """All snapshots of one place."""

    def current(self) -> str | None:
        """Hash of the newest snapshot; None when there is none."""
        ...

    def open(self, digest: str) -> SnapshotReader:
        """A snapshot by its hash. Raises ``SnapshotMissing``."""
        ...

    def folder(self, digest: str) -> Path:
        """Where what is derived from the snapshot (its vectors) may be kept on this machine."""
        ...

    def hashes(self) -> list[str]:
        """All complete snapshots, sorted."""
        ...

    def remove(self, keep: set[str]) -> list[str]:
        """Remove all but the current snapshot and those in ``keep``; returns what was removed."""
        ...

    def close(self) -> None:
        """Close connections, where there are any."""
        ...


class LocalLibrary:
    """Snapshots in a folder (``graph.snapshot``)."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def current(self) -> str | None:
        """See ``Library``."""
        return current_hash(self._root)

    def open(self, digest: str) -> SnapshotReader:
        """See ``Library``."""
        return open_snapshot(self._root, digest)

    def folder(self, digest: str) -> Path:
        """See ``Library``."""
        return snapshot_dir(self._root, digest)

    def hashes(self) -> list[str]:
        """See ``Library``."""
        return list_snapshots(self._root)

    def remove(self, keep: set[str]) -> list[str]:
        """See ``Library``."""
        return remove_snapshots(self._root, keep)

    def close(self) -> None:
        """See ``Library``."""


class PublishedLibrary:
    """Snapshots in a shared store (``graph.publishing``)."""

    def __init__(self, store: SparqlStore, root: Path) -> None:
        self.store = store
        self._root = root

    def current(self) -> str | None:
        """See ``Library``."""
        return published_hash(self.store)

    def open(self, digest: str) -> SnapshotReader:
        """See ``Library``."""
        return open_published(self.store, digest)

    def folder(self, digest: str) -> Path:
        """See ``Library``."""
        path = self._root / "published" / digest
        path.mkdir(parents=True, exist_ok=True)
        return path

    def hashes(self) -> list[str]:
        """See ``Library``."""
        return published_snapshots(self.store)

    def remove(self, keep: set[str]) -> list[str]:
        """See ``Library``."""
        return remove_published(self.store, keep)

    def close(self) -> None:
        """See ``Library``."""
        self.store.close()


def open_library(root: Path, url: str = "", *, user: str = "", password: str = "", bearer: str = "") -> Library:
    """The endpoint at ``url`` (the base of an Oxigraph server, or ``QUERY|STORE`` URLs), else the folder ``root``."""
    if not url:
        return LocalLibrary(root)
    query, _, graphs = url.partition("|")
    endpoint = SparqlEndpoint(query, graphs) if graphs else SparqlEndpoint.of(url)
    auth = BearerAuth(bearer) if bearer else BasicAuth(user, password) if user else None
    return PublishedLibrary(SparqlStore(endpoint, auth=auth), root)
