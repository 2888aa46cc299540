"""Fit the weights that fuse what is known of an endpoint into one score, on benchmark queries, and say what they are worth.

    python -m evaluation.fit_weights --on BENCH METADATA [--on BENCH METADATA …] [--split train] [--left-out] [--write FILE]

Each query is a choice among endpoints: the loss is minus the logarithm of the share that the golds and their twins have under
a softmax of the scores, plus ``DECAY`` times the squared weights; no weight is below 0. Deterministic. ``--left-out`` fits
once without each process and ranks its queries with those weights (queries without a process are split by their id).
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import numpy as np
import numpy.typing as npt

from evaluation.retrieval.bench import Bench, Query, load_bench
from evaluation.retrieval.command import CACHE, DEFAULT_MODEL
from evaluation.retrieval.ranking import rank_all, spelling
from evaluation.retrieval.scoring import score_all
from evaluation.retrieval.tuned import fold_of
from evaluation.retrieval.world import World, build_world
from graph.embeddings import make_embedder
from graph.retrieval.base import Corpus
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.reading import feature_matrix
from graph.retrieval.weights import FEATURES, Weights

DECAY = 0.005
START = 2.0
CANDIDATES = 400
"""Endpoints a query is fitted on: the best of the committed weights, and all golds."""
_STEPS = 2000
_STILL = 1e-9

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """One query: candidates x features, and which candidates are right."""

    query: Query
    features: Array
    right: npt.NDArray[np.bool_]


def examples_of(corpus: Corpus, world: World, bench: Bench) -> list[Example]:
    """Every query with gold. Endpoints of its ``also`` that stand for no gold are no candidates."""
    names = spelling(bench, world.view)
    spelt = [names[item.service, item.endpoint] for item in corpus.endpoints]
    weights = Weights()
    committed = np.array([weights.features[name] for name in FEATURES])
    found = []
    for query in bench.scored:
        golds = set(query.gold).union(*(bench.twins.get(gold, frozenset()) for gold in query.gold))
        matrix = feature_matrix(corpus, weights, query.text)
        right = np.array([name in golds for name in spelt])
        silent = np.array([name in query.also and name not in golds for name in spelt])
        order = np.argsort(-(matrix @ committed), kind="stable")[:CANDIDATES]
        rows = np.array(
            sorted({*order.tolist(), *np.flatnonzero(right).tolist()} - set(np.flatnonzero(silent).tolist()))
        )
        if right[rows].any():
            found.append(Example(query, matrix[rows], right[rows]))
    return found


def loss(examples: Sequence[Example], weights: Array) -> tuple[float, Array]:
    """The mean loss and its gradient."""
    total, slope = 0.0, np.zeros_like(weights)
    for example in examples:
        scores = example.features @ weights
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        of_right = max(float(shares[example.right].sum()), 1e-300)
        total -= float(np.log(of_right))
        slope += (shares - np.where(example.right, shares / of_right, 0.0)) @ example.features
    count = len(examples)
    return total / count + DECAY * float(weights @ weights), slope / count + 2 * DECAY * weights


def fit(examples: Sequence[Example]) -> Mapping[str, float]:
    """Weights by feature: projected gradient with a halving step."""
    weights = np.full(len(FEATURES), START)
    value, slope = loss(examples, weights)
    step = 1.0
    for _ in range(_STEPS):
        while True:
            tried = np.maximum(weights - step * slope, 0.0)
            next_value, next_slope = loss(examples, tried)
            if next_value <= value - 1e-4 * float(slope @ (weights - tried)) or step < _STILL:
                break
            step /= 2
        moved = value - next_value
        weights, value, slope, step = tried, next_value, next_slope, step * 2
        if moved < _STILL:
            break
    return {name: round(float(weight), 2) for name, weight in zip(FEATURES, weights, strict=True)}


def left_out(corpus: Corpus, world: World, bench: Bench, examples: Sequence[Example]) -> Mapping[str, float]:
    """Means over all queries, each ranked with weights that were fitted without its process."""
    names = spelling(bench, world.view)
    scores: dict[str, Mapping[str, float]] = {}
    for fold in sorted({fold_of(query) for query in bench.scored}):
        found = fit([example for example in examples if fold_of(example.query) != fold])
        method = CountersignRetriever(corpus, replace(Weights(), features=found))
        mine = [query for query in bench.scored if fold_of(query) == fold]
        scores |= score_all(rank_all(method, mine, names, timed=False).judged(bench))
    shown = ("recall@1", "recall@3", "recall@5", "recall@10", "complete_chain@5", "mrr")
    return {metric: round(mean(row[metric] for row in scores.values()), 3) for metric in shown}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fit_weights", description=__doc__.split("\n")[0])
    parser.add_argument("--on", nargs=2, type=Path, action="append", required=True, metavar=("BENCH", "METADATA"))
    parser.add_argument("--split", default="train")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--left-out", action="store_true", help="rank each process with weights fitted without it")
    parser.add_argument("--write", type=Path, help="the file of the weights, graph/data/fusion.json")
    chosen = parser.parse_args(arguments)
    examples: list[Example] = []
    for folder, metadata in chosen.on:
        bench = load_bench([folder]).of_split(chosen.split)
        with tempfile.TemporaryDirectory(prefix="fit-") as work:
            embedder = make_embedder(chosen.model)
            world = build_world(
                [folder], metadata, embedder, Path(work), chosen.cache, lambda line: print(line, file=sys.stderr)
            )
            corpus = world.corpus()
            own = examples_of(corpus, world, bench)
            if chosen.left_out:
                print(folder, json.dumps(left_out(corpus, world, bench, own)))
            examples += own
    weights = fit(examples)
    print(json.dumps(weights))
    if chosen.write:
        told = {"made_by": "python -m evaluation.fit_weights", "queries": len(examples), "weights": weights}
        chosen.write.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
