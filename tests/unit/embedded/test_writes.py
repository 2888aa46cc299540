"""POST with deep insert, PATCH/MERGE/PUT, DELETE: keys, checks, ETags (V2 service)."""

from typing import Any

import httpx
import pytest

ORDER = {"Customer": "C1", "OrderType": "OR"}


async def post(client: httpx.AsyncClient, body: dict[str, Any], path: str = "Orders") -> httpx.Response:
    return await client.post(f"/ORDERS/{path}", json=body)


async def test_deep_insert_gives_keys_from_range_parent_and_step(client):
    answer = await post(client, ORDER | {"to_Item": {"results": [{"Material": "A"}, {"Material": "B"}]}})
    order = answer.json()["d"]
    assert answer.status_code == 201
    assert answer.headers["location"] == f"http://svc/ORDERS/Orders('{order['Order']}')"
    assert [(i["Order"], i["Item"]) for i in order["to_Item"]["results"]] == [
        (order["Order"], "10"),
        (order["Order"], "20"),
    ]


async def test_bare_array_and_three_levels(client):
    notes = [{"Language": "EN", "Text": "hello"}]
    answer = await post(client, ORDER | {"to_Item": [{"Item": "15", "to_Note": notes}, {}]})
    items = answer.json()["d"]["to_Item"]["results"]
    assert [item["Item"] for item in items] == ["15", "20"]
    assert items[0]["to_Note"]["results"][0]["Text"] == "hello"


async def test_number_range_goes_on_after_restart(client, start):
    first = (await post(client, ORDER)).json()["d"]["Order"]
    second = (await post(start(), ORDER)).json()["d"]["Order"]
    assert int(second) == int(first) + 1
    assert len(first) == 10


async def test_number_range_skips_existing_key(client):
    first = (await post(client, ORDER)).json()["d"]["Order"]
    await post(client, ORDER | {"Order": str(int(first) + 1)})
    assert (await post(client, ORDER)).json()["d"]["Order"] == str(int(first) + 2)


async def test_item_posted_below_parent_and_directly(client):
    order = (await post(client, ORDER)).json()["d"]["Order"]
    below = await post(client, {"Material": "A"}, f"Orders('{order}')/to_Item")
    direct = await post(client, {"Order": order, "Material": "B"}, "Items")
    assert [below.json()["d"]["Item"], direct.json()["d"]["Item"]] == ["10", "20"]
    assert (await post(client, {"Material": "C"}, "Items")).status_code == 400


async def test_duplicate_key_is_409(client):
    await post(client, ORDER | {"Order": "77"})
    answer = await post(client, ORDER | {"Order": "77"})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "DuplicateKey"


@pytest.mark.parametrize(
    ("change", "target"),
    [
        ({"Nope": 1}, "/Nope"),
        ({"OrderType": 5}, "/OrderType"),
        ({"Customer": "x" * 11}, "/Customer"),
        ({"NetAmount": "5"}, "/NetAmount"),
        ({"Discount": 5}, "/Discount"),
        ({"Discount": "1.234"}, "/Discount"),
        ({"Discount": "1000"}, "/Discount"),
        ({"Discount": "abc"}, "/Discount"),
        ({"OrderDate": "2026-13-01T00:00:00"}, "/OrderDate"),
        ({"OrderDate": "tomorrow"}, "/OrderDate"),
        ({"Blocked": "true"}, "/Blocked"),
        ({"Revision": 5}, "/Revision"),
        ({"Order": None}, "/Order"),
        ({"OrderType": "XX"}, "/OrderType"),
        ({"to_Item": {"Material": "A"}}, "/to_Item"),
        ({"to_Item": [{"Materal": "A"}]}, "/to_Item/0/Materal"),
        ({"to_Item": {"results": [{}, {"Quantity": "x"}]}}, "/to_Item/results/1/Quantity"),
        ({"Order": "5", "to_Item": [{"Order": "6"}]}, "/to_Item/0/Order"),
        ({"Customer": ""}, "/Customer"),
        ({"to_Item@odata.bind": []}, "/to_Item@odata.bind"),
    ],
)
async def test_create_refuses(client, change, target):
    answer = await post(client, ORDER | change)
    details = answer.json()["error"]["innererror"]["errordetails"]
    assert answer.status_code == 400
    assert [item["target"] for item in details] == [target]


async def test_all_findings_come_at_once_and_nothing_is_written(client):
    answer = await post(client, {"Nope": 1, "Discount": 1, "to_Item": [{"Nope": 2}]})
    assert len(answer.json()["error"]["innererror"]["errordetails"]) == 4
    assert (await client.get("/ORDERS/Orders/$count")).text == "0"


async def test_code_finding_names_the_codes(client):
    answer = await post(client, ORDER | {"OrderType": "XX"})
    assert "OR, RO" in answer.json()["error"]["message"]["value"]


@pytest.mark.parametrize(
    ("record", "status"),
    [({"OrderType": "RO"}, 201), ({"Discount": "1"}, 201), ({"Discount": "1", "Blocked": True}, 400), ({}, 400)],
)
async def test_required_unless(client, record, status):
    assert (await post(client, record)).status_code == status


