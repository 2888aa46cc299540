"""Values for people: numbers with units as their readers write them, and nothing that is no number as one."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.phrases import Phrases
from mail.shown_values import show_number, show_value
from wire.endpoint import Code, CodeList, Property

AMOUNT = Property(name="Gross", type="Edm.Decimal", scale=3, unit_property="DocumentCurrency")
QUANTITY = Property(name="Ordered", type="Edm.Decimal", scale=3, unit_property="QuantityUnit")

PLANT = Property(
    name="Plant",
    type="Edm.Decimal",
    code_list=CodeList(codes=(Code(code="1000", text="Ulm"),), fixed=True, source="table"),
)


def shown(value, spec, language="en", **record) -> str:
    return show_value(value, spec, record, Phrases(language))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "1,234,567.50 EUR"),
        ("de", "1.234.567,50 EUR"),
        ("fr", "1 234 567,50 EUR"),
        ("pl", "1 234 567,50 EUR"),
        ("hi", "12,34,567.50 EUR"),
        ("ja", "1,234,567.50 EUR"),
    ],
)
def test_an_amount_has_the_separators_of_the_reader_and_its_currency(language, text):
    assert shown("1234567.500", AMOUNT, language, DocumentCurrency="EUR") == text


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        ("5000.00", AMOUNT.model_copy(update={"unit_property": "Waers"}), "5,000.00"),
        ("20.000", QUANTITY, "20 PC"),
        ("0.125", QUANTITY, "0.125 PC"),
        (-1234.5, QUANTITY, "-1,234.5 PC"),
        ("about 20", QUANTITY, "about 20 PC"),
        ("4500000104", Property(name="Order", type="Edm.String"), "4500000104"),
        (2026, Property(name="Year", type="Edm.Int32"), "2026"),
        ("10", Property(name="Item", type="Edm.Decimal", key=True), "10"),
        ("1000", PLANT, "1000 (Ulm)"),
        ("/Date(1796083200000)/", Property(name="On", type="Edm.DateTime"), "2026-12-01"),
        ("2026-12-01T00:00:00", Property(name="On", type="Edm.DateTime"), "2026-12-01"),
        ("PT14H30M", Property(name="At", type="Edm.Time"), "14:30:00"),
        ("/Date(99999999999999999)/", Property(name="On", type="Edm.DateTime"), "/Date(99999999999999999)/"),
    ],
)  # fmt: skip
def test_only_what_is_a_number_is_written_as_one(value, spec, text):
    assert shown(value, spec, QuantityUnit="PC") == text


def test_a_currency_without_cents_gets_none():
    assert shown("5000.000", AMOUNT, DocumentCurrency="JPY") == "5,000 JPY"


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**15), max_value=10**15))
def test_no_digit_is_lost(number: Decimal):
    for language in ("en", "de", "fr", "gu"):
        phrases = Phrases(language)
        plain = show_number(number, 2, phrases).replace(phrases("thousands"), "").replace(phrases("decimal_mark"), ".")
        assert Decimal(plain) == number
