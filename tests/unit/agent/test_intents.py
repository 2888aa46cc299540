"""Intents: how a goal is cut into the things it asks for."""

import pytest

from agent.planning.facts import find_facts
from agent.planning.intents import read_intents


def kinds(goal: str) -> list[str]:
    return [i.kind for i in read_intents(goal, find_facts(goal)).parts]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Create a purchase order, then release it.", ["create", "action"]),
        ("Find the order and list its lines.", ["read", "read"]),
        ("Order 20 P-100 from Nordpump GmbH.", ["create"]),
        ("Release purchase order 4500000104.", ["action"]),
        ("Purchase order 4500000123: show its lines.", ["read"]),
        ("Produkt FG950 anlegen.", ["create"]),
        ("Bestelle 15 Stück M-22. Danach die Bestellung freigeben.", ["create", "action"]),
        ("a) run the validation, b) fix supplier 17300002 on line 10", ["action", "update"]),
        ("Take line 20 off the list.", ["action"]),
        ("Show the details; he accepts, so release the payment block.", ["read", "action"]),
        ("Add the note 'Deliver to gate 4. Then call'.", ["create"]),
    ],
)
def test_goal_to_kinds(goal: str, expected: list[str]) -> None:
    assert kinds(goal) == expected


def test_an_opening_without_a_verb_is_the_topic_of_all() -> None:
    goal = "Outbound delivery 80000011: pick all items, post the goods issue."
    intents = read_intents(goal)
    assert intents.topic is not None
    assert goal[slice(*intents.topic)].startswith("Outbound delivery 80000011")


def test_if_not_is_a_condition() -> None:
    intents = read_intents("See whether tax number X1 is known. If not: create the partner.").parts
    assert [i.if_absent for i in intents] == [False, True]
