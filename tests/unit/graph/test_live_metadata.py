"""Metadata as a service gives it now, over the tables of a snapshot: equal bytes, equal contracts; other bytes, other ones."""

from pathlib import Path

import pytest

from graph.errors import UnknownEndpoint
from graph.ingest import ingest
from graph.reader import SnapshotReader, open_snapshot
from odata.errors import MetadataError
from wire.endpoint import Verb

CATALOGUE = Path(__file__).resolve().parents[3] / "catalogue"
ORDER, INVOICE = ("PURCHASE_ORDER", "PurchaseOrderSet"), ("SUPPLIER_INVOICE", "SupplierInvoices")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> SnapshotReader:
    root = tmp_path_factory.mktemp("graph")
    ingest([CATALOGUE], root)
    return open_snapshot(root)


def metadata(service: str) -> bytes:
    return (CATALOGUE / "services" / f"{service}.edmx").read_bytes()


@pytest.mark.parametrize("endpoint", [ORDER, INVOICE], ids=["V2", "V4"])
@pytest.mark.parametrize("verb", [Verb.CREATE, Verb.READ, Verb.UPDATE])
def test_equal_bytes_give_an_equal_contract(reader: SnapshotReader, endpoint: tuple[str, str], verb: Verb) -> None:
    assert reader.contract_over(metadata(endpoint[0]), *endpoint, verb) == reader.contract(*endpoint, verb)


def test_a_property_that_became_required_is_required(reader: SnapshotReader) -> None:
    old = b"<PropertyPath>SupplierInvoiceNumber</PropertyPath>"
    changed = metadata(INVOICE[0]).replace(old, old + b"<PropertyPath>HeaderText</PropertyPath>")
    contract = reader.contract_over(changed, *INVOICE, Verb.CREATE)
    entity = contract.type(contract.entity_type)
    assert entity is not None
    assert {p.name for p in entity.properties if p.required} >= {"SupplierInvoiceNumber", "HeaderText"}
    assert contract.metadata_digest != reader.metadata_digest(INVOICE[0])


def test_what_is_gone_is_unknown_and_what_is_broken_is_said(reader: SnapshotReader) -> None:
    renamed = metadata(ORDER[0]).replace(b'EntitySet Name="PurchaseOrderSet"', b'EntitySet Name="OrderSet"')
    with pytest.raises(UnknownEndpoint):
        reader.contract_over(renamed, *ORDER, Verb.CREATE)
    with pytest.raises(MetadataError):
        reader.contract_over(b"<html/>", *ORDER, Verb.CREATE)
