"""What a query asks for, in several languages."""

import pytest

from graph.clauses import split_clauses
from graph.retrieval.anchors import asks_for_chain
from graph.retrieval.query_kind import what_is_asked


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("Add a bank account to partner 11300", "one"),
        ("Undo the putaway, the pallet never left", "one"),
        ("Which terms may I use? Thirty days net is what I need", "asked"),
        ("The order comes in two portions. Which endpoint holds the date of each?", "asked"),
        ("Where do I find the date after the last check?", "one"),
        ("The parcel is at the dock. What happens next?", "forward"),
        ("Die Maschine ist gemeldet. Was folgt jetzt bis zur Reparatur?", "forward"),
        ("La commande est partie. Que se passe-t-il ensuite chez nous ?", "forward"),
        ("Maal aa gaya hai, ab aage kya karna hai?", "forward"),
        ("ऑर्डर दर्ज हो गया। भुगतान से पहले और क्या करना है?", "forward"),
        ("The buyer has chosen a vendor. What does he make out of it?", "situation"),
        ("create the order, then release it, then ship it", "steps"),
        ("Bestellung anlegen, Wareneingang buchen, Rechnung erfassen", "steps"),
        ("The truck is loaded, book the pumps out", "maybe"),
    ],
)
def test_kinds(query: str, kind: str) -> None:
    assert what_is_asked(query, split_clauses(query)).kind == kind


def test_questions_are_told_from_states() -> None:
    query = "The offer is approved. What may follow?"
    assert what_is_asked(query, split_clauses(query)).questions == (False, True)


def test_a_list_of_properties_asks_for_no_chain() -> None:
    assert not asks_for_chain("name, street and IBAN of a one-time vendor")
    assert asks_for_chain("What comes after the goods issue?")
