"""One contract for all retrievers, then what each adds."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.embeddings import Embedder
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.chunks import ChunkSources
from graph.retrieval.errors import IndexMissing, StaleIndex, UnknownRetriever
from graph.retrieval.factory import CHUNKED, NAMES, RETRIEVERS, make_retriever, open_retriever
from tests.unit.graph.search.shop import SETS, MemoryView

WORDS = [
    "sales",
    "order",
    "create",
    "goods",
    "ship",
    "then",
    "invoice",
    "bank",
    "4711",
    "until",
    "plant",
    "and",
    ";",
    "next",
]
DOCUMENTS = {
    service: f'<Schema Namespace="N"><EntityContainer>{"".join(sets)}</EntityContainer></Schema>'
    for service, sets in {
        service: [f'<EntitySet Name="{name}" EntityType="{kind}"/>' for held, name, kind in SETS if held == service]
        for service, _, _ in SETS
    }.items()
}
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
IN_SESSION = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="session")
def chunks(onnx: Embedder, tmp_path_factory: pytest.TempPathFactory) -> ChunkSources:
    return ChunkSources(onnx, tmp_path_factory.mktemp("chunks"), documents=lambda: DOCUMENTS)


@pytest.fixture(params=NAMES)
def retriever(request: pytest.FixtureRequest, corpus: Corpus, chunks: ChunkSources) -> Retriever:
    return make_retriever(request.param, corpus, chunks)


def test_every_retriever_has_a_name_of_its_own(corpus: Corpus, chunks: ChunkSources) -> None:
    assert {*RETRIEVERS, *CHUNKED} == set(NAMES)
    assert [make_retriever(name, corpus, chunks).name for name in NAMES] == list(NAMES)


def names(retriever: Retriever, query: str, k: int) -> list[tuple[str, str]]:
    return [(hit.service, hit.endpoint) for hit in retriever.search(query, k)]


@IN_SESSION
@given(query=QUERIES, k=st.integers(0, 12))
def test_hits_are_ranked_distinct_and_explained(retriever: Retriever, query: str, k: int) -> None:
    hits = retriever.search(query, k)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert len({(hit.service, hit.endpoint) for hit in hits}) == len(hits) <= k
    assert all(hit.reasons and all(reason.text for reason in hit.reasons) for hit in hits)


@IN_SESSION
@given(query=QUERIES, k=st.integers(1, 8))
def test_a_longer_list_begins_with_the_shorter_one(retriever: Retriever, query: str, k: int) -> None:
    assert names(retriever, query, k + 3)[:k] == names(retriever, query, k)


@IN_SESSION
@given(query=QUERIES)
def test_the_same_query_gives_the_same_hits(
    retriever: Retriever, corpus: Corpus, chunks: ChunkSources, query: str
) -> None:
    assert retriever.search(query, 9) == make_retriever(retriever.name, corpus, chunks).search(query, 9)


@pytest.mark.parametrize("query", ["", "   ", "4711", "?!", "पता नहीं", "x" * 5000])
def test_odd_queries_do_no_harm(retriever: Retriever, query: str) -> None:
    assert len(retriever.search(query, 3)) <= 3
    assert -1 <= retriever.evidence(query).cosine <= 1


def test_direct_question_finds_its_endpoint(retriever: Retriever) -> None:
    first = 2 if retriever.name not in ("tokens", "bindings-only") else len(SETS)
    assert ("MASTER", "BankAccounts") in names(retriever, "IBAN and holder of a bank account", first)


def test_unknown_name_lists_the_known_ones(corpus: Corpus) -> None:
    with pytest.raises(UnknownRetriever, match="countersign"):
        make_retriever("psychic", corpus)


def test_bm25_names_the_matched_words(corpus: Corpus) -> None:
    hit = make_retriever("bm25", corpus).search("gross weight of the product", 1)[0]
    assert hit.reasons[0].text == "matched words: gross, weight, product"


def test_bm25_finds_nothing_without_a_shared_word(corpus: Corpus) -> None:
    assert make_retriever("bm25", corpus).search("zebra", 5) == []


def test_dense_ranks_every_endpoint(corpus: Corpus) -> None:
    assert len(make_retriever("dense", corpus).search("anything", 50)) == len(SETS) + 1


def test_hybrid_keeps_the_dense_order(corpus: Corpus) -> None:
    dense = names(make_retriever("dense", corpus), "enter a sales order", 9)
    hybrid = make_retriever("hybrid", corpus).search("enter a sales order", 9)
    kept = [(hit.service, hit.endpoint) for hit in hybrid if hit.reasons[0].kind == "dense"]
    assert kept == [name for name in dense if name in kept]
    assert any(hit.reasons[0].kind == "follows" for hit in hybrid)


def test_countersign_brings_the_later_steps(corpus: Corpus) -> None:
    query = "The sales order is typed in. What has to happen next until the customer is charged?"
    found = names(make_retriever("countersign", corpus), query, 5)
    assert {("DELIVERY", "Deliveries"), ("DELIVERY", "PostGoodsIssue")} <= set(found)


def test_countersign_says_which_step_follows_which(corpus: Corpus) -> None:
    hits = make_retriever("countersign", corpus).search("enter the sales order, then what comes next?", 5)
    texts = [reason.text for hit in hits for reason in hit.reasons if reason.kind in ("anchor", "follows")]
    assert (
        '"Ship the goods" follows "Enter sales order" in Order to cash (stock is there), needs SalesOrder from it'
        in texts
    )


def test_countersign_understands_other_languages(corpus: Corpus) -> None:
    retriever = make_retriever("countersign", corpus)
    assert names(retriever, "Kundenauftrag anlegen", 1) == [("SALES", "SalesOrders")]
    assert names(retriever, "crear un pedido de compra para el proveedor", 1) == [("PURCHASING", "PurchaseOrders")]


@IN_SESSION
@given(
    words=st.lists(
        st.sampled_from(["tax", "number", "holder", "stock", "weight", "plant", "delivery"]), min_size=1, max_size=5
    )
)
def test_dense_first_keeps_its_seat_unless_ours_lead_to_one_another(corpus: Corpus, words: list[str]) -> None:
    query = " ".join(words)
    first = names(make_retriever("dense", corpus), query, 1)[0]
    found = names(make_retriever("countersign", corpus), query, 3)
    rows = [row for row, item in enumerate(corpus.endpoints) if (item.service, item.endpoint) in found]
    assert first in found or corpus.traits.linked(rows)


def test_empty_catalogue_gives_no_hits(onnx: Embedder, tmp_path: Path) -> None:
    view = MemoryView(summaries=[], nodes=())
    for name in NAMES:
        retriever = open_retriever(name, view, onnx, tmp_path)
        assert retriever.search("create an order", 3) == []
        assert retriever.evidence("create an order").cosine == 0


def test_index_of_another_graph_feeds_no_retriever(corpus: Corpus, onnx: Embedder) -> None:
    with pytest.raises(StaleIndex, match="run ingest"):
        Corpus(MemoryView("e" * 64), corpus.index, onnx)


def test_a_chunk_retriever_without_chunks_is_refused(corpus: Corpus) -> None:
    with pytest.raises(IndexMissing, match="needs chunks"):
        make_retriever("tokens", corpus)


def test_no_sequence_follows_no_edge(corpus: Corpus) -> None:
    hits = make_retriever("hybrid-no-sequence", corpus).search("enter a sales order", 9)
    assert {reason.kind for hit in hits for reason in hit.reasons} == {"dense", "binding"}
    assert all(
        "is a step of Order to cash, too" in hit.reasons[0].text for hit in hits if hit.reasons[0].kind == "binding"
    )


def test_no_bindings_expands_along_navigations_and_carried_keys(corpus: Corpus) -> None:
    hits = make_retriever("hybrid-no-bindings", corpus).search("enter a sales order", 9)
    texts = {hit.endpoint: hit.reasons[0].text for hit in hits}
    assert "to_Item of SalesOrders leads to it" in {texts["SalesOrderItems"], texts["Deliveries"]} | set(texts.values())
    assert {reason.kind for hit in hits for reason in hit.reasons} == {"dense", "refers_to"}


def test_bindings_only_puts_what_is_bound_first(corpus: Corpus) -> None:
    hits = make_retriever("bindings-only", corpus).search("IBAN of a bank account", 9)
    assert [hit.reasons[0].kind for hit in hits] == ["binding"] * 4 + ["dense"] * 5
