"""One run of the evaluation: options in, one JSON out. Progress goes to standard error."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from evaluation.retrieval.bench import Bench, load_bench
from evaluation.retrieval.controls import METHODS as CONTROLLED
from evaluation.retrieval.controls import backward_rows, left_out_rows, placebo_rows
from evaluation.retrieval.errors import EvaluationError, UnknownChoice
from evaluation.retrieval.run import run_methods, tell
from evaluation.retrieval.world import World, build_world
from graph.embeddings import make_embedder
from graph.errors import GraphError
from graph.retrieval.errors import RetrievalError
from graph.retrieval.factory import NAMES

DEFAULT_MODEL = "minilm-int8"
CACHE = Path("state/evaluation")
CONVENTION = (
    "p: two-sided sign-flip randomisation over queries, (b+1)/(m+1) with m = 9999; p_by_process: signs flipped by process; "
    "ci: 95 % percentile bootstrap over processes, 9999 draws; p_holm: Holm over the metrics of one pair and type"
)


@dataclass(frozen=True)
class Request:
    """What a run is asked for. ``methods`` empty = all, with the controls."""

    benches: tuple[Path, ...]
    metadata: Path
    split: str | None = None
    methods: tuple[str, ...] = ()
    model: str = DEFAULT_MODEL
    cache: Path = CACHE
    seed: int = 0


@contextmanager
def prepared(request: Request, say: Callable[[str], None]) -> Iterator[tuple[World, Bench]]:
    """The graph and the queries of a request. Raises ``EvaluationError``, ``GraphError``, ``RetrievalError``, ``OSError``."""
    unknown = [name for name in request.methods if name not in NAMES]
    if unknown:
        raise UnknownChoice(f"method {unknown[0]!r}: known are {', '.join(NAMES)}")
    bench = load_bench(request.benches).of_split(request.split)
    if not bench.scored:
        raise UnknownChoice(
            "no query to score: queries.jsonl holds none of this choice, or only ones that are out of scope"
        )
    embedder = make_embedder(request.model)
    with tempfile.TemporaryDirectory(prefix="retrieval-") as work:
        yield build_world(request.benches, request.metadata, embedder, Path(work), request.cache, say), bench


def evaluate(request: Request, say: Callable[[str], None]) -> dict[str, Any]:
    """Everything that FILE holds. Raises as ``prepared``."""
    begun = perf_counter()
    with prepared(request, say) as (world, bench):
        run = run_methods(world, bench, request.methods or NAMES)
        found = {**asked_for(request, world), **tell(run, request.seed)}
        if not request.methods:
            found["controls"] |= controls(world, bench)
    return {**found, "convention": CONVENTION, "seconds": round(perf_counter() - begun, 1)}


def asked_for(request: Request, world: World) -> dict[str, Any]:
    """What was run on what."""
    return {
        "bench": [str(path) for path in request.benches],
        "metadata": str(request.metadata),
        "split": request.split,
        "model": {"name": request.model, **asdict(world.embedder.fingerprint)},
        "graph": world.view.graph_hash,
        "endpoints": len(world.view.endpoints()),
    }


def controls(world: World, bench: Bench) -> dict[str, Any]:
    """Graphs with other sequence edges, and the graph that lacks the process asked about."""
    return {
        "placebo": placebo_rows(world, bench, CONTROLLED),
        "backward": backward_rows(world, bench, CONTROLLED),
        "left_out": left_out_rows(world, bench, CONTROLLED),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 2 with one line when something in it, or in the files, is wrong."""
    options = _parser().parse_args(arguments)
    request = Request(
        tuple(options.bench),
        options.metadata,
        options.split,
        tuple(options.method),
        options.model,
        options.cache,
        options.seed,
    )
    try:
        if options.json.is_dir():
            raise UnknownChoice(f"--json {options.json}: a folder; name a file in it")
        found = evaluate(request, _say)
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except (EvaluationError, GraphError, RetrievalError, OSError) as error:
        _say(f"evaluation.retrieval: {error}")
        return 2
    sys.stdout.write("\n".join(lines_of(found)) + "\n")
    return 0


def lines_of(found: dict[str, Any]) -> list[str]:
    """The main table in words."""
    head = f"{'method':20}{'type':18}{'n':>5}" + "".join(f"{name:>19}" for name in _SHOWN)
    rows = [
        f"{method:20}{kind:18}{table['n']:5}" + "".join(f"{table[name]:19.3f}" for name in _SHOWN)
        for method, kinds in found["results"].items()
        for kind, table in kinds.items()
        if kind in ("probe", "non_probe", "all")
    ]
    return [head, *rows, f"{found['queries']} queries, {found['endpoints']} endpoints, {found['seconds']} s"]


_SHOWN = ("recall@1", "recall@3", "recall@5", "ndcg@10", "complete_chain@5")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.retrieval", description="Score retrievers on benchmarks."
    )
    parser.add_argument(
        "--bench", type=Path, action="append", required=True, metavar="DIR", help="repeats; folders add up"
    )
    parser.add_argument("--metadata", type=Path, required=True, metavar="DIR", help="folder of the services' metadata")
    parser.add_argument("--split", metavar="NAME", help="only the queries of this split")
    parser.add_argument(
        "--method",
        action="append",
        default=[],
        metavar="NAME",
        help=f"repeats; without: all, with controls ({', '.join(NAMES)})",
    )
    parser.add_argument("--model", default=DEFAULT_MODEL, metavar="NAME", help="embedding model (default: %(default)s)")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="keeps vectors (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the randomisation tests (default: %(default)s)")
    parser.add_argument("--json", type=Path, required=True, metavar="FILE", help="where everything is written")
    return parser
