"""``python -m evaluation.bench [--only NAME …] [--json FILE]``: all measures in one run.

A goal that is missed is reported, and the exit code stays 0. Exit code 1: a group could not be measured; 2: wrong arguments.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from evaluation.bench.bench import Bench
from evaluation.bench.measure import Measure
from evaluation.bench.registry import GROUPS, Group
from evaluation.bench.report import group_lines, report_json, summary_line
from settings import REPOSITORY


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write the JSON where one is asked for."""
    options = _parser().parse_args(arguments)
    chosen = [group for group in GROUPS if not options.only or group.name in options.only]
    _say(
        f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}; others' load shows in wall times, not in ratios"
    )
    measured: dict[str, list[Measure]] = {}
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="countersign-bench-") as folder:
        bench = Bench(Path(folder), REPOSITORY, options.rounds, options.batch)
        for group in chosen:
            try:
                measured[group.name] = _run(group, bench)
            except Exception as error:  # one group that fails must not cost the others their result
                if options.debug:
                    raise
                failed[group.name] = f"{type(error).__name__}: {error}"
                _say(f"\n{group.name}: NOT MEASURED: {failed[group.name]}")
    _say(summary_line([m for measures in measured.values() for m in measures]))
    if options.json:
        text = json.dumps(report_json(measured, failed), indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 1 if failed else 0


def _run(group: Group, bench: Bench) -> list[Measure]:
    start = time.monotonic()
    measures = group.run(bench)
    for line in group_lines(group, measures, time.monotonic() - start):
        _say(line)
    return measures


def _parser() -> argparse.ArgumentParser:
    names = [group.name for group in GROUPS]
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench", description="Measures of the whole system.")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON, too")
    parser.add_argument("--rounds", type=_positive, default=4, help="batches on each side (default: 4)")
    parser.add_argument("--batch", type=_positive, default=5, help="runs a batch (default: 5)")
    parser.add_argument("--debug", action="store_true", help="stop at the first failure with its stack trace")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the SDK's native threads can crash the interpreter while it ends (sdk-python#300)
