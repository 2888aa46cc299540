"""One run over OpenAPI catalogues: options in, one JSON out. Progress goes to standard error."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.openapi.errors import OpenApiError
from evaluation.openapi.tables import BASELINE, METHODS, OURS, openapi_tables
from graph.retrieval.errors import RetrievalError

DEFAULT_MODEL = "minilm-int8"
CACHE = Path("state/evaluation")
_SHOWN = ("recall@1", "recall@3", "recall@5", "recall@10", "ndcg@10", "complete_chain@10")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 1 when the default retriever loses to dense, 2 when something in the options or files is wrong."""
    options = _parser().parse_args(arguments)
    try:
        found = openapi_tables(
            options.catalogue,
            options.model,
            methods=tuple(dict.fromkeys(options.method)) or METHODS,
            cache=options.cache / "vectors",
            seed=options.seed,
            say=_say,
        )
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except (OpenApiError, RetrievalError, OSError) as error:
        _say(f"evaluation.openapi: {error}")
        return 2
    sys.stdout.write("\n".join(lines_of(found)) + "\n")
    return 1 if any(row["a"] == OURS for row in found["losses"]) else 0


def lines_of(found: dict[str, Any]) -> list[str]:
    """The table for people, and what our retriever loses to dense."""
    lines = [f"{'group':38}{'method':14}{'n':>5}" + "".join(f"{name:>19}" for name in _SHOWN)]
    groups = next(iter(found["results"].values()))
    for group in groups:
        for method, table in found["results"].items():
            values = table[group]
            lines.append(f"{group:38}{method:14}{values['n']:5}" + "".join(f"{values[name]:19.3f}" for name in _SHOWN))
    losses = [row for row in found["losses"] if row["a"] == OURS]
    lines += [f"LOSS {row['type']} {row['metric']}: {row['delta']:+.3f}, p = {row['p']:.4f}" for row in losses]
    return [*lines, f"{OURS} against {BASELINE}: {len(losses)} significant losses"]


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.openapi",
        description="Score retrievers on OpenAPI catalogues without a process layer.",
    )
    parser.add_argument(
        "--catalogue", type=Path, required=True, metavar="DIR", help="folder with OpenAPI documents and queries"
    )
    parser.add_argument("--json", type=Path, required=True, metavar="FILE", help="where everything is written")
    parser.add_argument(
        "--method", action="append", default=[], metavar="NAME", help=f"repeats (default: {', '.join(METHODS)})"
    )
    parser.add_argument("--model", default=DEFAULT_MODEL, metavar="NAME", help="embedding model (default: %(default)s)")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="keeps vectors (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the randomisation tests (default: %(default)s)")
    return parser
