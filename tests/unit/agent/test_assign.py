"""Assignment of stated values to fields: labels, roles, codes, shared values, and values that are written as one."""

from typing import Any

import pytest

from agent.planner import decide
from tests.unit.agent.samples import INVOICE, ORDER, context, field
from wire.call import ProposedCall
from wire.context import EndpointView, NestedView
from wire.endpoint import Cardinality, Code, Verb

TERMS = (Code(code="NT30", text="30 days net"), Code(code="0001", text="Payable immediately"))
INCOTERMS = (Code(code="CIF", text="Cost, insurance and freight"), Code(code="EXW", text="Ex works"))

PARTNER = EndpointView(
    service="BP",
    endpoint="PartnerSet",
    kind="EntitySet",
    verb=Verb.CREATE,
    version="4.0",
    label="Business partner",
    method="POST",
    rank=1,
    keys=("Partner",),
    fields=(
        field("OrganizationName", "Name of organization", required=True, max_length=40),
        field("PaymentTerms", "Payment terms", codes=TERMS),
        field("IncotermsClassification", "Incoterms", codes=INCOTERMS),
        field("IncotermsLocation1", "Incoterms location"),
        field("CreditBlocked", "Credit is blocked", "Edm.Boolean"),
        field("SalesOrganization", "Sales organization"),
        field("DistributionChannel", "Distribution channel"),
        field("Division", "Division"),
        field("ValidFrom", "Valid from", "Edm.Date"),
        field("NumberOfEmployees", "Employees", "Edm.Int32"),
    ),
    nested=(
        NestedView(
            name="_Addresses",
            target="bp.Address",
            target_set="AddressSet",
            cardinality=Cardinality.MANY,
            nesting="array",
            fields=(
                field("StreetName", "Street"),
                field("HouseNumber", "House number"),
                field("PostalCode", "Postal code"),
                field("CityName", "City"),
                field("Country", "Country"),
            ),
        ),
        NestedView(
            name="_Roles",
            target="bp.Role",
            target_set="RoleSet",
            cardinality=Cardinality.MANY,
            nesting="array",
            fields=(field("Role", "Role", required=True, max_length=6),),
        ),
    ),
)


def payload_of(goal: str, *views: EndpointView) -> dict[str, Any]:
    turn = decide(goal, context(goal, *(views or (PARTNER,))), [])
    assert isinstance(turn.call, ProposedCall), turn.question
    return turn.call.payload or {}


def partner(text: str) -> dict[str, Any]:
    return payload_of(f"Create the organization Alpin Werkzeuge AG as business partner, {text}.")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("payment terms 30 days net", "PaymentTerms", "NT30"),
        ("payment terms NT30", "PaymentTerms", "NT30"),
        ("terms 'cost, insurance and freight' to Hamburg", "IncotermsLocation1", "Hamburg"),
        ("terms 'cost, insurance and freight' to Hamburg", "IncotermsClassification", "CIF"),
        ("sales area 1010/10/00", "DistributionChannel", "10"),
        ("credit blocked", "CreditBlocked", True),
        ("credit not blocked", "CreditBlocked", False),
        ("valid from 1 March 2026", "ValidFrom", "2026-03-01"),
        ("150 employees", "NumberOfEmployees", 150),
    ],
)
def test_a_stated_value_finds_its_field(text: str, name: str, value: Any) -> None:
    assert partner(text)[name] == value


def test_the_name_itself_goes_to_the_organization() -> None:
    assert partner("payment terms NT30")["OrganizationName"] == "Alpin Werkzeuge AG"


def test_an_address_is_taken_apart() -> None:
    assert partner("with the address Seestr. 12, 8002 Zürich, CH")["_Addresses"] == [
        {"StreetName": "Seestr.", "HouseNumber": "12", "PostalCode": "8002", "CityName": "Zürich", "Country": "CH"}
    ]


def test_joined_values_become_rows() -> None:
    assert partner("the roles CUST00 and CUST01")["_Roles"] == [{"Role": "CUST00"}, {"Role": "CUST01"}]


def test_an_amount_that_no_field_takes_is_asked() -> None:
    goal = "Create the organization Alpin Werkzeuge AG as business partner, with a credit limit of 50000 EUR."
    turn = decide(goal, context(goal, PARTNER), [])
    assert (turn.action, "credit limit of 50000 EUR" in turn.question) == ("ask", True)


ORGANIZATION = "supplier 17300001, company code 1010, purchasing organization 1010, purchasing group 001"


def items(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = payload_of(f"Create a purchase order: {text}, {ORGANIZATION}.", ORDER)["to_Items"]
    return found


def test_what_is_said_once_holds_for_every_line() -> None:
    rows = items("20 P-100 and 5 S-200 for plant 1010, 4.20 euro each")
    assert [(r["Material"], r["Plant"], r["NetPriceAmount"]) for r in rows] == [
        ("P-100", "1010", "4.20"),
        ("S-200", "1010", "4.20"),
    ]


def test_what_is_said_of_a_line_stays_with_it() -> None:
    rows = items("20 P-100 for plant 1010 at 3.00 euro and 5 S-200 for plant 1020 at 4.00 euro")
    assert [(r["Plant"], r["NetPriceAmount"]) for r in rows] == [("1010", "3.00"), ("1020", "4.00")]


def test_the_unit_takes_the_code_of_the_list() -> None:
    assert items("20 kilogram of RM20 for plant 1010")[0]["OrderQuantityUnit"] == "KG"


def test_a_unit_outside_the_list_is_asked() -> None:
    goal = f"Create a purchase order: 20 cartons of RM20 for plant 1010, {ORGANIZATION}."
    turn = decide(goal, context(goal, ORDER), [])
    assert (turn.action, "carton" in turn.question) == ("ask", True)


def test_one_day_for_two_dates() -> None:
    view = INVOICE.model_copy(update={"fields": (*INVOICE.fields, field("PostingDate", "Posting Date", "Edm.Date"))})
    goal = (
        "Enter the supplier invoice: company code 1010, invoicing party 17300001, invoice number of supplier N-1, "
        "invoice date and posting date 2026-03-02, gross amount 12.50 EUR."
    )
    payload = payload_of(goal, view)
    assert payload["DocumentDate"] == payload["PostingDate"] == "2026-03-02"
