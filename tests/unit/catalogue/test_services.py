"""The shipped metadata is well-formed, complete in labels, and its value lists point at what exists."""

import re
from xml.etree.ElementTree import Element

import pytest

from tests.unit.catalogue.catalogue_files import CATALOGUE, Service, children, rows, seed, service_of, services

XML_FILES = sorted([*CATALOGUE.glob("services/*.edmx"), *CATALOGUE.glob("processes/*.bpmn")])
each_service = pytest.mark.parametrize("service", services().values(), ids=lambda s: s.name)


def test_both_versions_are_there():
    versions = [s.version for s in services().values()]
    assert versions.count("V2") >= 5
    assert versions.count("V4") >= 4


@pytest.mark.parametrize("path", XML_FILES, ids=lambda p: p.name)
def test_no_file_declares_a_document_type(path):
    assert "<!" not in path.read_text(encoding="utf-8").replace("<!--", "")


@each_service
def test_sets_and_navigations_end_in_declared_types(service: Service):
    targets = {*service.sets.values(), *(n for t in service.types.values() for n in t.navigations.values())}
    assert targets <= set(service.types)


@each_service
def test_keys_are_declared_and_not_nullable(service: Service):
    facets = [t.properties[k] for t in service.types.values() for k in t.keys]
    assert facets
    assert all(f.get("Nullable") == "false" for f in facets)


@each_service
def test_strings_and_decimals_carry_their_facets(service: Service):
    facets = [p for t in service.types.values() for p in t.properties.values()]
    assert all("MaxLength" in p for p in facets if p["Type"] == "Edm.String")
    assert all("Scale" in p for p in facets if p["Type"] == "Edm.Decimal")


def v2_labels(service: Service) -> set[tuple[str, str]]:
    mark = "{http://www.sap.com/Protocols/SAPData}label"
    return {(t, p) for t, et in service.types.items() for p, f in et.properties.items() if f.get(mark)}


def v4_labels(service: Service) -> set[tuple[str, str]]:
    found = set()
    for block in children(service.root, "Annotations"):
        if any(a.get("Term") == "Common.Label" and not a.get("Qualifier") for a in block):
            entity_type, _, name = block.get("Target", "").removeprefix("SELF.").partition("/")
            found.add((entity_type, name))
    return found


@each_service
def test_every_property_has_an_english_label(service: Service):
    labelled = v2_labels(service) if service.version == "V2" else v4_labels(service)
    assert {(t, p) for t, et in service.types.items() for p in et.properties} <= labelled


def annotation_targets(service: Service) -> list[tuple[str, str]]:
    paths = [b.get("Target", "").rpartition(".")[2].split("/", 1) for b in children(service.root, "Annotations")]
    return [(p[0], p[1]) for p in paths if len(p) == 2]


@each_service
def test_annotations_point_at_declared_elements(service: Service):
    for owner, name in annotation_targets(service):
        known = service.types[owner].properties if owner in service.types else {**service.sets, **service.operations}
        assert name in known, (owner, name)


def value_lists(service: Service) -> list[Element]:
    return [a for a in children(service.root, "Annotation") if a.get("Term", "").endswith(".ValueList")]


def strings(annotation: Element, name: str) -> list[str]:
    return [p.get("String", "") for p in children(annotation, "PropertyValue") if p.get("Property") == name]


@each_service
def test_value_lists_name_a_set_and_its_properties(service: Service):
    assert value_lists(service)
    for annotation in value_lists(service):
        (target,) = strings(annotation, "CollectionPath")
        assert set(strings(annotation, "ValueListProperty")) <= set(service.fields(target).properties)


@each_service
def test_imports_publish_unbound_operations(service: Service):
    declared = [o for tag in ("Action", "Function") for o in children(service.root, tag)]
    unbound = {o.get("Name") for o in declared if not o.get("IsBound")}
    imports = [i for tag in ("ActionImport", "FunctionImport") for i in children(service.root, tag)]
    assert {i.get("Name") for i in imports if i.get("Action") or i.get("Function")} == unbound


def test_codes_fit_their_property():
    for row in rows("codes.csv"):
        service, owner = service_of(row), row["entity_type"]
        assert row["property"] in service.members(owner), row
        if owner in service.types:
            assert 0 < len(row["code"]) <= int(service.types[owner].properties[row["property"]]["MaxLength"]), row


def test_no_code_is_listed_twice():
    keys = [tuple(row[k] for k in ("service_file", "entity_type", "property", "code")) for row in rows("codes.csv")]
    assert len(keys) == len(set(keys))


@each_service
def test_every_set_has_rows(service: Service):
    filled = {r["endpoint"] for r in seed() if r["service"] == service.name}
    assert set(service.sets) == filled


def test_required_rows_name_properties_and_their_conditions():
    for row in rows("required.csv"):
        known = service_of(row).members(row["entity_set"])
        conditions = {re.split("[=]", part.lstrip("!"))[0] for part in re.split("[ &]", row["unless"]) if part}
        assert {row["property"], *conditions} <= known, row
