"""The planner over a purchasing context: plans, lookups, carry-over, questions, repairs."""

from typing import Any

import pytest

from agent.planner import Planner, decide
from tests.unit.agent.samples import (
    INVOICE,
    ORDER,
    RELEASE,
    SUBMIT,
    SUPPLIERS,
    context,
    field,
    result,
    written,
)
from wire.agent import Observation, Turn
from wire.call import Finding, ProposedCall
from wire.context import EndpointView
from wire.endpoint import Code, Verb

ORGANIZATION = "company code 1010, purchasing organization 1010, purchasing group 001"
DEMO = (
    f"Order 20 centrifugal pumps P-100 and 5 seal kits S-200 for plant 1010 from Nordpump GmbH ({ORGANIZATION}), "
    "then enter the supplier's invoice NP-20931 dated 2026-11-30 over 10043.60 EUR gross for that purchase order."
)
FULL = f"Create a purchase order for 40 pieces of C-100 for plant 1010 from supplier 17300001: {ORGANIZATION}."
FOUND = [{"Supplier": "17300001", "SupplierName": "Nordpump GmbH"}]
CREATED = {"PurchaseOrder": "4500000900", "Supplier": "17300001", "CompanyCode": "1010"}


def ask(goal: str, *observations: Observation) -> Turn:
    return decide(goal, context(goal), observations)


def call_of(turn: Turn) -> ProposedCall:
    assert turn.call is not None, turn.question or turn.answer
    return turn.call


def invalid(call: ProposedCall, **finding: Any) -> Observation:
    data = [Finding(rule="R26", message="not allowed", **finding).model_dump(mode="json", exclude_defaults=True)]
    return Observation(turn=1, kind="invalid", call=call, data=data)


def test_a_name_is_looked_up_first() -> None:
    call = call_of(ask(DEMO))
    assert (call.method, call.endpoint) == ("GET", "Suppliers")
    assert call.query == {"$filter": "SupplierName eq 'Nordpump GmbH'"}


def test_the_found_key_goes_into_a_deep_insert() -> None:
    call = call_of(ask(DEMO, result(1, call_of(ask(DEMO)), FOUND)))
    assert call.payload == {
        "CompanyCode": "1010",
        "PurchasingOrganization": "1010",
        "PurchasingGroup": "001",
        "Supplier": "17300001",
        "to_Items": [
            {"OrderQuantity": "20", "Material": "P-100", "Plant": "1010"},
            {"OrderQuantity": "5", "Material": "S-200", "Plant": "1010"},
        ],
    }


def demo_until_invoice() -> list[Observation]:
    first = result(1, call_of(ask(DEMO)), FOUND)
    return [first, written(2, call_of(ask(DEMO, first)), CREATED)]


def test_the_created_key_is_carried_into_the_next_service() -> None:
    call = call_of(ask(DEMO, *demo_until_invoice()))
    assert call.endpoint == "SupplierInvoices"
    assert call.payload is not None
    assert (call.payload["PurchaseOrder"], call.payload["InvoicingParty"]) == ("4500000900", "17300001")
    assert (call.payload["DocumentDate"], call.payload["InvoiceGrossAmount"]) == ("2026-11-30", 10043.6)


def test_it_finishes_with_what_was_made() -> None:
    before = demo_until_invoice()
    done = written(3, call_of(ask(DEMO, *before)), {"SupplierInvoice": "51", "FiscalYear": "2026"})
    turn = ask(DEMO, *before, done)
    assert turn.action == "finish"
    assert "4500000900" in turn.answer
    assert "51/2026" in turn.answer


@pytest.mark.parametrize(("rows", "told"), [([], "none of that name"), ([*FOUND, {"Supplier": "9"}], "17300001; 9")])
def test_a_name_that_leads_to_no_single_key_is_asked(rows: list[Any], told: str) -> None:
    turn = ask(DEMO, result(1, call_of(ask(DEMO)), rows))
    assert turn.action == "ask"
    assert told in turn.question


def test_a_missing_required_field_is_asked_with_label_and_name() -> None:
    turn = ask(FULL.replace(" from supplier 17300001", "").replace("purchasing group 001", "in any group"))
    assert turn.action == "ask"
    assert "Supplier" in turn.question
    assert "Purchasing Group (PurchasingGroup)" in turn.question


def test_an_unlisted_currency_is_asked_with_the_allowed_codes() -> None:
    turn = ask(FULL.replace("for plant", "at 55 Turkish lira each for plant"))
    assert turn.action == "ask"
    assert "Turkish lira" in turn.question
    assert "EUR = Euro" in turn.question


def test_an_unlisted_kind_of_document_is_asked() -> None:
    turn = ask(FULL.replace("a purchase order", "a consignment purchase order"))
    assert turn.action == "ask"
    assert "PurchaseOrderType" in turn.question


def test_a_code_text_becomes_its_code() -> None:
    call = call_of(ask(FULL.replace("a purchase order", "a framework order")))
    assert call.payload is not None
    assert call.payload["PurchaseOrderType"] == "FO"


def test_a_one_word_code_text_after_its_fields_name_is_placed() -> None:
    purpose = field("Purpose", "Purpose", codes=(Code(code="RE", text="Repair"), Code(code="TR", text="Training")))
    order = ORDER.model_copy(update={"fields": (*ORDER.fields, purpose)})
    goal = f"{FULL.rstrip('.')}, purpose: Repair."
    call = call_of(decide(goal, context(goal, order), []))
    assert call.payload is not None
    assert call.payload["Purpose"] == "RE"


