"""URL literals and key predicates: what is written reads back as the same value."""

from decimal import Decimal
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odata.keys import key_predicate, key_problem
from odata.model import Model
from odata.references import split_reference
from odata.temporal_values import datetime_of_ticks, parse_iso, ticks_of_iso
from odata.url_literals import (
    encode_query_value,
    encode_segment,
    foreign_literal_at,
    format_literal,
    literal_at,
    quote_string,
    unquote_string,
)
from tests.unit.odata.contracts import ITEM, PERSON, orders, people


@given(st.text())
def test_quoting_round_trip(text: str) -> None:
    assert unquote_string(quote_string(text)) == text


@given(st.text(), st.booleans())
def test_quoted_string_is_one_literal(text: str, v4: bool) -> None:
    literal = literal_at(quote_string(text), 0, v4)
    assert literal is not None
    assert (literal.text, literal.type) == (quote_string(text), "Edm.String")


@given(st.text(st.characters(codec="utf-8")))
def test_percent_encoding_round_trip(text: str) -> None:
    encoded = encode_segment(text)
    assert unquote(encoded) == text
    assert not set(encoded) & set("/?#% &") - {"%"}
    assert unquote(encode_query_value(text)) == text
    assert not set(encode_query_value(text)) & set("#& +")


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.booleans())
def test_key_predicate_is_read_as_the_same_key(user: str, v4: bool) -> None:
    model = Model(people() if v4 else people(version="2.0"))
    predicate = key_predicate(model, PERSON, {"User": user})
    assert key_problem(model, PERSON, predicate[1:-1]) == ""
    assert split_reference("People" + encode_segment(predicate)) == ("People", predicate[1:-1])


def test_composite_key_stands_in_declared_order() -> None:
    predicate = key_predicate(Model(orders()), ITEM, {"Item": "10", "Order": "O'1"})
    assert predicate == "(Order='O''1',Item='10')"


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("1", "is Edm.String"),
        ("'O'Neil'", "doubled"),
        ("'a", "no literal"),
        ("Name='a'", "key of"),
        ("User='a',User='b'", "key of"),
        ("", "nothing"),
    ],
)
def test_wrong_predicate_is_explained(predicate: str, words: str) -> None:
    assert words in key_problem(Model(people()), PERSON, predicate)


@pytest.mark.parametrize(
    ("type_name", "value", "v2", "v4"),
    [
        ("Edm.String", "a'b", "'a''b'", "'a''b'"),
        ("Edm.Int64", "5", "5L", "5"),
        ("Edm.Decimal", Decimal("1.50"), "1.50M", "1.50"),
        ("Edm.Double", 2.5, "2.5d", "2.5"),
        ("Edm.Single", 2.5, "2.5f", "2.5"),
        ("Edm.Boolean", True, "true", "true"),
        ("Edm.Guid", "0" * 8, "guid'00000000'", "00000000"),
        ("Edm.DateTime", "/Date(0)/", "datetime'1970-01-01T00:00:00'", "/Date(0)/"),
        ("Edm.DateTimeOffset", "/Date(0+0000)/", "datetimeoffset'1970-01-01T00:00:00Z'", "/Date(0+0000)/"),
        ("Edm.Time", "PT1H", "time'PT1H'", "PT1H"),
        ("Edm.Binary", "/w==", "X'FF'", "binary'/w=='"),
        ("Edm.Duration", "PT1H", "PT1H", "duration'PT1H'"),
        ("P.Gender", "Male", "Male", "P.Gender'Male'"),
    ],
)
def test_literal_forms_of_the_versions(type_name: str, value: object, v2: str, v4: str) -> None:
    assert (format_literal(type_name, value, False), format_literal(type_name, value, True)) == (v2, v4)


@pytest.mark.parametrize("text", ["datetime'2026-01-31T00:00:00'", "guid'x'", "1.5M", "5L", "X'0F'", "time'PT1H'"])
def test_v2_literals_are_foreign_to_v4(text: str) -> None:
    assert foreign_literal_at(text, 0, True) == text


@pytest.mark.parametrize("text", ["2026-01-31", "2026-01-31T00:00:00Z", "12:30:00", "duration'PT1H'"])
def test_v4_literals_are_foreign_to_v2(text: str) -> None:
    assert foreign_literal_at(text, 0, False) == text


@given(st.datetimes())
def test_ticks_and_iso_are_the_same_moment(moment: object) -> None:
    text = moment.isoformat(timespec="milliseconds")  # type: ignore[attr-defined]
    assert datetime_of_ticks(ticks_of_iso(text, offset=False)) == parse_iso(text)
