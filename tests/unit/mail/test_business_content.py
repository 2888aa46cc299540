"""What the approver reads of a call: all of it, and never the same for two calls."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.business_content import CallDescription, describe_call
from mail.cleaning import clean_line
from mail.exact_content import exact_lines, exact_text
from wire.call import PreparedRequest, ProposedCall
from wire.endpoint import (
    Cardinality,
    EndpointContract,
    NavigationProperty,
    Property,
    StructuredType,
    Verb,
)


def text(name: str, **facets) -> Property:
    return Property(name=name, type=facets.pop("type", "Edm.String"), **facets)


ORDER = StructuredType(
    name="S.Order",
    kind="entity",
    keys=("ID",),
    properties=(
        text("ID"),
        text("SoldTo", label="Customer"),
        text("ShipTo", label="Customer"),
        text("Tags", collection=True),
        text("Urgent", type="Edm.Boolean"),
        text("Address", type="S.Address"),
        text("Note"),
    ),
    navigations=(
        NavigationProperty(name="Items", target_type="S.Item", cardinality=Cardinality.MANY),
        NavigationProperty(name="Supplier", target_type="S.Supplier", cardinality=Cardinality.ONE),
    ),
)
ADDRESS = StructuredType(name="S.Address", kind="complex", properties=(text("City", label="Town"), text("Lines")))
ITEM = StructuredType(
    name="S.Item", kind="entity", properties=(text("Material", label="Article"), text("Where", type="S.Address"))
)
CONTRACT = EndpointContract(
    service="S",
    endpoint="Orders",
    kind="EntitySet",
    verb=Verb.CREATE,
    version="4.0",
    graph_hash="g",
    metadata_digest="m",
    entity_type="S.Order",
    types=(ORDER, ADDRESS, ITEM, StructuredType(name="S.Supplier", kind="entity", properties=(text("ID"),))),
)


def describe(
    payload: dict[str, Any] | None = None, method: str = "POST", old: dict[str, Any] | None = None, **parts
) -> CallDescription:
    call = ProposedCall(method=method, service="S", endpoint="Orders", payload=payload, **parts)
    return describe_call(call, CONTRACT, old)


def words(said: CallDescription) -> str:
    return said.model_dump_json() if hasattr(said, "model_dump_json") else repr(said)


@pytest.mark.parametrize(
    "payload",
    [
        {"Tags": ["X7X", "y"]},
        {"Address": {"City": "X7X"}},
        {"Items": [{"Material": "M", "Where": {"Lines": "X7X"}}]},
        {"Items": [{"Material": "M"}, {"@odata.type": "#S.X7X"}]},
        {"Supplier": {"@odata.id": "Suppliers('X7X')"}},
        {"@odata.type": "#S.X7X"},
        {"Supplier@odata.bind": "Suppliers('X7X')"},
        {"Unknown": {"deep": {"deeper": ["X7X"]}}},
        {"Unknown": [1, {"mixed": "X7X"}]},
        {"Items": [{"Unknown": {"deep": "X7X"}}]},
        {"Items": [{"Unknown": {"results": ["X7X"], "more": 1}}]},
    ],
)
def test_no_member_is_left_out(payload: dict[str, Any]):
    assert "X7X" in words(describe(payload))


def test_complex_members_carry_their_labels():
    said = describe({"Address": {"City": "Ulm"}})
    assert (said.lines[0].value, said.tables) == ("Town: Ulm", ())


def test_members_with_one_label_are_told_apart():
    one, other = describe({"SoldTo": "1", "ShipTo": "2"}), describe({"ShipTo": "1", "SoldTo": "2"})
    assert one.lines != other.lines
    assert one.lines[0].label == "Customer [SoldTo]"


def test_null_and_empty_differ():
    assert describe({"Note": None}).lines != describe({"Note": ""}).lines


def test_a_deletion_shows_what_goes():
    said = describe(method="DELETE", key={"ID": "1"}, old={"ID": "1", "Note": "keep me", "Urgent": True})
    assert str(said.title) == "Delete Orders · 1"
    assert {(line.label, line.old) for line in said.lines[1:]} == {("Note", "keep me"), ("Urgent", "yes")}


def test_a_replacement_shows_what_it_resets():
    said = describe({"Note": "new"}, "PUT", key={"ID": "1"}, old={"ID": "1", "Note": "old", "SoldTo": "7"})
    assert [(line.label, line.old) for line in said.lines[1:]] == [("Note", "old"), ("Customer [SoldTo]", "7")]


def test_an_entity_below_another_has_the_labels_of_its_own_type():
    said = describe({"Material": "P-1"}, key={"ID": "1"}, path=("Items",))
    assert [line.label for line in said.lines] == ["ID", "Article"]


@given(st.text(), st.text())
def test_exact_text_is_never_the_same_for_two_texts(one: str, other: str):
    assert (exact_text(one) == exact_text(other)) == (one == other)


@given(st.text(alphabet=st.sampled_from('\\uref: :.htps/www\u200b\u202eé  \\u00"'), max_size=40) | st.text())
def test_a_mail_changes_nothing_in_exact_text(value: str):
    assert clean_line(exact_text(value)) == exact_text(value)


def test_a_long_body_is_shown_to_its_end():
    body = json.dumps({"Note": "long " * 2000 + "end"})
    lines = exact_lines(PreparedRequest(method="POST", service="S", path="Orders", body=body))
    shown = [clean_line(line.value) for line in lines if line.label.startswith("Exact content")]
    assert "".join(shown).replace("\\u0020", " ") == body


MONEY = StructuredType(
    name="S.Order",
    kind="entity",
    keys=("ID",),
    properties=(
        text("ID"),
        text("OrderType"),
        text("SoldToParty", label="Sold-to party"),
        text("Total", type="Edm.Decimal", unit_property="Currency"),
        text("Currency"),
    ),
    navigations=(NavigationProperty(name="Items", target_type="S.Item", cardinality=Cardinality.MANY),),
)
MONEY_ITEM = StructuredType(
    name="S.Item",
    kind="entity",
    properties=(
        text("Net", type="Edm.Decimal", unit_property="Currency"),
        text("NetPrice", type="Edm.Decimal", unit_property="Currency"),
        text("Quantity", type="Edm.Decimal", unit_property="Unit"),
    ),
    navigations=(NavigationProperty(name="Parts", target_type="S.Item", cardinality=Cardinality.MANY),),
)
MONEY_CONTRACT = CONTRACT.model_copy(update={"types": (MONEY, MONEY_ITEM), "label": "Order"})


def money(payload: dict[str, Any], method: str = "POST", old: dict[str, Any] | None = None, **parts) -> CallDescription:
    call = ProposedCall(method=method, service="S", endpoint="Orders", payload=payload, **parts)
    return describe_call(call, MONEY_CONTRACT, old)


@pytest.mark.parametrize(
    ("payload", "title"),
    [
        (
            {"OrderType": "OR", "SoldToParty": "17", "Total": "1234.5", "Currency": "EUR"},
            "Create Order · 1,234.50 EUR · Sold-to party 17",
        ),
        ({"OrderType": "OR", "SoldToParty": "17"}, "Create Order · Sold-to party 17 · Order Type OR"),
        ({"Currency": "EUR", "Items": [{"Net": "1"}, {"Net": "2.5"}]}, "Create Order · 3.50 EUR · Currency EUR · 2 lines"),
        ({"Currency": "EUR", "Items": [{"NetPrice": "1"}, {"NetPrice": "2.5"}]}, "Create Order · Currency EUR · 2 lines"),
        ({"Items": [{"Net": "1", "Currency": "EUR"}, {"Net": "2", "Currency": "USD"}]}, "Create Order · 2 lines"),
    ],
)  # fmt: skip
def test_the_title_says_how_much_then_with_whom(payload: dict[str, Any], title: str):
    assert str(money(payload).title) == title


def test_the_title_of_a_change_names_what_is_changed_and_how():
    said = money({"Total": "20"}, "PATCH", {"Total": "10", "Currency": "EUR"}, key={"ID": "4711"})
    assert str(said.title) == "Change Order · 4711 · Total 10.00 EUR → 20.00 EUR"


def test_items_need_not_repeat_the_currency_and_only_money_is_added_up():
    items = [{"Net": "1", "NetPrice": "9", "Quantity": "3"}, {"Net": "2", "NetPrice": "9", "Quantity": "4"}]
    said = money({"Currency": "EUR", "Items": items})
    assert said.tables[0].rows[0] == ("1", "1.00 EUR", "9.00 EUR", "3")
    assert said.tables[0].totals == ("", "3.00 EUR", "", "")


def test_deeper_levels_are_one_table_whose_rows_name_the_row_above():
    said = money({"Items": [{"Parts": [{"Quantity": "1"}, {"Quantity": "2"}]}, {"Parts": [{"Quantity": "3"}]}]})
    assert [(t.title, [row[0] for row in t.rows]) for t in said.tables] == [
        ("Items", ["1", "2"]),
        ("Items / Parts", ["1.1", "1.2", "2.1"]),
    ]


def test_of_several_changes_the_title_names_the_amount_and_how_many_more():
    old = {"SoldToParty": "17", "Total": "10", "Currency": "EUR"}
    said = money({"SoldToParty": "18", "Total": "20"}, "PATCH", old, key={"ID": "4711"})
    assert str(said.title) == "Change Order · 4711 · Total 10.00 EUR → 20.00 EUR · +1"
