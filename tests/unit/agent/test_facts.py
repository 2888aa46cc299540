"""Facts of goals: values with their units, in the forms that people write."""

import pytest

from agent.planning.facts import FactKind, find_facts
from agent.planning.numbers import find_dates, parse_number


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2026-03-02", "2026-03-02"),
        ("am 02.03.2026", "2026-03-02"),
        ("on 2 March 2026", "2026-03-02"),
        ("on March 2nd, 2026", "2026-03-02"),
        ("am 2. März 2026", "2026-03-02"),
        ("le 2 février 2026", "2026-02-02"),
        ("on 25/12/2026", "2026-12-25"),
        ("on 12/25/2026", "2026-12-25"),
    ],
)
def test_dates_in_their_forms(text: str, day: str) -> None:
    assert [found.isoformat() for _, _, found in find_dates(text)] == [day]


@pytest.mark.parametrize("text", ["on 3/4/2026", "on 2026-02-30", "31.11.2026", "version 1.2.3"])
def test_what_names_no_single_day_is_no_date(text: str) -> None:
    assert find_dates(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("4,403.00", "4403.00"), ("1.200,50", "1200.50"), ("12,5", "12.5"), ("5,000", "5000"), ("1.85", "1.85")],
)
def test_numbers_with_points_and_commas(text: str, value: str) -> None:
    assert str(parse_number(text)) == value


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("20 pieces of P-100", FactKind.QUANTITY, "20", "pieces"),
        ("15 Stück M-22", FactKind.QUANTITY, "15", "stuck"),
        ("20 P-100", FactKind.QUANTITY, "20", ""),
        ("20 centrifugal pumps P-100", FactKind.QUANTITY, "20", ""),
        ("1.85 euro per kilogram", FactKind.AMOUNT, "1.85", "euro"),
        ("USD 12.50", FactKind.AMOUNT, "12.50", "USD"),
        ("55 Turkish lira each", FactKind.AMOUNT, "55", "Turkish lira"),
        ("60 percent", FactKind.PERCENT, "60", "%"),
        ("'Deliver to gate 4'", FactKind.QUOTED, "Deliver to gate 4", ""),
        ("„Zweiter Stock“", FactKind.QUOTED, "Zweiter Stock", ""),
        ("customer 10100001", FactKind.NUMBER, "10100001", ""),
        ("division 00", FactKind.NUMBER, "00", ""),
        ("reference EM-2231", FactKind.IDENTIFIER, "EM-2231", ""),
        ("from Nordpump GmbH", FactKind.NAME, "Nordpump GmbH", ""),
        ("write to a.b@example.com", FactKind.EMAIL, "a.b@example.com", ""),
    ],
)
def test_first_fact_of_a_text(text: str, kind: FactKind, value: str, unit: str) -> None:
    fact = find_facts(text)[0]
    assert (fact.kind, fact.value, fact.unit) == (kind, value, unit)


def test_a_label_with_digits_behind_it_is_no_quantity() -> None:
    assert find_facts("line 10 RM14")[0].kind is FactKind.NUMBER


def test_business_terms_are_no_names() -> None:
    facts = find_facts("für Werk 1010 bei Voltaris Motors SE", frozenset({"plant"}))
    assert [f.value for f in facts if f.kind is FactKind.NAME] == ["Voltaris Motors SE"]


def test_facts_never_overlap() -> None:
    facts = find_facts("12 pieces of TG11 at EUR 5.00 each on 2026-03-02 for 'Line 10, 2026-01-01'")
    assert all(a.end <= b.start for a, b in zip(facts, facts[1:], strict=False))
