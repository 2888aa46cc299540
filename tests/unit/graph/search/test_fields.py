"""Words of a query against names, services and members; words of offices and of other languages as one concept."""

import pytest

from graph.retrieval.concepts import concepts_of
from graph.retrieval.fields import EndpointFields, NodeFields
from graph.retrieval.glossary import languages, spans
from graph.search_text import stem
from tests.unit.graph.search.shop import NODES, MemoryView

ENDPOINTS = MemoryView().endpoints()
ROW = {item.endpoint: row for row, item in enumerate(ENDPOINTS)}
FIELDS = EndpointFields(ENDPOINTS)


def test_a_name_said_whole_is_fully_said() -> None:
    found = FIELDS.match([concepts_of("sales orders of a customer")])[0]
    assert found.said[ROW["SalesOrders"]] == pytest.approx(1)
    assert found.said[ROW["SalesOrderItems"]] < 1


def test_members_count_for_the_whole_only() -> None:
    found = FIELDS.match([concepts_of("gross weight")])[0]
    assert found.own[ROW["Products"]] == 0
    assert found.whole[ROW["Products"]] > 0.5


def test_a_synonym_stands_for_a_word_of_metadata() -> None:
    vendor, supplier = FIELDS.match([concepts_of("vendor"), concepts_of("supplier")])
    assert vendor.whole[ROW["PurchaseOrders"]] == pytest.approx(supplier.whole[ROW["PurchaseOrders"]])


def test_words_that_nobody_knows_lower_the_coverage_only() -> None:
    known, strange = concepts_of("bank account"), concepts_of("bank account of a zebra")
    assert FIELDS.coverage(strange) < FIELDS.coverage(known)
    assert (FIELDS.match([strange])[0].own == FIELDS.match([known])[0].own).all()


def test_shared_words_are_told_as_the_query_says_them() -> None:
    rows = [ROW["PurchaseOrders"], ROW["Products"]]
    assert FIELDS.shared(concepts_of("PO to that vendor"), rows) == [("po", "vendor"), ()]


def test_nodes_are_matched_by_label_and_documentation() -> None:
    found = NodeFields(NODES).match(concepts_of("ship the goods"))
    assert found.argmax() == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add the carton as another unit", ()),
        ("Zahlsperre bei der Rechnung wegnehmen", ("de",)),
        ("vendor ko order bhej diya hai", ("hinglish",)),
        ("ગ્રાહકની મર્યાદા", ("gu",)),
    ],
)
def test_small_words_tell_the_language(text: str, expected: tuple[str, ...]) -> None:
    assert languages(text) == expected


def test_the_longest_phrase_wins() -> None:
    assert [span.meanings for span in spans("créer la demande d'achat")][-1] == ("purchase requisition",)


def test_one_word_in_two_spellings_is_one() -> None:
    assert {stem("priced"), stem("pricing"), stem("price")} == {"price"}
    assert concepts_of("ख़रीद माँग")[0].readings[-1] == concepts_of("खरीद मांग")[0].readings[-1]
