"""Names beside the numbers of a call, from what was read before."""

from mail.business_content import CallDescription
from mail.call_title import Title
from mail.known_names import known_names, with_names
from wire.approval import Line, Table

READ = [{"Supplier": "17300001", "SupplierName": "Nordpump GmbH", "City": "Bremen"}]


def described(value="17300001"):
    lines = (Line(label="Company code", value="1010"), Line(label="Supplier", value=value))
    table = Table(title="Items", columns=("#", "Material"), rows=(("1", "P-100"), ("2", "S-200")))
    title = Title("Create Purchase order", amount="9.00 EUR", about=("Company code 1010",), size="2 lines")
    return CallDescription(title=title, lines=lines, tables=(table,))


def test_a_number_that_was_read_shows_its_name_and_leads_the_title():
    shown = with_names(described(), known_names([READ]))
    assert shown.lines[1].value == "17300001 (Nordpump GmbH, as read in this run)"
    assert str(shown.title) == "Create Purchase order · 9.00 EUR · Nordpump GmbH · 2 lines"


def test_what_was_not_read_stays_as_it_is():
    assert with_names(described("17300002"), known_names([READ])) == described("17300002")


def test_a_value_with_two_names_has_none():
    other = [{"Supplier": "17300001", "SupplierName": "Somebody else"}]
    assert known_names([READ, other]) == {}


def test_short_values_and_odd_answers_carry_no_name():
    assert (
        known_names([{"Plant": "101", "PlantName": "Hamburg"}, None, "text", [3], {"ABCDE": 5, "ABCDEName": "x"}]) == {}
    )


def test_names_reach_the_rows_of_tables():
    shown = with_names(described(), known_names([{"Material": "P-100", "MaterialDescription": "Centrifugal pump"}]))
    assert shown.tables[0].rows[0] == ("1", "P-100 (Centrifugal pump, as read in this run)")
