"""The catalogue that ships, served with its own codes, required list and seed: the demo's two writes."""

from pathlib import Path

import httpx
import pytest

from embedded.odata_service.app import create_app
from embedded.odata_service.config import Config

CATALOGUE = Path(__file__).resolve().parents[3] / "catalogue"
ORDER = {
    "CompanyCode": "1010",
    "PurchasingOrganization": "1010",
    "PurchasingGroup": "001",
    "to_Items": [
        {"Material": "P-100", "OrderQuantity": "20", "Plant": "1010"},
        {"Material": "S-200", "OrderQuantity": "5", "Plant": "1010"},
    ],
}


@pytest.fixture
async def client(tmp_path):
    config = Config(
        (CATALOGUE / "services",),
        tmp_path / "state.sqlite",
        (CATALOGUE / "codes.csv",),
        (CATALOGUE / "required.csv",),
        (CATALOGUE / "seed.json",),
        require_csrf=False,
    )
    app = create_app(config)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://svc") as opened:
        yield opened
    app.state.store.close()


async def test_every_service_is_served(client):
    listed = (await client.get("/")).json()
    assert (len(listed["services"]), listed["refused"]) == (12, [])


async def test_second_write_uses_the_number_of_the_first(client):
    suppliers = (await client.get("/BUSINESS_PARTNER/Suppliers?$filter=SupplierName eq 'Nordpump GmbH'")).json()[
        "value"
    ]
    supplier = suppliers[0]["Supplier"]
    order = await client.post("/PURCHASE_ORDER/PurchaseOrderSet", json=ORDER | {"Supplier": supplier})
    assert order.status_code == 201, order.text
    invoice = {
        "CompanyCode": "1010",
        "InvoicingParty": supplier,
        "SupplierInvoiceNumber": "NP-20931",
        "DocumentDate": "2026-11-30",
        "InvoiceGrossAmount": 10043.60,
        "PurchaseOrder": order.json()["d"]["PurchaseOrder"],
    }
    answer = await client.post("/SUPPLIER_INVOICE/SupplierInvoices", json=invoice)
    assert answer.status_code == 201, answer.text
