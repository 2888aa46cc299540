"""The command over the catalogue that ships: what a stranger sees first."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluation.retrieval.bench import load_bench
from evaluation.retrieval.command import main
from evaluation.retrieval.scoring import score

ROOT = Path(__file__).resolve().parents[3]
CATALOGUE = ROOT / "catalogue"
METHODS = ("dense", "bm25", "hybrid", "bindings-only", "countersign")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    folder = tmp_path_factory.mktemp("retrieval")
    given = ["--bench", str(CATALOGUE), "--metadata", str(CATALOGUE / "services"), "--cache", str(folder)]
    methods = [word for name in METHODS for word in ("--method", name)]
    assert main([*given, *methods, "--json", str(folder / "found.json")]) == 0
    return json.loads((folder / "found.json").read_text(encoding="utf-8"))


def test_every_gold_is_in_the_catalogue(found: Mapping[str, Any]) -> None:
    assert found["missing_golds"] == {}


def test_rankings_can_be_scored_again(found: Mapping[str, Any]) -> None:
    bench = load_bench([CATALOGUE])
    rankings = found["rankings"]["countersign"]
    again = [score([tuple(name) for name in rankings[query.id]], query, bench.twins) for query in bench.scored]
    mean = sum(values["recall@3"] for values in again) / len(again)
    assert mean == pytest.approx(found["results"]["countersign"]["all"]["recall@3"], abs=1e-6)
    assert all(len(names) >= 20 for by_query in found["rankings"].values() for names in by_query.values())


def test_ours_finds_more_than_dense(found: Mapping[str, Any]) -> None:
    for kind in ("probe", "non_probe"):
        ours, dense = (found["results"][name][kind]["recall@3"] for name in ("countersign", "dense"))
        assert ours > dense
