"""An operation becomes an endpoint summary with its parameters and body fields."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.openapi.document import read_document
from evaluation.openapi.errors import DocumentError
from evaluation.openapi.operations import read_operations, title_of
from graph.views import EndpointSummary
from tests.unit.evaluation.openapi.shop import document, operation, write
from wire.endpoint import Verb

SCHEMA = {"type": "object", "properties": {"lines": {"type": "array"}, "currency": {}}}


def read(folder: Path, item: Any, **more: Any) -> tuple[EndpointSummary, ...]:
    return read_operations(read_document(write(folder / "a.json", document("Shop", {"/p": item}, **more))), "shop")


def members(folder: Path, item: Any, **more: Any) -> list[str]:
    return [name for name, _ in read(folder, item, **more)[0].properties]


def body(schema: Any, **more: Any) -> dict[str, Any]:
    return {"post": operation("", requestBody={"content": {"application/json": {"schema": schema, **more}}})}


def test_texts_and_names(tmp_path: Path) -> None:
    item = {"get": operation("List\n  all", description="Every one."), "x-internal": {}, "parameters": []}
    (found,) = read(tmp_path, item)
    assert (found.endpoint, found.label, found.description) == ("GET /p", "List all", "Every one.")
    assert (found.service, found.service_title, found.http_method) == ("shop", "Shop", "GET")


def test_verbs_follow_methods(tmp_path: Path) -> None:
    found = read(tmp_path, {name: operation(name) for name in ("get", "post", "put", "patch", "delete")})
    assert [item.verbs[0] for item in found] == [Verb.READ, Verb.CREATE, Verb.UPDATE, Verb.UPDATE, Verb.DELETE]
    assert [item.kind for item in found] == ["Function", *["Action"] * 4]


def test_parameters_of_path_and_operation(tmp_path: Path) -> None:
    reference = {"$ref": "#/components/parameters/page"}
    item = {"parameters": [{"name": "id", "in": "path"}], "get": operation("", parameters=[reference])}
    components = {"parameters": {"page": {"name": "page", "in": "query"}}}
    assert members(tmp_path, item, components=components) == ["id", "page"]


def test_a_body_of_openapi_3(tmp_path: Path) -> None:
    components = {"schemas": {"Order": SCHEMA}}
    schema = {"allOf": [{"$ref": "#/components/schemas/Order"}, {"properties": {"note": {}}}]}
    assert members(tmp_path, body(schema), components=components) == ["lines", "currency", "note"]


def test_a_body_of_swagger_2(tmp_path: Path) -> None:
    item = {"post": operation("", parameters=[{"in": "body", "name": "order", "schema": SCHEMA}])}
    assert members(tmp_path, item) == ["lines", "currency"]


def test_an_array_has_the_fields_of_its_items(tmp_path: Path) -> None:
    assert members(tmp_path, body({"type": "array", "items": SCHEMA})) == ["lines", "currency"]


def test_an_example_stands_in_for_a_missing_schema(tmp_path: Path) -> None:
    assert members(tmp_path, body(None, example={"total": 3})) == ["total"]
    assert members(tmp_path, body(SCHEMA, example={"total": 3})) == ["lines", "currency"]


def test_a_recursive_schema_ends(tmp_path: Path) -> None:
    node = {"properties": {"name": {}}, "items": {"$ref": "#/components/schemas/Node"}}
    assert members(tmp_path, body({"$ref": "#/components/schemas/Node"}), components={"schemas": {"Node": node}}) == [
        "name"
    ]


def test_a_path_that_is_no_mapping_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="paths /p is no mapping"):
        read(tmp_path, ["get"])


def test_a_document_without_a_title_is_called_as_its_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "depot" / "a.json", {"swagger": "2.0", "paths": {}})
    assert title_of(read_document(path)) == "depot"
