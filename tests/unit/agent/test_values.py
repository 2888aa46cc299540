"""JSON values and filter literals by type and OData version."""

from typing import Any

import pytest

from agent.planning.values import json_value, literal, same
from tests.unit.agent.samples import field
from wire.endpoint import ODataVersion


@pytest.mark.parametrize(
    ("kind", "version", "value", "expected"),
    [
        ("Edm.Decimal", "2.0", "20", "20"),
        ("Edm.Decimal", "4.0", "20", 20),
        ("Edm.Decimal", "4.0", "10043.60", 10043.6),
        ("Edm.Int64", "2.0", "5", "5"),
        ("Edm.Int32", "2.0", "5", 5),
        ("Edm.DateTime", "2.0", "2026-03-02", "/Date(1772409600000)/"),
        ("Edm.DateTime", "2.0", "/Date(1772409600000)/", "/Date(1772409600000)/"),
        ("Edm.DateTimeOffset", "2.0", "2026-03-02", "/Date(1772409600000+0000)/"),
        ("Edm.Date", "4.0", "2026-03-02", "2026-03-02"),
        ("Edm.Date", "4.0", "/Date(1772409600000)/", "2026-03-02"),
        ("Edm.DateTimeOffset", "4.0", "2026-03-02", "2026-03-02T00:00:00Z"),
        ("Edm.String", "2.0", "0010", "0010"),
        ("Edm.Boolean", "4.0", "true", True),
        ("Edm.Int32", "4.0", "many", "many"),
    ],
)
def test_json_value(kind: str, version: ODataVersion, value: Any, expected: Any) -> None:
    assert json_value(field("F", type=kind), value, version) == expected


@pytest.mark.parametrize(
    ("kind", "version", "value", "expected"),
    [
        ("Edm.String", "2.0", "O'Neil", "'O''Neil'"),
        ("Edm.DateTime", "2.0", "2026-03-02", "datetime'2026-03-02T00:00:00'"),
        ("Edm.DateTimeOffset", "2.0", "2026-03-02", "datetimeoffset'2026-03-02T00:00:00Z'"),
        ("Edm.Date", "4.0", "2026-03-02", "2026-03-02"),
        ("Edm.Decimal", "2.0", "1.5", "1.5M"),
        ("Edm.Decimal", "4.0", "1.5", "1.5"),
        ("Edm.Guid", "2.0", "a", "guid'a'"),
        ("Edm.Guid", "4.0", "a", "a"),
        ("Edm.Boolean", "4.0", True, "true"),
    ],
)
def test_literal(kind: str, version: ODataVersion, value: Any, expected: str) -> None:
    assert literal(field("F", type=kind), value, version) == expected


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [("000010", "10", True), ("20.0", 20, True), ("/Date(0)/", "1970-01-01", True), ("A", "B", False), (True, 1, True)],
)
def test_same_business_value(left: Any, right: Any, equal: bool) -> None:
    assert same(left, right) is equal
