"""``python -m evaluation.retrieval.report``: every table of retrieval in one HTML page, and the numbers in one JSON."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from evaluation.openapi.errors import OpenApiError
from evaluation.openapi.tables import openapi_tables
from evaluation.retrieval.bench import Bench
from evaluation.retrieval.command import CACHE, CONVENTION, DEFAULT_MODEL, Request, asked_for, controls, prepared
from evaluation.retrieval.completeness import completeness
from evaluation.retrieval.errors import EvaluationError
from evaluation.retrieval.gains import gains
from evaluation.retrieval.goals import goals
from evaluation.retrieval.html import page
from evaluation.retrieval.ideas import idea_rows
from evaluation.retrieval.ranking import groups_of, open_methods
from evaluation.retrieval.run import results_of, run_methods, tell
from evaluation.retrieval.scale import SIZE, measure_at
from evaluation.retrieval.sections import sections
from evaluation.retrieval.tuned import tuned_rows
from evaluation.retrieval.world import World
from graph.embeddings import make_embedder
from graph.errors import GraphError
from graph.retrieval.errors import ModelNotFound, RetrievalError
from graph.retrieval.factory import NAMES

LEAD = ("dense", "hybrid", "countersign")
MODELS = (DEFAULT_MODEL, "minilm")


def report(request: Request, models: Sequence[str], openapi: Path | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Everything that the page shows. The first of ``models`` is that of all tables but one."""
    begun = perf_counter()
    with prepared(replace(request, model=models[0]), say) as (world, bench):
        groups = groups_of(bench)
        run = run_methods(world, bench, NAMES)
        found = {**asked_for(replace(request, model=models[0]), world), **tell(run, request.seed)}
        found["splits"] = {split: results_of(run, bench.of_split(split)) for split in _splits(bench)}
        found["gains"] = gains(run, "countersign", groups)
        found["controls"] |= controls(world, bench)
        others = {name: run.scores[name] for name in ("dense", "hybrid")}
        found["controls"]["tuned"] = tuned_rows(world, bench, others, seed=request.seed)
        found["ideas"] = idea_rows(world, bench, run.scores["countersign"], seed=request.seed)
        open_one = open_methods(world)
        say("contexts of the first five hits")
        found["completeness"] = {name: completeness(world.view, open_one(name), bench, groups) for name in LEAD}
        say("times")
        sizes = (len(world.view.endpoints()), SIZE)
        found["scale"] = [measure_at(world, bench, size, ("dense", "bm25", "hybrid", "countersign")) for size in sizes]
        found["sensitivity"], found["models_left_out"] = _sensitivity(world, bench, models, request.seed)
    if openapi is not None:
        cache = request.cache / "vectors"
        found["openapi"] = openapi_tables(openapi, models[0], cache=cache, seed=request.seed, say=say)
    found |= {"cores": os.cpu_count(), "load_average": list(os.getloadavg())}
    found["goals"] = goals(found)
    return {**found, "convention": CONVENTION, "seconds": round(perf_counter() - begun, 1)}


def _splits(bench: Bench) -> list[str]:
    return sorted({query.split for query in bench.scored if query.split})


def _sensitivity(world: World, bench: Bench, models: Sequence[str], seed: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Model -> results and comparisons of the three methods; and why a model is not in it."""
    found: dict[str, Any] = {}
    left: dict[str, str] = {}
    for name in dict.fromkeys(models):
        world.say(f"embedding model {name}")
        try:
            other = replace(world, embedder=make_embedder(name))
        except ModelNotFound as error:
            left[name] = str(error)
            continue
        told = tell(run_methods(other, bench, LEAD), seed)
        found[name] = {key: told[key] for key in ("results", "comparisons")}
    return found, left


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 2 with one line when something in it, or in the files, is wrong."""
    options = _parser().parse_args(arguments)
    request = Request(tuple(options.bench), options.metadata, options.split, cache=options.cache, seed=options.seed)
    try:
        found = report(request, options.model or MODELS, options.openapi, _say)
        for path in (options.html, options.json):
            path.parent.mkdir(parents=True, exist_ok=True)
        options.html.write_text(page("Retrieval", sections(found)), encoding="utf-8")
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except (EvaluationError, GraphError, RetrievalError, OpenApiError, OSError) as error:
        _say(f"evaluation.retrieval.report: {error}")
        return 2
    for goal in found["goals"]:
        verdict = {True: "met", False: "MISSED", None: ""}[goal["met"]]
        sys.stdout.write(f"{verdict:7}{goal['goal']}: {goal['measured']}\n")
    sys.stdout.write(f"{options.html} and {options.json} written in {found['seconds']} s\n")
    return 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.retrieval.report", description="All tables of retrieval as one page and one JSON."
    )
    parser.add_argument(
        "--bench", type=Path, action="append", required=True, metavar="DIR", help="repeats; folders add up"
    )
    parser.add_argument("--metadata", type=Path, required=True, metavar="DIR", help="folder of the services' metadata")
    parser.add_argument("--split", metavar="NAME", help="only the queries of this split")
    parser.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help=f"repeats; the first is the main one (default: {', '.join(MODELS)})",
    )
    parser.add_argument("--openapi", type=Path, metavar="DIR", help="folder of OpenAPI catalogues with queries")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="keeps vectors (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the randomisation tests (default: %(default)s)")
    parser.add_argument("--html", type=Path, required=True, metavar="FILE", help="the page")
    parser.add_argument("--json", type=Path, required=True, metavar="FILE", help="its numbers")
    return parser


if __name__ == "__main__":
    sys.exit(main())
