"""GET: options, envelopes, navigation, paging."""

import json
from typing import Any

import httpx
import pytest

ORDERS: list[dict[str, Any]] = [
    {
        "Order": "1",
        "OrderType": "OR",
        "Customer": "C1",
        "Discount": "1.50",
        "OrderDate": "2026-03-01",
        "Blocked": False,
    },
    {
        "Order": "2",
        "OrderType": "RO",
        "Customer": "O'Neil",
        "Discount": "10",
        "OrderDate": "2026-04-01",
        "Blocked": True,
    },
    {"Order": "3", "OrderType": "OR", "Customer": "C1", "Revision": "9007199254740993"},
]


@pytest.fixture
def v2(start, tmp_path):
    seed = [{"service": "ORDERS", "endpoint": "Orders", "record": record} for record in ORDERS]
    seed[0]["record"] = ORDERS[0] | {"to_Item": [{"Item": "10", "Material": "M1", "Quantity": "2"}, {"Item": "20"}]}
    (tmp_path / "seed.json").write_text(json.dumps(seed))
    return start(seeds=(tmp_path / "seed.json",))


async def keys(client: httpx.AsyncClient, **options: str) -> list[str]:
    answer = await client.get("/ORDERS/Orders", params={f"${name}": text for name, text in options.items()})
    assert answer.status_code == 200, answer.text
    return [row["Order"] for row in answer.json()["d"]["results"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Customer eq 'O''Neil'", ["2"]),
        ("OrderType eq 'OR' and (Discount gt 1M or Discount eq null)", ["1", "3"]),
        ("not (OrderType eq 'OR')", ["2"]),
        ("OrderDate ge datetime'2026-03-15T00:00:00'", ["2"]),
        ("substringof('eil',Customer)", ["2"]),
        ("startswith(tolower(Customer),'c') and endswith(Customer,'1')", ["1", "3"]),
        ("Blocked eq true", ["2"]),
        ("Discount mul 2 eq 3", ["1"]),
        ("month(OrderDate) eq 4", ["2"]),
        ("Revision eq 9007199254740993L", ["3"]),
    ],
)
async def test_v2_filter(v2, text, expected):
    assert await keys(v2, filter=text) == expected


@pytest.mark.parametrize(
    "query",
    [
        "$filter=Nope eq 1",
        "$filter=contains(Customer,'x')",
        "$filter=Customer eq 1",
        "$filter=Customer eq",
        "$filter=Customer",
        "$filter=(Customer eq 'a'",
        "$select=Nope",
        "$expand=Customer",
        "$orderby=Nope",
        "$top=-1",
        "$skip=x",
        "$count=true",
        "$inlinecount=some",
        "$nope=1",
        "$format=atom",
        "$top=1&$top=2",
        "$expand=to_Item($select=Item)",
    ],
)
async def test_v2_refuses_option(v2, query):
    answer = await v2.get(f"/ORDERS/Orders?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]["value"]


async def test_order_skip_top_and_count(v2):
    answer = await v2.get("/ORDERS/Orders?$orderby=Discount desc,Order&$skip=1&$top=1&$inlinecount=allpages")
    assert [row["Order"] for row in answer.json()["d"]["results"]] == ["1"]
    assert answer.json()["d"]["__count"] == "3"
    assert (await v2.get("/ORDERS/Orders/$count?$filter=OrderType eq 'OR'")).text == "2"


async def test_v2_entity_form(v2):
    row = (await v2.get("/ORDERS/Orders('1')?sap-client=100")).json()["d"]
    assert row["__metadata"]["uri"] == "http://svc/ORDERS/Orders('1')"
    assert (row["OrderDate"], row["Discount"], row["NetAmount"]) == ("/Date(1772323200000)/", "1.50", None)
    assert row["to_Item"] == {"__deferred": {"uri": "http://svc/ORDERS/Orders('1')/to_Item"}}


async def test_v2_expand_and_select(v2):
    answer = await v2.get("/ORDERS/Orders('1')?$expand=to_Item&$select=Order,to_Item/Material")
    row = answer.json()["d"]
    assert set(row) == {"__metadata", "Order", "to_Item"}
    assert [item["Material"] for item in row["to_Item"]["results"]] == ["M1", ""]


async def test_navigation_paths(v2):
    items = (await v2.get("/ORDERS/Orders('1')/to_Item")).json()["d"]["results"]
    assert [item["Item"] for item in items] == ["10", "20"]
    assert (await v2.get("/ORDERS/Items(Item='10',Order='1')/to_Order/Customer")).json() == {"d": {"Customer": "C1"}}
    assert (await v2.get("/ORDERS/Items(Order='1',Item='10')/Material/$value")).text == "M1"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/ORDERS/orders", 404),
        ("/ORDERS/Orders('9')", 404),
        ("/ORDERS/Orders(1)", 400),
        ("/ORDERS/Items('1')", 400),
        ("/ORDERS/Orders('1')/Nope", 404),
        ("/ORDERS/Orders('1'", 400),
        ("/ORDERS/Orders/Customer", 400),
        ("/NOPE/Orders", 404),
        ("/ORDERS/$batch", 501),
    ],
)
async def test_refuses_path(v2, path, status):
    assert (await v2.get(path)).status_code == status


async def test_server_paging_follows_next(start, v2):
    client = start(page_size=2)
    first = (await client.get("/ORDERS/Orders?$orderby=Order desc")).json()["d"]
    second = (await client.get(first["__next"])).json()["d"]
    assert [row["Order"] for row in first["results"] + second["results"]] == ["3", "2", "1"]
    assert "__next" not in second


async def test_service_and_metadata_documents(client):
    assert (await client.get("/ORDERS/")).json()["d"]["EntitySets"] == ["Orders", "Items", "Notes", "OrderTypes"]
    assert (await client.get("/LIBRARY/")).json()["value"][3] == {"name": "Main", "kind": "Singleton", "url": "Main"}
    assert (await client.get("/ORDERS/$metadata")).content.startswith(b"<?xml")


async def test_root_lists_services_by_content(client):
    versions = {item["name"]: item["version"] for item in (await client.get("/")).json()["services"]}
    assert versions == {"LIBRARY": "V4", "ORDERS": "V2"}
    assert (await client.get("/health")).status_code == 200


async def test_value_list_is_filled_from_codes(client):
    rows = (await client.get("/ORDERS/OrderTypes")).json()["d"]["results"]
    assert [(row["OrderType"], row["OrderTypeText"]) for row in rows] == [("OR", "Standard"), ("RO", "Rush")]
