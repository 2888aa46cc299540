"""Names to words, words to tokens, words of other languages to words of metadata."""

import pytest

from graph.retrieval.glossary import expand, translate
from graph.search_text import endpoint_text, node_text, split_name, tokens, words
from graph.word_lists import function_words, glossary, synonyms
from tests.unit.graph.search.shop import ACTION, NODES, MemoryView

LANGUAGES = (*function_words(), "hi", "gu")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A_SalesOrderItemPrElement", "sales order item price element"),
        ("API_OUTBOUND_DELIVERY_SRV", "outbound delivery"),
        ("to_SuplrInvcItemPurOrdRef", "supplier invoice item purchase order reference"),
        ("PickAllItems", "pick all items"),
        ("HTTPServer", "http server"),
        ("A_", "a"),
    ],
)
def test_names_become_words(name: str, expected: str) -> None:
    assert " ".join(split_name(name)) == expected


def test_endpoint_text_names_everything_once() -> None:
    text = endpoint_text(next(item for item in MemoryView().summaries if item.endpoint == "SalesOrders"), 2)
    assert text == "Sales Order, sales orders. in Sales. Sales order, Sales order type. item"


def test_operation_text_names_what_it_is_bound_to() -> None:
    assert endpoint_text(ACTION) == "Post goods issue. of delivery. in Delivery. Posting date"


def test_node_text_has_process_documentation_and_lane() -> None:
    assert node_text(NODES[2]) == "Order to cash: Ship the goods. Make an outbound delivery for the order. Shipping"


def test_tokens_drop_stop_words_numbers_and_plurals() -> None:
    assert tokens("The items of the deliveries 80001234 and d'achat élevé") == ["item", "delivery", "achat", "eleve"]


def test_indic_words_stay_whole() -> None:
    assert words("बिक्री आदेश બનાવો।") == ["बिक्री", "आदेश", "બનાવો"]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Bestellung", "purchase order"),
        ("mit den Lieferantenadressen", "supplier address"),
        ("créer une commande d'achat", "create purchase order"),
        ("नया खरीद आदेश", "purchase order"),
        ("PO 4711", "purchase order"),
        ("and so on", ""),
        ("create the order", ""),
    ],
)
def test_other_words_are_translated(text: str, english: str) -> None:
    assert " ".join(translate(text)) == english


def test_plain_english_is_left_alone() -> None:
    assert expand("create a sales order") == "create a sales order"


def test_translation_is_added_not_put_in_place() -> None:
    assert expand("Bestellung 4711") == "Bestellung 4711 (purchase order)"


def test_every_gloss_is_in_words_of_metadata() -> None:
    said = [english for language in LANGUAGES for _, english in glossary(language)]
    said += [meaning for meanings in synonyms().values() for meaning in meanings]
    assert all(english.isascii() and english == english.lower() for english in said)
