"""Counting beside other programs: what differs is told, what cannot be read is told with the program's own words."""

import pytest

from evaluation.fidelity.differences import Tally, _compare, counted
from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.others import Counts, count_with_odatapy, count_with_pyodata
from tests.unit.graph.world import FILES


def test_only_unequal_classes_are_told() -> None:
    tally = Tally()
    ours = {"entity_sets": 2, "keys": 3}
    found = list(_compare("other", lambda _: {"entity_sets": 2, "keys": 4}, b"", "a.edmx", ours, tally))
    assert [(item.name, item.ours, item.theirs) for item in found] == [("keys", 3, 4)]
    assert (tally.given, tally.read, tally.equal) == (1, 1, 0)


def test_a_program_that_cannot_read_a_file_says_why() -> None:
    def broken(_: bytes) -> Counts:
        raise KeyError("no such type")

    found = list(_compare("other", broken, b"", "a.edmx", {}, Tally()))
    assert [(item.theirs, item.note) for item in found] == [(None, "KeyError: 'no such type'")]


def test_elements_are_counted_not_facts() -> None:
    table = FactTable("f")
    for what in ("edmType", "nullable"):
        table.add("properties", "N.A/P", what, "x")
    table.add("keys", "N.A", "0", "P", "")
    table.add("keys", "N.A", "1", "Q", "")
    assert counted(table, "f") == {"properties": 1, "keys": 2}


def test_pyodata_agrees_on_our_own_file() -> None:
    pytest.importorskip("pyodata")
    found = count_with_pyodata(FILES["ORDERS.edmx"])
    assert (found["entity_sets"], found["keys"], found["navigation_properties"]) == (2, 3, 2)


def test_odatapy_agrees_on_our_own_file() -> None:
    pytest.importorskip("odatapy")
    found = count_with_odatapy(FILES["SHIP.xml"])
    assert (found["entity_types"], found["complex_types"], found["operations"]) == (4, 1, 1)
