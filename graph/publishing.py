"""Snapshots in a shared store: put every graph, then the snapshot's record, and swap the pointer last.

    <graph>/content/<sha256 of its lines, 16 digits>     one named graph's triples; snapshots that hold the same share it
    .../snapshot/<hash>                                  record: which graph of the snapshot stands where, and its times
    .../current                                          pointer: the newest snapshot

A graph that a record names is complete, for records are written after it; one that no record names may be half of a
publication that broke off, and is sent again.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pyoxigraph import NamedNode, Quad

from graph.errors import SnapshotMissing
from graph.facts import Facts
from graph.iris import GRAPH
from graph.nquads import GraphWriter, graph_hash, sorted_lines
from graph.reader import SnapshotReader
from graph.snapshot import open_store, quad_line, read_times
from graph.store import EmbeddedStore, GraphStore, Term, Triples
from graph.vocabulary import OD, XSD

CURRENT = f"{GRAPH}current"
_RECORD = f"{GRAPH}snapshot/"
Progress = Callable[[str, int, int], None]


def publish_snapshot(root: Path, store: GraphStore, digest: str | None = None, progress: Progress | None = None) -> str:
    """Put a snapshot of ``root`` (the current one by default) into ``store``, make it current there and return its hash.

    Publishing again sends only what the store does not hold. Raises ``SnapshotMissing``, ``StoreUnreachable``,
    ``QueryRefused``; then the pointer still names the snapshot before.
    """
    local, found = open_store(root, digest)
    source = EmbeddedStore(local)
    complete = _named_by_records(store)
    places: dict[str, str] = {}
    graphs = source.graphs()
    for number, graph in enumerate(graphs, start=1):
        lines = sorted(quad_line(quad) for quad in source.quads(graph))
        places[graph] = f"{graph}/content/{graph_hash(lines)[:16]}"
        if places[graph] not in complete:
            store.put(places[graph], _moved(lines, graph, places[graph]))
        if progress is not None:
            progress(graph.removeprefix(GRAPH), number, len(graphs))
    store.put(f"{_RECORD}{found}", _record(found, places, read_times(root, found)))
    store.put(CURRENT, _pointer(found))
    return found


def published_hash(store: Triples) -> str | None:
    """Hash of the store's current snapshot, or None when nothing was published."""
    return Facts.of_graphs(store, [CURRENT]).one(CURRENT, OD.snapshot)


def published_snapshots(store: Triples) -> list[str]:
    """Hashes of all complete snapshots in the store, sorted."""
    return sorted(graph.removeprefix(_RECORD) for graph in store.graphs() if graph.startswith(_RECORD))


def open_published(store: Triples, digest: str | None = None) -> SnapshotReader:
    """A snapshot in the store, the current one by default, as readers see it. Raises ``SnapshotMissing``."""
    wanted = digest or published_hash(store)
    if wanted is None:
        raise SnapshotMissing("nothing was published to this store yet; run the ingestion with --publish")
    record = _Record.read(store, wanted)
    return SnapshotReader(PublishedSnapshot(store, record.places), wanted, times=record.times)


def remove_published(store: GraphStore, keep: Iterable[str]) -> list[str]:
    """Drop all snapshots of the store but the current one and those that ``keep`` names; returns what was dropped."""
    kept = {*keep, published_hash(store)}
    removed = [digest for digest in published_snapshots(store) if digest not in kept]
    for digest in removed:
        store.drop(f"{_RECORD}{digest}")
    if removed:
        needed = _named_by_records(store)
        for graph in store.graphs():
            if "/content/" in graph and graph not in needed:
                store.drop(graph)
    return removed


class PublishedSnapshot:
    """``Triples`` of one snapshot in a store that holds several: graphs go by the names that they have in the snapshot."""

    def __init__(self, store: Triples, places: dict[str, str]) -> None:
        self._store, self._places = store, places
        self._names = {place: name for name, place in places.items()}

    def graphs(self) -> list[str]:
        """See ``Triples``."""
        return sorted(self._places)

    def quads(self, graph: str) -> Iterable[Quad]:
        """See ``Triples``."""
        return map(self._named, self._store.quads(self._places[graph])) if graph in self._places else ()

    def matching(self, predicates: Sequence[str], value: str | None = None) -> Iterable[Quad]:
        """See ``Triples``."""
        found = self._store.matching(predicates, value)
        return (self._named(quad) for quad in found if _graph(quad) in self._names)

    def select(self, query: str) -> list[dict[str, Term]]:
        """See ``Triples``; the query sees every snapshot of the store."""
        return self._store.select(query)

    def _named(self, quad: Quad) -> Quad:
        return Quad(quad.subject, quad.predicate, quad.object, NamedNode(self._names[_graph(quad)]))


class _Record:
    """Where the graphs of a published snapshot stand, and when their sources were read."""

    def __init__(self, places: dict[str, str], times: dict[str, str]) -> None:
        self.places, self.times = places, times

    @classmethod
    def read(cls, store: Triples, digest: str) -> "_Record":
        facts = Facts.of_graphs(store, [f"{_RECORD}{digest}"])
        places, times = {}, {}
        for graph, _ in facts.subjects():
            place, read_at = facts.one(graph, OD.graph), facts.one(graph, OD.readAt)
            places.update({graph: place} if place else {})
            times.update({graph: read_at} if read_at else {})
        if not places:
            raise SnapshotMissing(f"no snapshot {digest} in this store; publish it again")
        return cls(places, times)


def _named_by_records(store: Triples) -> set[str]:
    return {place for digest in published_snapshots(store) for place in _Record.read(store, digest).places.values()}


def _record(digest: str, places: dict[str, str], times: dict[str, str]) -> list[str]:
    writer = GraphWriter(f"{_RECORD}{digest}")
    for graph, place in places.items():
        writer.iri(graph, OD.graph, place)
    for graph, instant in times.items():
        writer.literal(graph, OD.readAt, instant, XSD.dateTime, "")
    return sorted_lines([writer.lines()])


def _pointer(digest: str) -> list[str]:
    writer = GraphWriter(CURRENT)
    writer.text(CURRENT, OD.snapshot, digest)
    return sorted_lines([writer.lines()])


def _moved(lines: Sequence[str], graph: str, place: str) -> list[str]:
    ending = f" <{graph}> .\n"
    return [f"{line.removesuffix(ending)} <{place}> .\n" for line in lines]


def _graph(quad: Quad) -> str:
    graph = quad.graph_name
    return graph.value if isinstance(graph, NamedNode) else ""
