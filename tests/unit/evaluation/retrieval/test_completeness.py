"""Facts of golds against what a context shows of them."""

import pytest

from evaluation.retrieval.bench import Bench, Query
from evaluation.retrieval.completeness import Shown, completeness
from evaluation.retrieval.needed import Fact, Needs
from graph.context import build_context
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.factory import make_retriever
from tests.unit.graph.search.shop import MemoryView
from wire.context import TypedContext

ORDER, ITEMS = ("SALES", "SalesOrders"), ("SALES", "SalesOrderItems")
DELIVERY, ISSUE = ("DELIVERY", "Deliveries"), ("DELIVERY", "PostGoodsIssue")
EMPTY = TypedContext(goal="g", clauses=(), graph_hash="a" * 64, retriever="dense", endpoints=())
TEXT = "Enter a sales order, then ship the goods and post the goods issue"


def query(*gold, process: str | None = "P_OTC", **raw) -> Query:
    return Query("q", TEXT, "probe", process=process, gold=gold, chain=gold, raw=raw)


def facts(asked: Query, kind: str) -> list[tuple[str, ...]]:
    return [fact.names for fact in Needs(MemoryView()).of_query(asked, {}) if fact.kind == kind]


def test_keys_required_fields_and_codes_of_a_gold() -> None:
    assert facts(query(ORDER), "keys") == [("SalesOrder",)]
    assert facts(query(ORDER), "required") == [("SalesOrderType",), ("SoldToParty",)]
    assert facts(query(ORDER), "codes") == [("SalesOrderType",)]
    assert facts(query(ISSUE), "required") == [("PostingDate",)]


def test_a_query_for_one_property_asks_for_its_codes_only() -> None:
    assert facts(query(ORDER, property="SoldToParty"), "codes") == []


def test_navigations_between_golds_have_a_cardinality() -> None:
    assert facts(query(ORDER, ITEMS), "cardinalities") == [("to_Item", "*")]
    assert facts(query(ORDER, DELIVERY), "cardinalities") == []


def test_a_step_hangs_on_the_one_before_and_on_its_keys() -> None:
    carried = ("SALES", "SalesOrders", "SalesOrder", "DELIVERY", "Deliveries", "Order")
    assert facts(query(ORDER, DELIVERY), "dependencies") == [("P_OTC",), carried]
    assert facts(query(ORDER, DELIVERY, process=None), "dependencies") == []


def test_golds_that_the_graph_lacks_need_nothing() -> None:
    assert list(Needs(MemoryView()).of_query(query(("SALES", "Ghosts")), {})) == []


@pytest.fixture
def retriever(corpus: Corpus) -> Retriever:
    return make_retriever("countersign", corpus)


def test_a_context_of_the_whole_chain_shows_every_fact(retriever: Retriever) -> None:
    view = MemoryView()
    shown = Shown(build_context(TEXT, view, retriever, k=5))
    needed = list(Needs(view).of_query(query(ORDER, DELIVERY, ISSUE), {}))
    assert len(needed) > 8
    assert [fact for fact in needed if not shown.shows(fact)] == []


def test_an_empty_context_shows_nothing() -> None:
    shown = Shown(EMPTY)
    assert shown.stand_in(ORDER, query(ORDER), {}) is None
    assert not any(shown.shows(fact) for fact in Needs(MemoryView()).of_query(query(ORDER, DELIVERY), {}))


def test_a_wrong_order_is_no_dependency(retriever: Retriever) -> None:
    shown = Shown(build_context(TEXT, MemoryView(), retriever))
    assert shown.shows(Fact("dependencies", (ORDER, DELIVERY), ("P_OTC",)))
    assert not shown.shows(Fact("dependencies", (ORDER, DELIVERY), ("P_OTHER",)))


def test_a_twin_stands_in_for_a_gold(retriever: Retriever) -> None:
    shown = Shown(build_context(TEXT, MemoryView(), retriever))
    ghost = ("SALES", "Ghosts")
    assert shown.stand_in(ghost, query(ghost), {ghost: frozenset([ORDER])}) == ORDER


def test_shares_are_told_with_and_without_the_entities(retriever: Retriever) -> None:
    bench = Bench((query(ORDER, ("SALES", "Ghosts")),), {})
    told = completeness(MemoryView(), retriever, bench, {"all": ["q"]})["all"]
    assert told["entities"] == {"facts": 2, "share": 0.5}
    assert told["keys"] == {"facts": 1, "share": 1.0, "facts_found": 1, "share_found": 1.0}
    assert told["cardinalities"] == {"facts": 0, "share": None, "facts_found": 0, "share_found": None}
