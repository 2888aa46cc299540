"""``python -m evaluation.differential --metadata DIR [--mutants N] --json FILE``: our verdicts beside those of other programs.

Exit code 1 when we accept what a target rejects (a mutant or a random expression), or refuse what all accept.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.differential.report import table_text
from evaluation.differential.run import Plan, run


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.differential", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--metadata", type=Path, required=True, help="folder of EDMX files")
    parser.add_argument("--mutants", type=int, default=20_000, help="at most so many in all (20000)")
    parser.add_argument("--endpoints", type=int, default=6, help="at most so many of each service (6)")
    parser.add_argument("--expressions", type=int, default=10_000, help="random expressions in all (10000)")
    parser.add_argument("--codes", type=Path, help="code lists (codes.csv)")
    parser.add_argument("--required", type=Path, help="required on create (required.csv)")
    parser.add_argument("--service", action="append", default=[], help="only these services, by file stem")
    parser.add_argument("--json", type=Path, required=True, help="where the result goes")
    options = parser.parse_args(arguments)
    plan = Plan(
        options.metadata,
        options.mutants,
        options.endpoints,
        frozenset(options.service),
        options.expressions,
        options.codes,
        options.required,
    )
    result = run(plan, lambda line: print(line, file=sys.stderr))
    options.json.write_text(json.dumps(result, indent=2, ensure_ascii=False, default=str), encoding="utf-8")
    print(table_text(result["table"]))
    for name in (
        "absent",
        "services",
        "valid",
        "neighbours",
        "mutants",
        "mutants_judged",
        "mutants_refused",
        "rule_named",
    ):
        print(f"{name}: {result[name]}")
    print(f"expressions: {result['expressions'].get('cells', {})}")
    wrong = len(result["wrong_accepts"]), len(result["wrong_refusals"])
    print(f"wrong accepts: {wrong[0]}, wrong refusals: {wrong[1]}")
    untyped = result["expressions"].get("cells", {}).get("only the target rejects", 0)
    return 0 if wrong == (0, 0) and not untyped else 1


if __name__ == "__main__":
    sys.exit(main())
