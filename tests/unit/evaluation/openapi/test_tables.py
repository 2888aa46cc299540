"""The tables hold every method, group and comparison, and name a loss; the command says what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.openapi.command import lines_of, main
from evaluation.openapi.errors import CatalogueError
from evaluation.openapi.rank import Row
from evaluation.openapi.tables import METRICS, compare_pair, groups_of, means, openapi_tables, pairs_of
from evaluation.openapi.view import CatalogueView
from graph.errors import UnknownEndpoint
from tests.unit.evaluation.openapi.shop import write_bench
from wire.endpoint import Verb


def row(number: int, ours: float, dense: float, scope: str = "sector", sector: str = "energy") -> Row:
    values = {"countersign": dict.fromkeys(METRICS, ours), "dense": dict.fromkeys(METRICS, dense)}
    return Row("socks", scope, f"q{number}", sector, f"catalogue {number % 6}", values)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    return openapi_tables(write_bench(folder / "socks"), "minilm-int8", cache=folder / "vectors")


def test_every_method_has_every_group(found: dict[str, Any]) -> None:
    assert list(found["results"]) == ["dense", "tokens", "bm25", "hybrid", "countersign"]
    groups = {name: table["n"] for name, table in found["results"]["countersign"].items()}
    assert groups == {"socks": 3, "socks whole": 3, "socks energy": 1, "socks trade": 2}


def test_retrievers_run_unchanged_and_find(found: dict[str, Any]) -> None:
    assert found["results"]["countersign"]["socks energy"]["recall@1"] == 1
    assert all(table["socks"]["recall@10"] == 1 for name, table in found["results"].items() if name != "bm25")


def test_hybrid_without_a_process_layer_is_dense(found: dict[str, Any]) -> None:
    assert found["results"]["hybrid"] == found["results"]["dense"]


def test_the_model_is_told_with_its_fingerprint(found: dict[str, Any]) -> None:
    assert (found["model"]["name"], found["model"]["dims"]) == ("minilm-int8", 384)


def test_groups_are_benchmark_whole_and_sectors() -> None:
    rows = [row(1, 1, 1), row(2, 1, 1, sector="water"), row(1, 1, 1, scope="whole")]
    assert {name: len(held) for name, held in groups_of(rows).items()} == {
        "socks": 2,
        "socks whole": 1,
        "socks energy": 1,
        "socks water": 1,
    }


def test_one_sector_is_no_group_of_its_own() -> None:
    assert list(groups_of([row(1, 1, 1)])) == ["socks"]


def test_means_are_over_the_rows_of_a_group() -> None:
    table = means(["dense"], {"socks": [row(1, 1, 0), row(2, 1, 0.5)]})["dense"]["socks"]
    assert (table["n"], table["recall@3"]) == (2, 0.25)


def test_a_loss_has_its_sign_and_its_interval() -> None:
    rows = [row(number, 0, 1) for number in range(24)]
    found = compare_pair("countersign", "dense", {"socks": rows}, seed=0)
    assert [item["metric"] for item in found] == list(METRICS)
    assert all(item["delta"] == item["ci_high"] == -1 and item["p"] < 0.01 for item in found)


@pytest.mark.parametrize(("count", "clusters"), [(24, 6), (4, 4)])
def test_clusters_are_catalogues_while_there_are_enough(count: int, clusters: int) -> None:
    rows = [row(number, 1, 0) for number in range(count)]
    assert compare_pair("countersign", "dense", {"socks": rows}, seed=0)[0]["clusters"] == clusters


def test_pairs_are_ours_with_each_and_each_with_dense() -> None:
    assert pairs_of(("dense", "bm25", "countersign")) == [
        ("countersign", "dense"),
        ("countersign", "bm25"),
        ("bm25", "dense"),
    ]


def test_an_unknown_method_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="'magic'"):
        openapi_tables(tmp_path, "minilm-int8", methods=("magic",))


def test_the_command_writes_what_it_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench, file = write_bench(tmp_path / "socks"), tmp_path / "out" / "found.json"
    options = ["--catalogue", str(bench), "--json", str(file), "--cache", str(tmp_path), "--method", "bm25"]
    assert main(options) == 0
    assert lines_of(json.loads(file.read_text()))[1] in capsys.readouterr().out


def test_the_command_says_what_it_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--catalogue", str(tmp_path / "none"), "--json", str(tmp_path / "x.json")]) == 2
    assert "none: no such folder" in capsys.readouterr().err


def test_a_catalogue_has_no_contracts() -> None:
    with pytest.raises(UnknownEndpoint, match="searched only"):
        CatalogueView(()).contract("Orders", "GET /status", Verb.READ)
