"""The CSDL reader: our own documents in detail, real ones by count."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from embedded.odata_service.csdl import read_metadata
from embedded.odata_service.csdl_model import Document
from embedded.odata_service.errors import MetadataError

METADATA = Path(__file__).parent / "metadata"


def read(name: str) -> Document:
    return read_metadata((METADATA / name).read_bytes(), name)


def test_v2_navigation_takes_type_and_constraint_from_association():
    orders = read("ORDERS.edmx")
    down, up = orders.types["ORD.Order"].navigations["to_Item"], orders.types["ORD.Item"].navigations["to_Order"]
    assert (down.type.name, down.multiplicity, down.constraints) == ("ORD.Item", "*", [("Order", "Order")])
    assert (up.type.collection, up.multiplicity) == (False, "1")
    assert (down.on_delete, up.on_delete) == ("Cascade", None)
    assert (down.constraint_declared_here, up.constraint_declared_here) == (False, True)


def test_v2_function_import():
    release = read("ORDERS.edmx").all_imports()["Release"]
    assert (release.http_method, release.sap["action-for"]) == ("POST", "Self.Order")
    assert [(p.name, p.nullable) for p in release.parameters] == [("Order", False), ("Date", True)]


def test_external_annotation_lands_on_its_property():
    value_list = read("ORDERS.edmx").types["ORD.Order"].properties["OrderType"].annotations
    record = value_list["com.sap.vocabularies.Common.v1.ValueList"]
    assert record["CollectionPath"] == "OrderTypes"
    assert record["Parameters"][0]["LocalDataProperty"] == {"$PropertyPath": "OrderType"}


def test_v4_inheritance_and_aliases():
    library = read("LIBRARY.edmx")
    assert list(library.all_properties("lib.Comic"))[:4] == ["ID", "title", "createdAt", "price"]
    assert library.key_of("lib.Comic") == ["ID"]
    assert library.derived("lib.Work") == ["lib.Book", "lib.Comic"]
    assert library.types["lib.Work"].properties["title"].type.name == "lib.types.Title"


def test_v4_enum_values_and_flags():
    enums = read("LIBRARY.edmx").enums
    assert enums["lib.types.Genre"].members == {"Novel": 0, "Essay": 1, "Poem": 7}
    assert enums["lib.types.Rights"].is_flags


def test_v4_operations():
    library = read("LIBRARY.edmx")
    lend = library.operations["lib.lend"][0]
    assert (lend.kind, lend.is_bound) == ("Action", True)
    assert lend.returns is not None
    assert lend.returns.type.name == "lib.Book"
    assert library.all_imports()["cheapest"].operation == "lib.cheapest"


def test_own_documents_have_no_problems():
    assert [read(name).problems for name in ("ORDERS.edmx", "LIBRARY.edmx")] == [[], []]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "f.edmx: the file is empty"),
        (b"{}", "line 1: not well-formed"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "DOCTYPE"),
        (b"<html/>", "expected edmx:Edmx"),
        (b"<edmx:Edmx xmlns:edmx='http://docs.oasis-open.org/odata/ns/edmx'>\n<edmx:Data", "line 2: not well-formed"),
        (b"<edmx:Edmx xmlns:edmx='http://docs.oasis-open.org/odata/ns/edmx'/>", "no Schema"),
    ],
)
def test_refused_documents(data, message):
    with pytest.raises(MetadataError, match=message):
        read_metadata(data, "f.edmx")


def test_utf16_is_read():
    text = (METADATA / "LIBRARY.edmx").read_text().replace('encoding="utf-8"', 'encoding="utf-16"')
    assert len(read_metadata(text.encode("utf-16"), "L").types) == 7


COLUMNS: dict[str, Callable[[Document], int]] = {
    "EntitySet": lambda d: sum(item.kind == "EntitySet" for item in d.all_sets().values()),
    "Singleton": lambda d: sum(item.kind == "Singleton" for item in d.all_sets().values()),
    "EntityType": lambda d: sum(item.kind == "EntityType" for item in d.types.values()),
    "ComplexType": lambda d: sum(item.kind == "ComplexType" for item in d.types.values()),
    "EnumType": lambda d: len(d.enums),
    "TypeDefinition": lambda d: len(d.type_definitions),
    "Property": lambda d: sum(len(item.properties) for item in d.types.values()),
    "NavigationProperty": lambda d: sum(len(item.navigations) for item in d.types.values()),
    "Association": lambda d: len(d.associations),
    "Action": lambda d: sum(op.kind == "Action" for ops in d.operations.values() for op in ops),
    "Function": lambda d: sum(op.kind == "Function" for ops in d.operations.values() for op in ops),
    "Schemas": lambda d: len(d.schemas),
}


def test_counts_of_the_real_corpus(shared):
    """Every readable file gives the element counts that SOURCES.tsv lists; every other is refused."""
    wrong: list[tuple[object, ...]] = []
    with (shared / "corpus/edmx/SOURCES.tsv").open(encoding="utf-8") as handle:
        for line in csv.DictReader(handle, delimiter="\t"):
            data = (shared / "corpus/edmx" / line["file"]).read_bytes()
            try:
                document = read_metadata(data, line["file"])
            except MetadataError:
                if not line["parse_error"] and b"<!DOCTYPE" not in data:
                    wrong.append((line["file"], "refused"))
                continue
            found = {name: count(document) for name, count in COLUMNS.items()}
            wrong += [(line["file"], name, line[name], found[name]) for name in found if line[name] != str(found[name])]
    assert wrong == []
