"""A goal is cut where another thing is asked for, in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.clauses import MOST_CLAUSES, split_clauses


@pytest.mark.parametrize(
    ("goal", "clauses"),
    [
        ("Create a sales order", ["Create a sales order"]),
        ("Create an order for A, B and C", ["Create an order for A, B and C"]),
        ("Create an order, ship it and post goods issue", ["Create an order", "ship it", "post goods issue"]),
        ("Enter the order and then release it. Afterwards show me the dates.",
         ["Enter the order", "release it", "show me the dates"]),
        ("1) enter the order 2) pick it; bill the customer", ["enter the order", "pick it", "bill the customer"]),
        ("Auftrag anlegen, danach Lieferung erstellen und Rechnung buchen",
         ["Auftrag anlegen", "Lieferung erstellen", "Rechnung buchen"]),
        ("créer la commande, puis livrer la marchandise", ["créer la commande", "livrer la marchandise"]),
        ("crear el pedido y luego enviar la factura", ["crear el pedido", "enviar la factura"]),
        ("बिक्री आदेश बनाओ। फिर चालान देखो", ["बिक्री आदेश बनाओ", "चालान देखो"]),
        ("", []),
        (" ;;. ", []),
    ],
)  # fmt: skip
def test_goals_are_cut_into_clauses(goal: str, clauses: list[str]) -> None:
    assert list(split_clauses(goal)) == clauses


def test_numbers_and_amounts_are_not_cut() -> None:
    assert len(split_clauses("Order 1,190.00 EUR of TG11 at 12.50 each for customer 10100001")) == 1


@given(
    st.text(alphabet="ab cd,;.!?\n123)(→-इ", max_size=80), st.lists(st.sampled_from(["and", "then", "create", "und"]))
)
def test_clauses_are_disjoint_parts_of_the_goal_in_order(text: str, extra: list[str]) -> None:
    goal = f"{text} {' '.join(extra)} {text}"
    position = 0
    for clause in split_clauses(goal):
        position = goal.index(clause, position) + len(clause)
    assert len(split_clauses(goal)) <= MOST_CLAUSES
