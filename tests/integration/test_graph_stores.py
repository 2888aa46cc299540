"""One contract over both stores: the embedded one on disk, and a SPARQL 1.1 endpoint over HTTP (a real Oxigraph server)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import Store

from graph.errors import QueryRefused, SnapshotMissing, StoreUnreachable
from graph.nquads import GraphWriter, sorted_lines
from graph.publishing import open_published, publish_snapshot, published_hash, published_snapshots, remove_published
from graph.reader import open_snapshot
from graph.sparql_store import SparqlEndpoint, SparqlStore
from graph.store import EmbeddedStore, GraphStore, Term
from graph.vocabulary import OD, RDFS, XSD
from tests.sparql_server import oxigraph_server
from tests.unit.graph.world import ingest_world
from tests.unit.odata.csdl_samples import v4
from wire.endpoint import Verb

_A, _B = "https://graphs.test/a", "https://graphs.test/b"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with oxigraph_server(tmp_path_factory.mktemp("oxigraph")) as url:
        yield url


@pytest.fixture(params=["embedded", "endpoint"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStore]:
    if request.param == "embedded":
        yield EmbeddedStore(Store(str(tmp_path / "store")))
        return
    with SparqlStore(SparqlEndpoint.of(request.getfixturevalue("server"))) as opened:
        for graph in opened.graphs():
            opened.drop(graph)
        yield opened


def _lines(graph: str, *names: str) -> list[str]:
    writer = GraphWriter(graph)
    for name in names:
        writer.text(f"https://things.test/{name}", RDFS.label, f'"{name}" \\ é\n', "de")
        writer.integer(f"https://things.test/{name}", OD.line, len(name))
        writer.iri(f"https://things.test/{name}", OD.target, "https://things.test/")
    return sorted_lines([writer.lines()])


def _subjects(store: GraphStore, graph: str) -> set[str]:
    return {quad.subject.value.rpartition("/")[2] for quad in store.quads(graph)}


def test_a_graph_comes_back_as_it_was_put(store: GraphStore) -> None:
    store.put(_A, _lines(_A, "one"))
    held = {(quad.predicate.value, quad.object.value) for quad in store.quads(_A)}
    assert held == {(RDFS.label, '"one" \\ é\n'), (OD.line, "3"), (OD.target, "https://things.test/")}


def test_put_replaces_one_graph_and_no_other(store: GraphStore) -> None:
    store.put(_A, _lines(_A, "one"))
    store.put(_B, _lines(_B, "two"))
    store.put(_A, _lines(_A, "three"))
    assert (_subjects(store, _A), _subjects(store, _B)) == ({"three"}, {"two"})
    assert store.graphs() == [_A, _B]


def test_drop_forgets_a_graph_and_may_be_repeated(store: GraphStore) -> None:
    store.put(_A, _lines(_A, "one"))
    store.drop(_A)
    store.drop(_A)
    assert (store.graphs(), list(store.quads(_A))) == ([], [])


def test_matching_finds_in_all_graphs(store: GraphStore) -> None:
    store.put(_A, _lines(_A, "one"))
    store.put(_B, _lines(_B, "three"))
    assert {quad.object.value for quad in store.matching([OD.line])} == {"3", "5"}
    assert len(list(store.matching([OD.target, OD.line], "https://things.test/"))) == 2


def test_select_gives_terms_and_leaves_out_what_is_unbound(store: GraphStore) -> None:
    store.put(_A, _lines(_A, "one"))
    query = f"SELECT ?line ?label ?gone WHERE {{ GRAPH ?g {{ ?s <{OD.line}> ?line ; <{RDFS.label}> ?label }} }}"
    rows = store.select(query)
    assert rows[0]["line"] == Term("3", XSD.integer)
    assert (rows[0]["label"].language, "gone" in rows[0]) == ("de", False)


@pytest.mark.parametrize("query", ["SELECT nonsense", "ASK { ?s ?p ?o }"])
def test_what_is_no_select_is_refused(store: GraphStore, query: str) -> None:
    with pytest.raises(QueryRefused):
        store.select(query)


def test_a_line_of_another_graph_is_refused(store: GraphStore) -> None:
    with pytest.raises(ValueError, match="another graph"):
        store.put(_A, _lines(_B, "one"))


def test_published_contracts_are_those_of_the_snapshot(store: GraphStore, tmp_path: Path) -> None:
    digest = ingest_world(tmp_path).graph_hash
    assert publish_snapshot(tmp_path / "graph", store) == digest
    local, published = open_snapshot(tmp_path / "graph"), open_published(store)
    assert published.endpoints() == local.endpoints()
    assert published.bindings() == local.bindings()
    for name in (("ORDERS", "Orders"), ("SHIP", "Deliveries")):
        assert published.contract(*name, Verb.CREATE) == local.contract(*name, Verb.CREATE)


def test_the_pointer_moves_last_and_old_snapshots_stay(store: GraphStore, tmp_path: Path) -> None:
    old = publish_snapshot(tmp_path / "graph", store, ingest_world(tmp_path).graph_hash)
    new = ingest_world(tmp_path, {"SHIP.xml": v4("<EntityType Name='A'/>")}).graph_hash
    with pytest.raises(StoreUnreachable):
        publish_snapshot(tmp_path / "graph", _BreaksBeforeThePointer(store))
    assert published_hash(store) == old
    publish_snapshot(tmp_path / "graph", store)
    assert (published_hash(store), published_snapshots(store)) == (new, sorted([old, new]))
    assert open_published(store, old).contract("SHIP", "Deliveries", Verb.CREATE).graph_hash == old


def test_publishing_again_sends_no_content(store: GraphStore, tmp_path: Path) -> None:
    ingest_world(tmp_path)
    publish_snapshot(tmp_path / "graph", store)
    counted = _BreaksBeforeThePointer(store, broken=False)
    publish_snapshot(tmp_path / "graph", counted)
    assert [graph for graph in counted.sent if "/content/" in graph] == []


def test_removal_keeps_current_and_cited_and_what_they_share(store: GraphStore, tmp_path: Path) -> None:
    hashes = []
    for changes in ({}, {"required.csv": None}, {"codes.csv": None}):
        hashes.append(publish_snapshot(tmp_path / "graph", store, ingest_world(tmp_path, changes).graph_hash))
    assert remove_published(store, [hashes[0]]) == [hashes[1]]
    assert published_snapshots(store) == sorted([hashes[0], hashes[2]])
    assert open_published(store, hashes[0]).contract("ORDERS", "Items", Verb.CREATE).endpoint == "Items"
    with pytest.raises(SnapshotMissing, match="publish it again"):
        open_published(store, hashes[1])


def test_nothing_published_says_what_to_do(store: GraphStore) -> None:
    with pytest.raises(SnapshotMissing, match="--publish"):
        open_published(store)


def test_no_server_is_one_clear_line() -> None:
    with SparqlStore(SparqlEndpoint.of("http://127.0.0.1:9")) as store, pytest.raises(StoreUnreachable) as caught:
        store.graphs()
    assert str(caught.value).endswith("check the address and that the store runs")


class _BreaksBeforeThePointer:
    """Passes everything on; counts what is put, and fails when the pointer comes."""

    def __init__(self, store: GraphStore, *, broken: bool = True) -> None:
        self._store, self._broken, self.sent = store, broken, list[str]()

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    def put(self, graph: str, lines: list[str]) -> None:
        if self._broken and graph.endswith("/current"):
            raise StoreUnreachable("gone")
        self.sent.append(graph)
        self._store.put(graph, lines)
