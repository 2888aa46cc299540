"""Documents of both formats are read; what cannot be read is one error that names the file."""

from pathlib import Path

import pytest

from evaluation.openapi.document import read_document
from evaluation.openapi.errors import DocumentError
from tests.unit.evaluation.openapi.shop import ORDERS, write

YAML = """
openapi: 3.1.0
info: {title: Orders}
paths:
  /orders:
    get:
      summary: no
      responses: {200: {description: fine}}
"""


def test_json_is_read(tmp_path: Path) -> None:
    assert read_document(write(tmp_path / "a.json", ORDERS)).root == ORDERS


@pytest.mark.parametrize("suffix", [".yaml", ".yml"])
def test_yaml_keeps_what_is_written(suffix: str, tmp_path: Path) -> None:
    found = read_document(write(tmp_path / f"a{suffix}", YAML)).root["paths"]["/orders"]["get"]
    assert found == {"summary": "no", "responses": {"200": {"description": "fine"}}}


def test_a_yaml_tag_builds_no_object(tmp_path: Path) -> None:
    found = read_document(write(tmp_path / "a.yaml", YAML + "x-evil: !!python/object/apply:os.getpid []\n"))
    assert found.root["x-evil"] == []


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.json", "{", "not readable as JSON"),
        ("a.yaml", "a: [", "not readable as YAML"),
        ("a.json", "[]", "neither 'openapi: 3.x' nor 'swagger: 2.0'"),
        ("a.json", '{"openapi": "4.0", "paths": {}}', "neither"),
        ("a.json", '{"swagger": "2.0"}', "no mapping under 'paths'"),
        ("a.json", "[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_files_are_one_error(name: str, text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=reason) as told:
        read_document(write(tmp_path / name, text))
    assert str(tmp_path / name) in str(told.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.json"):
        read_document(tmp_path / "none.json")


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="more than the 10"):
        read_document(write(tmp_path / "a.json", ORDERS), most_bytes=10)


def resolve(tmp_path: Path, target: object, reference: object = "#/components/x~1y/0") -> object:
    root = {**ORDERS, "components": {"x/y": [target]}}
    return read_document(write(tmp_path / "a.json", root)).resolve({"$ref": reference}, "GET /orders")


def test_a_local_reference_is_followed(tmp_path: Path) -> None:
    assert resolve(tmp_path, {"name": "id"}) == {"name": "id"}


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("#/components/none", "leads nowhere"),
        ("other.json#/x", "is not local"),
        (7, "is not local"),
        ("#/paths/~1orders/get/summary", "no mapping"),
    ],
)
def test_a_bad_reference_is_one_error(reference: object, reason: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=rf"GET /orders.*{reason}"):
        resolve(tmp_path, {}, reference)


def test_references_in_a_circle_end(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="in a circle"):
        resolve(tmp_path, {"$ref": "#/components/x~1y/0"})
