"""Folders become catalogues: sectors, the whole of them, and single documents; golds are resolved or named."""

from pathlib import Path

import pytest

from evaluation.openapi.catalogue import Catalogue, read_catalogues
from evaluation.openapi.errors import CatalogueError
from tests.unit.evaluation.openapi.shop import ORDERS, document, operation, queries, write, write_bench


def read(root: Path) -> dict[tuple[str, str], Catalogue]:
    return {(item.name, item.scope): item for item in read_catalogues(write_bench(root))}


def test_sectors_and_their_whole(tmp_path: Path) -> None:
    sizes = {key: len(item.operations) for key, item in read(tmp_path).items()}
    assert sizes == {("set/energy", "sector"): 1, ("set/trade", "sector"): 6, ("set", "whole"): 7}


def test_the_whole_asks_the_same_queries(tmp_path: Path) -> None:
    found = read(tmp_path)
    parts = (*found["set/energy", "sector"].queries, *found["set/trade", "sector"].queries)
    assert found["set", "whole"].queries == parts


def test_a_gold_is_found_whatever_its_parameters_are_called(tmp_path: Path) -> None:
    query = read(tmp_path)["set/trade", "sector"].queries[0]
    assert query.gold == (("Orders", "DELETE /orders/{id}"), ("Parcels", "GET /parcels/{id}/track"))
    assert (query.type, query.process) == ("trade", "set/trade")


def test_an_operation_of_several_services_is_one_gold(tmp_path: Path) -> None:
    query = read(tmp_path)["set/trade", "sector"].queries[1]
    assert query.gold == (("Orders", "GET /status"),)
    assert query.instead_of == {("Parcels", "GET /status"): frozenset(query.gold)}


def test_the_benchmark_is_the_folder_above_but_none_outside(tmp_path: Path) -> None:
    write_bench(tmp_path / "socks")
    assert {item.benchmark for item in read_catalogues(tmp_path)} == {"socks"}
    assert {item.benchmark for item in read_catalogues(tmp_path / "socks" / "set")} == {"set"}


def test_services_of_one_title_are_told_apart(tmp_path: Path) -> None:
    write_bench(tmp_path)
    write(tmp_path / "set" / "trade" / "z" / "openapi.json", ORDERS)
    assert {item.service for item in read_catalogues(tmp_path)[1].operations} == {"Orders", "Parcels", "Orders (2)"}


def test_one_document_with_queries_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "films_oas.json", document("Films", {"/film/{id}": {"get": operation("Details")}}))
    write(tmp_path / "films.json", [{"query": "what is it about?", "solution": [" GET /film/{film_id} "]}])
    (found,) = read_catalogues(tmp_path)
    assert (found.name, found.queries[0].gold) == ("films", (("Films", "GET /film/{id}"),))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (queries(("stop", ["GET /none"])), r"query 1: no document has the operation 'GET /none'"),
        (queries(("stop", [])), "query 1: names no operation"),
        ({"queries": [{"query": "stop"}]}, "lacks 'endpoints'"),
        ("{", "list of"),
    ],
)
def test_bad_queries_are_one_error(content: object, reason: str, tmp_path: Path) -> None:
    path = write(write_bench(tmp_path) / "set" / "trade" / "queries.json", content)
    with pytest.raises(CatalogueError, match=reason) as told:
        read_catalogues(tmp_path)
    assert str(path) in str(told.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"queries\.json"):
        read_catalogues(tmp_path)


def test_queries_without_documents_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "queries.json", queries(("stop", ["GET /none"])))
    with pytest.raises(CatalogueError, match="without an OpenAPI document"):
        read_catalogues(tmp_path)