@pytest.mark.parametrize("body", ["{", "[]", '{"Customer":"a","Customer":"b"}', '"x"'])
async def test_malformed_body_is_400(client, body):
    answer = await client.post("/ORDERS/Orders", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400


async def test_xml_body_is_415(client):
    answer = await client.post("/ORDERS/Orders", content="<a/>", headers={"content-type": "application/atom+xml"})
    assert answer.status_code == 415


async def test_merge_keeps_and_put_resets(client):
    await post(client, ORDER | {"Order": "1", "Discount": "2.5"})
    assert (await client.request("MERGE", "/ORDERS/Orders('1')", json={"Customer": "C2"})).status_code == 204
    merged = (await client.get("/ORDERS/Orders('1')")).json()["d"]
    await client.put("/ORDERS/Orders('1')", json={"Customer": "C3"})
    replaced = (await client.get("/ORDERS/Orders('1')")).json()["d"]
    assert (merged["Customer"], merged["Discount"]) == ("C2", "2.5")
    assert (replaced["Customer"], replaced["Discount"]) == ("C3", None)


async def test_tunnelled_merge(client):
    await post(client, ORDER | {"Order": "1"})
    answer = await client.post("/ORDERS/Orders('1')", json={"Customer": "C2"}, headers={"x-http-method": "MERGE"})
    assert answer.status_code == 204


async def test_read_entity_can_be_sent_back(client):
    await post(client, ORDER | {"Order": "1"})
    row = (await client.get("/ORDERS/Orders('1')")).json()["d"]
    answer = await client.patch("/ORDERS/Orders('1')", json={k: v for k, v in row.items() if k != "NetAmount"})
    assert answer.status_code == 204, answer.text


@pytest.mark.parametrize(
    "body", [{"Order": "2"}, {"NetAmount": "1"}, {"Nope": 1}, {"OrderType": "XX"}, {"to_Item": [{"Material": "A"}]}]
)
async def test_patch_refuses(client, body):
    await post(client, ORDER | {"Order": "1"})
    assert (await client.patch("/ORDERS/Orders('1')", json=body)).status_code == 400


async def test_patch_and_delete_of_missing_row_is_404(client):
    assert (await client.patch("/ORDERS/Orders('1')", json={"Customer": "C2"})).status_code == 404
    assert (await client.delete("/ORDERS/Orders('1')")).status_code == 404


async def test_method_not_allowed(client):
    assert (await post(client, {"OrderType": "ZZ"}, "OrderTypes")).status_code == 405
    assert (await client.delete("/ORDERS/Orders")).status_code == 405
    assert (await client.patch("/ORDERS/Release", json={})).status_code == 405


async def test_if_match(client, start):
    await post(client, ORDER | {"Order": "1"})
    etag = (await client.get("/ORDERS/Orders('1')")).headers["etag"]
    url, headers = "/ORDERS/Orders('1')", {"if-match": etag}
    assert (await start(require_if_match=True).patch(url, json={"Customer": "C2"})).status_code == 428
    assert (await client.patch(url, json={"Customer": "C2"}, headers=headers)).status_code == 204
    assert (await client.patch(url, json={"Customer": "C3"}, headers=headers)).status_code == 412
    assert (await client.delete(url, headers={"if-match": "*"})).status_code == 204


async def test_etag_of_a_new_row_under_an_old_key_differs(client):
    first = (await post(client, ORDER | {"Order": "1"})).headers["etag"]
    await client.delete("/ORDERS/Orders('1')")
    assert (await post(client, ORDER | {"Order": "1"})).headers["etag"] != first


async def test_delete_cascades_downwards_only(client):
    await post(client, ORDER | {"Order": "1", "to_Item": [{}, {}]})
    await client.delete("/ORDERS/Items(Order='1',Item='10')")
    assert (await client.get("/ORDERS/Orders('1')/to_Item/$count")).text == "1"
    await client.delete("/ORDERS/Orders('1')")
    assert (await client.get("/ORDERS/Items/$count")).text == "0"


async def test_function_import(client):
    await post(client, ORDER | {"Order": "1"})
    answer = await client.post("/ORDERS/Release?Order='1'&Date=datetime'2026-01-02T00:00:00'")
    assert answer.json()["d"]["Release"]["Order"] == "1"
    log = (await client.get("/_actions?service=ORDERS")).json()
    assert [(entry["operation"], entry["key"]) for entry in log] == [("Release", "1")]


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("Release?Order='9'", 404),
        ("Release", 400),
        ("Release?Order=1", 400),
        ("Release?Order='1'&Nope='1'", 400),
        ("Release?Order='1'&Date='2026-01-01'", 400),
        ("Simulate?Order='1'", 405),
    ],
)
async def test_function_import_refuses(client, url, status):
    await post(client, ORDER | {"Order": "1"})
    assert (await client.post(f"/ORDERS/{url}")).status_code == status
    assert (await client.get("/_actions")).json() == []


async def test_get_function_import_returns_entities(client):
    await post(client, ORDER | {"Order": "1"})
    rows = (await client.get("/ORDERS/Simulate?Order='1'&sap-client=100")).json()["d"]["results"]
    assert [row["Order"] for row in rows] == ["1"]
