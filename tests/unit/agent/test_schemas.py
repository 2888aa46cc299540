"""Schemas of the two stages: strict subset, enums for codes, nullable for optional."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from agent.schemas import choose_schema, fill_schema
from tests.unit.agent.samples import INVOICE, ORDER, RELEASE, SUBMIT, SUPPLIERS, field
from wire.context import EndpointView
from wire.endpoint import Code, Verb

GOAL = "Order 20 P-100 in EUR with unit piece"
VIEWS = [ORDER, INVOICE, RELEASE, SUPPLIERS, SUBMIT]


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


@pytest.mark.parametrize("view", VIEWS, ids=lambda v: v.endpoint)
def test_every_object_is_closed_and_all_of_it_required(view: EndpointView) -> None:
    found = list(objects(fill_schema(view, GOAL)))
    assert found
    assert all(o["additionalProperties"] is False and o["required"] == list(o["properties"]) for o in found)


@pytest.mark.parametrize("view", VIEWS, ids=lambda v: v.endpoint)
def test_thought_comes_first(view: EndpointView) -> None:
    assert next(iter(fill_schema(view, GOAL)["properties"])) == "thought"


def test_the_choice_names_every_candidate_and_the_two_ends() -> None:
    choice = choose_schema([ORDER, RELEASE])["properties"]["choice"]["enum"]
    assert choice == [
        "PURCHASE_ORDER/PurchaseOrderSet create",
        "PURCHASE_ORDER/ReleasePurchaseOrder action",
        "finish",
        "ask",
    ]


def payload(view: EndpointView) -> dict[str, Any]:
    properties: dict[str, Any] = fill_schema(view, GOAL)["properties"]["payload"]["properties"]
    return properties


def test_codes_are_an_enum_and_optional_ones_may_be_null() -> None:
    assert payload(ORDER)["DocumentCurrency"]["enum"] == ["EUR", "USD", "CHF", None]


def test_a_cut_code_list_is_no_enum() -> None:
    cut = field("Plant", required=True, max_length=4, codes=(Code(code="1010"),), codes_cut=True)
    view = ORDER.model_copy(update={"fields": (cut,)})
    assert payload(view)["Plant"] == {"type": "string", "maxLength": 4}


def test_what_may_not_be_written_is_not_offered() -> None:
    assert "PurchaseOrder" not in payload(ORDER)


def test_rows_validate_and_an_invented_code_does_not() -> None:
    schema = payload(ORDER)["to_Items"]
    row = dict.fromkeys(schema["items"]["properties"])
    row |= {"Material": "P-100", "OrderQuantity": 20, "Plant": "1010", "OrderQuantityUnit": "PC"}
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid([row])
    assert not validator.is_valid([{**row, "OrderQuantityUnit": "BOX"}])


def test_a_wide_type_shows_what_is_near_the_goal() -> None:
    wide = tuple(field(f"Field{i}") for i in range(200))
    view = ORDER.model_copy(update={"fields": (*wide, *ORDER.fields, field("Colour", "Piece colour"))})
    shown = payload(view)
    assert "Colour" in shown
    assert not any(name.startswith("Field") for name in shown)


RELEASED = EndpointView(
    service="S",
    endpoint="Orders",
    kind="EntitySet",
    verb=Verb.UPDATE,
    version="4.0",
    label="Order",
    method="PATCH",
    keys=("Order", "Year"),
    fields=(field("Order", key=True, max_length=10), field("Year", type="Edm.Int32", key=True), field("Note")),
)


def key_of(known: dict[str, Any], goal: str = "Change order 4711") -> dict[str, Any]:
    properties: dict[str, Any] = fill_schema(RELEASED, goal, known)["properties"]["key"]["properties"]
    return properties


def test_a_key_is_one_that_was_read_or_named() -> None:
    found = key_of({"Order": ["4500000001", "4500000002"], "Year": 2026})
    assert found["Order"]["enum"] == ["4500000001", "4500000002", "4711"]
    assert found["Year"] == {"type": "integer", "enum": [2026, 4711]}


def test_a_key_that_nothing_was_read_of_is_free() -> None:
    assert key_of({})["Order"] == {"type": "string", "maxLength": 10}


def test_of_a_long_list_those_codes_are_offered_that_the_goal_speaks_of() -> None:
    codes = tuple(Code(code=f"C{i}", text=f"Country number {i}") for i in range(400))
    land = field("Country", required=True, codes=(*codes, Code(code="DE", text="Germany")))
    view = ORDER.model_copy(update={"fields": (land,)})
    properties = fill_schema(view, "Order for Germany and C7")["properties"]["payload"]["properties"]
    assert properties["Country"]["enum"] == ["C7", "DE"]


@pytest.mark.parametrize(
    ("type_name", "right", "wrong"),
    [
        ("Edm.Byte", 255, 256),
        ("Edm.Int64", 5, 5.5),
        ("Edm.Date", "2026-12-31", "2026-13-31"),
        ("Edm.Guid", "0f0f0f0f-0000-4000-8000-000000000001", "0f0f"),
        ("demo.Colour", "RED", "PINK"),
    ],
)
def test_values_have_the_form_of_their_type(type_name: str, right: Any, wrong: Any) -> None:
    codes = (Code(code="RED"),) if type_name == "demo.Colour" else ()
    view = ORDER.model_copy(update={"fields": (field("F", type=type_name, required=True, codes=codes),), "nested": ()})
    validator = jsonschema_rs.validator_for(fill_schema(view, GOAL)["properties"]["payload"])
    assert (validator.is_valid({"F": right}), validator.is_valid({"F": wrong})) == (True, False)
