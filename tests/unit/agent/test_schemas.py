"""Schemas of the two stages: strict subset, enums for codes, nullable for optional."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from agent.schemas import choose_schema, fill_schema
from tests.unit.agent.samples import INVOICE, ORDER, RELEASE, SUBMIT, SUPPLIERS, field
from wire.context import EndpointView
from wire.endpoint import Code

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
