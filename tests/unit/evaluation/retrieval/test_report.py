"""Pieces of the report: gains by reason, weights chosen elsewhere, repeated catalogues, tables, plots, goals."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from evaluation.retrieval.bench import Bench, Query
from evaluation.retrieval.gains import gains
from evaluation.retrieval.goals import goals
from evaluation.retrieval.html import page, section, table, text
from evaluation.retrieval.ranking import Ranked
from evaluation.retrieval.run import Run, results_of
from evaluation.retrieval.scale import Scattered, repeated
from evaluation.retrieval.scoring import score_all
from evaluation.retrieval.svg import bars, curves
from evaluation.retrieval.tuned import best_for, fold_of, settings
from graph.embeddings import Embedder
from graph.retrieval.weights import Weights
from tests.unit.graph.search.shop import MemoryView

A, B, X = ("S", "a"), ("S", "b"), ("S", "x")
BENCH = Bench((Query("q", "text", "probe", split="dev", gold=(A, B)), Query("r", "text", "single", gold=(A,))), {})


@pytest.fixture
def run() -> Run:
    ranked = {
        "dense": Ranked("dense", {"q": [A, X], "r": [A]}),
        "hybrid": Ranked("hybrid", {"q": [A, X], "r": [A]}),
        "countersign": Ranked("countersign", {"q": [A, B], "r": [X, X]}, why={"q": {B: "follows"}, "r": {}}),
    }
    judged = {name: item.judged(BENCH) for name, item in ranked.items()}
    scope = dict.fromkeys(ranked, {"n": 1, "recognised": 1, "in_scope": 2, "false_alarms": 0})
    return Run(BENCH, ranked, judged, {name: score_all(item) for name, item in judged.items()}, scope, {})


def test_added_golds_are_counted_by_reason_and_lost_ones_too(run: Run) -> None:
    told = gains(run, "countersign", {"probe": ["q"], "single": ["r"]})
    assert told["probe"] == {
        "golds": 2,
        "added@3": {"follows": 1},
        "added@5": {"follows": 1},
        "evicted@3": 0,
        "evicted@5": 0,
    }
    assert (told["single"]["added@3"], told["single"]["evicted@3"]) == ({}, 1)


def test_results_of_a_split_are_over_its_queries(run: Run) -> None:
    told = results_of(run, BENCH.of_split("dev"))["countersign"]
    assert (told["all"]["n"], told["all"]["recall@3"]) == (1, 1.0)
    assert "out_of_scope" not in told
    assert results_of(run, BENCH)["countersign"]["out_of_scope"]["recognised"] == 1


def test_goals_that_are_missed_are_told_as_missed(run: Run) -> None:
    row = {"a": "countersign", "b": "dense", "type": "probe", "metric": "recall@3", "delta": 0.1, "p": 0.5, "n": 1}
    found = {
        "results": results_of(run, BENCH),
        "comparisons": [row | {"ci_low": -0.1, "ci_high": 0.3}],
        "controls": {"tuned": {"comparisons": []}},
        "sensitivity": {},
        "scale": [{"endpoints": 9, "ms": {"countersign": {"p95": 21.0, "cpu_p95": 19.0}}}],
    }
    verdicts = {goal["goal"]: goal["met"] for goal in goals(found)}
    assert verdicts["probe Recall@3, committed weights: countersign − dense at least +0.15, interval above 0"] is False
    assert verdicts["probe complete-chain@5 at least twice dense"] is True
    assert verdicts["p95 beyond encoding at 9 endpoints under 20 ms"] is False
    assert verdicts["no type loses more than one query (Recall@3)"] is True
    assert verdicts["no gold evicted at 3 on queries that ask for no chain"] is False


def test_every_number_of_the_weights_is_tried() -> None:
    names = [name for name, _ in settings(Weights())]
    assert names[0] == "committed"
    assert len(set(names)) == len(names) > 10
    assert len({weights for _, weights in settings(Weights())}) == len(names)


def test_the_best_setting_is_that_of_the_other_queries() -> None:
    good, bad = ({"recall@3": value, "complete_chain@5": value} for value in (1.0, 0.0))
    tried = {"committed": {"q": good, "r": bad, "s": bad}, "other": {"q": bad, "r": good, "s": bad}}
    assert best_for(tried, ["r"]) == "other"
    assert best_for(tried, ["q", "r"]) == "committed"
    assert best_for(tried, []) == "committed"


def test_a_fold_is_a_process() -> None:
    assert fold_of(Query("q", "text", "probe", process="P")) == "P"
    assert fold_of(Query("q", "text", "single")).startswith("part ")


def test_a_repeated_catalogue_has_other_names_and_the_same_texts() -> None:
    view = repeated(MemoryView(), 20)
    assert len({item.iri for item in view.endpoints()}) == 20
    assert {item.label for item in view.endpoints()} == {item.label for item in MemoryView().endpoints()}
    assert view.graph_hash != MemoryView().graph_hash


def test_texts_met_again_are_near_and_not_equal(onnx: Embedder, tmp_path: Path) -> None:
    vectors = Scattered(onnx, tmp_path).embed_passages(["order", "invoice", "order"])
    assert vectors[0] == pytest.approx(onnx.embed_passages(["order"])[0], abs=1e-5)
    assert 0.9 < float(vectors[0] @ vectors[2]) < 0.999
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_what_comes_from_outside_is_escaped() -> None:
    html = page("a & b", [section("<x>", text("<script>"), table(("<h>",), [("<c>", 1.0, True, None)]))])
    assert "<script>" not in html
    assert "<td>1.000</td>" in html
    assert "&lt;c&gt;" in html


def test_plots_are_well_formed_and_name_their_series() -> None:
    for plot in (bars({"a & b": {"dense": 0.5, "ours": 1.0}}), curves({"dense": {1: 0.1, 3: 0.9}, "ours": {1: 1.0}})):
        assert {"dense", "ours"} <= {element.text for element in ET.fromstring(plot).iter() if element.tag == "text"}
