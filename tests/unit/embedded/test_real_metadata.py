"""The real services of the corpus: deep inserts, actions, and no request that ends in an internal error."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from embedded.odata_service.app import create_app
from embedded.odata_service.catalogue import Catalogue, load_catalogue
from embedded.odata_service.config import Config

SALES_ORDER: dict[str, Any] = {
    "SalesOrderType": "OR",
    "SalesOrganization": "1710",
    "DistributionChannel": "10",
    "OrganizationDivision": "00",
    "SoldToParty": "17100001",
    "to_Item": {
        "results": [{"Material": "TG11", "RequestedQuantity": "2"}, {"Material": "TG12", "RequestedQuantity": "1"}]
    },
}
DELIVERY = {
    "ShippingPoint": "1710",
    "to_DeliveryDocumentItem": [
        {
            "ReferenceSDDocument": "1",
            "ReferenceSDDocumentItem": "10",
            "ActualDeliveryQuantity": "2",
            "DeliveryQuantityUnit": "PC",
        }
    ],
}
ACCOUNT = {"AccountAssignmentNumber": "01", "CostCenter": "10101101", "GLAccount": "65100000"}
PURCHASE_ORDER = {
    "PurchaseOrderType": "NB",
    "CompanyCode": "1010",
    "PurchasingOrganization": "1010",
    "PurchasingGroup": "001",
    "Supplier": "17300001",
    "DocumentCurrency": "EUR",
    "to_PurchaseOrderItem": [
        {
            "PurchaseOrderItem": "10",
            "Plant": "1010",
            "Material": "RM20",
            "OrderQuantity": "8",
            "NetPriceAmount": "120.00",
            "to_AccountAssignment": {"results": [ACCOUNT]},
        }
    ],
}


@pytest.fixture(scope="module")
def catalogue(shared: Path) -> Catalogue:
    return load_catalogue((shared / "corpus/edmx",))


@pytest.fixture
async def real(shared, catalogue, tmp_path):
    bench = shared / "bench"
    config = Config((), tmp_path / "s.sqlite", (bench / "codes.csv",), (bench / "required.csv",), require_csrf=False)
    app = create_app(config, catalogue=catalogue)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://svc") as client:
        yield client
    app.state.store.close()


async def created(client: httpx.AsyncClient, url: str, body: object) -> dict[str, object]:
    answer = await client.post(url, json=body)
    assert answer.status_code == 201, answer.text
    row: dict[str, object] = answer.json()["d"]
    return row


async def test_sales_order_with_items(real):
    order = await created(real, "/API_SALES_ORDER_SRV/A_SalesOrder", SALES_ORDER)
    url = f"/API_SALES_ORDER_SRV/A_SalesOrder('{order['SalesOrder']}')?$expand=to_Item&$select=to_Item/SalesOrderItem"
    rows = (await real.get(url)).json()["d"]["to_Item"]["results"]
    assert [row["SalesOrderItem"] for row in rows] == ["10", "20"]


async def test_purchase_order_over_three_levels(real):
    order = await created(real, "/API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder", PURCHASE_ORDER)
    url = (
        f"/API_PURCHASEORDER_PROCESS_SRV/A_PurOrdAccountAssignment?$filter=PurchaseOrder eq '{order['PurchaseOrder']}'"
    )
    rows = (await real.get(url)).json()["d"]["results"]
    assert [(row["PurchaseOrderItem"], row["CostCenter"]) for row in rows] == [("10", "10101101")]


async def test_delivery_is_picked_and_issued(real):
    root = "/API_OUTBOUND_DELIVERY_SRV"
    delivery = await created(real, f"{root}/A_OutbDeliveryHeader", DELIVERY)
    for name in ("PickAllItems", "PostGoodsIssue"):
        answer = await real.post(f"{root}/{name}?DeliveryDocument='{delivery['DeliveryDocument']}'")
        assert answer.status_code == 200, answer.text
    assert (await real.post(f"{root}/PickAllItems?DeliveryDocument='1'")).status_code == 404
    assert [entry["operation"] for entry in (await real.get("/_actions")).json()] == ["PickAllItems", "PostGoodsIssue"]


async def test_v4_sales_order_with_items(real):
    body = {name: SALES_ORDER[name] for name in ("SalesOrderType", "SalesOrganization", "DistributionChannel")}
    body |= {"OrganizationDivision": "00", "SoldToParty": "17100001", "_Item": [{"Product": "TG11"}]}
    answer = await real.post("/CE_SALESORDER_0001_V4/SalesOrder", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["_Item"][0]["SalesOrder"] == answer.json()["SalesOrder"]


async def test_item_set_that_is_not_creatable_takes_no_post(real):
    answer = await real.post("/API_OUTBOUND_DELIVERY_SRV/A_OutbDeliveryItem", json={})
    assert answer.status_code == 405


async def test_seeds_of_all_benchmark_tasks_fit(shared, catalogue, tmp_path):
    for index, line in enumerate((shared / "bench/tasks.jsonl").read_text(encoding="utf-8").splitlines()):
        task = json.loads(line)
        files = []
        for name in ("seed", "assigned"):
            files.append(tmp_path / f"{name}{index}.json")
            files[-1].write_text(json.dumps(task.get(name) or []))
        app = create_app(
            Config((), tmp_path / f"{index}.sqlite", seeds=(files[0],), assigned=(files[1],)), catalogue=catalogue
        )
        app.state.store.close()


async def test_every_set_and_operation_answers_without_internal_error(real, catalogue):
    failed = []
    for name in catalogue.versions:
        service = catalogue.get(name)
        assert service is not None
        for target in [*service.collections, *service.document.all_imports()]:
            for method in ("GET", "POST"):
                answer = await real.request(method, f"/{name}/{target}", json={})
                if answer.status_code >= 500:
                    failed.append((method, name, target, answer.text))
    assert failed == []


async def test_created_rows_can_be_read_expanded_and_deleted(real, catalogue):
    failed = []
    for name in (
        "API_BUSINESS_PARTNER",
        "API_PRODUCT_SRV",
        "UX_v4Meta_V4",
        "MD_SUPPLIER_MASTER_SRV",
        "CAP_Bookshop_Admin_V4",
    ):
        service = catalogue.get(name)
        for collection in service.collections.values():
            answer = await real.post(f"/{name}/{collection.name}", json={})
            if answer.status_code != 201:
                continue
            url = answer.headers["location"]
            expand = ",".join(service.navigations(collection.type))
            found = await real.get(url, params={"$expand": expand} if expand else {})
            gone = await real.delete(url)
            if found.status_code != 200 or gone.status_code not in (204, 405):
                failed.append((url, found.text, gone.text))
    assert failed == []