def test_another_goal_gives_another_plan() -> None:
    assert call_of(ask("Release purchase order 4500000104.")).model_dump(exclude_none=True) == {
        "method": "ACTION",
        "service": "PURCHASE_ORDER",
        "endpoint": "ReleasePurchaseOrder",
        "payload": {"PurchaseOrder": "4500000104"},
    }


def test_a_bound_action_goes_by_way_of_its_set() -> None:
    goal = "Submit requisition 10000007."
    call = call_of(decide(goal, context(goal, SUBMIT), []))
    assert (call.endpoint, call.key, call.path) == (
        "Requisitions",
        {"Requisition": "10000007"},
        ("demo.SubmitRequisition",),
    )


def item_view(verb: Verb, method: str) -> EndpointView:
    """The item set of the order as an endpoint of its own."""
    changes = {
        "endpoint": "PurchaseOrderItemSet",
        "label": "Purchase Order Item",
        "verb": verb,
        "method": method,
        "keys": ("PurchaseOrder", "PurchaseOrderItem"),
        "fields": ORDER.nested[0].fields,
        "nested": (),
    }
    return ORDER.model_copy(update=changes)


def test_a_document_is_made_with_its_items_not_an_item_alone() -> None:
    goal = FULL.replace("a purchase order for", "a purchase order, line 10, for")
    views = (item_view(Verb.CREATE, "POST").model_copy(update={"rank": 1}), ORDER.model_copy(update={"rank": 2}))
    assert call_of(decide(goal, context(goal, *views), [])).endpoint == "PurchaseOrderSet"


def test_lines_named_together_are_changed_one_by_one() -> None:
    view = item_view(Verb.UPDATE, "PATCH")
    goal = "Purchase order 4500000104: set the plant to 1020 on lines 10 and 20."
    first = call_of(decide(goal, context(goal, view), []))
    second = call_of(decide(goal, context(goal, view), [written(1, first, {})]))
    assert [c.key and c.key["PurchaseOrderItem"] for c in (first, second)] == ["10", "20"]
    assert first.payload == second.payload == {"Plant": "1020"}


def test_a_goal_that_nothing_matches_is_asked() -> None:
    goal = "Book a flight to Lisbon."
    turn = decide(goal, context(goal).model_copy(update={"out_of_scope": True}), [])
    assert turn.action == "ask"
    assert goal in turn.question


def test_a_rejection_ends_the_plan_and_says_so() -> None:
    call = call_of(ask(FULL))
    turn = ask(FULL, Observation(turn=1, kind="rejected", call=call, text="use another supplier"))
    assert turn.action == "finish"
    assert "rejected" in turn.answer


def test_a_failure_is_not_tried_again() -> None:
    turn = ask(FULL, Observation(turn=1, kind="failed", call=call_of(ask(FULL)), text="503"))
    assert (turn.action, "503" in turn.question) == ("ask", True)


def test_a_respelled_value_is_mended() -> None:
    call = call_of(ask(FULL))
    turn = ask(FULL, invalid(call, pointer="/payload/CompanyCode", value="1010", suggestion="01010"))
    assert call_of(turn).payload == {**(call.payload or {}), "CompanyCode": "01010"}


def test_a_value_of_the_goal_is_never_dropped_nor_replaced() -> None:
    call = call_of(ask(FULL))
    turn = ask(FULL, invalid(call, pointer="/payload/CompanyCode", value="1010", allowed=("1710",)))
    assert (turn.action, "1710" in turn.question) == ("ask", True)


def test_the_same_invalid_call_never_comes_again() -> None:
    call = call_of(ask(FULL))
    turn = ask(FULL, Observation(turn=1, kind="invalid", call=call, text="no findings here"))
    assert turn.action == "ask"


async def test_the_exchange_names_the_brain_and_its_input() -> None:
    turn = await Planner().next_turn(FULL, context(FULL), [], 1)
    (exchange,) = turn.exchanges
    assert (exchange.brain, exchange.request[:7]) == ("planner", "sha256:")


def test_a_read_with_a_whole_key_reads_by_key() -> None:
    goal = "Show supplier 17300001."
    call = call_of(decide(goal, context(goal, SUPPLIERS, INVOICE, RELEASE), []))
    assert call.key == {"Supplier": "17300001"}


def test_a_condition_that_does_not_hold_stops_before_the_write() -> None:
    goal = f"Show supplier 17300001. If not: {FULL}"
    first = call_of(ask(goal))
    turn = ask(goal, result(1, first, FOUND))
    assert (turn.action, "Nothing was written" in turn.answer) == ("finish", True)


def test_what_a_later_step_cannot_do_is_asked_before_the_first_write() -> None:
    goal = f"{FULL} Then enter the supplier's invoice NP-1 dated 2026-11-30 over 10.00 Turkish lira gross."
    turn = ask(goal)
    assert (turn.action, "Turkish lira" in turn.question) == ("ask", True)


def test_a_change_that_changes_nothing_is_asked_before_the_first_write() -> None:
    goal = f"{FULL} Then set Karla Weiss as budget approver on line 10."
    turn = decide(goal, context(goal, ORDER, item_view(Verb.UPDATE, "PATCH")), [])
    assert (turn.action, "budget approver" in turn.question) == ("ask", True)
