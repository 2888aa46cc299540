"""Fidelity audit: ``python -m evaluation.fidelity DIR [--bindings FILE] [--json FILE] [--show N]``.

Ingests every .edmx, .xml and .bpmn file below DIR into a throw-away graph, reads the graph back and compares it with what
readers find that share no code with the ingester. Exit code 1 when a class is below 1.000 or a readable file was refused.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evaluation.fidelity.audit import Audit, audit


def report_of(found: Audit) -> dict[str, object]:
    """The result as JSON values: classes[name] = coverage, exactness, n; refused = file, reason."""
    classes = {
        result.name: {"coverage": result.coverage, "exactness": result.exactness, "n": result.reference}
        for result in found.results
    }
    refused = [{"file": item.file, "reason": item.reason} for item in found.refused]
    return {"files": found.files, "passed": found.passed, "classes": classes, "refused": refused}


def lines_of(found: Audit, show: int) -> list[str]:
    """The table for people, refusals below it."""
    lines = [f"{'class':26} {'coverage':>9} {'exactness':>9} {'n':>9}"]
    for result in found.results:
        lines.append(f"{result.name:26} {_rate(result.coverage)} {_rate(result.exactness)} {result.reference:>9}")
        missing, invented = found.examples.get(result.name, ([], []))
        lines += [f"    not held: {' | '.join(fact)}" for fact in missing[:show]]
        lines += [f"    invented: {' | '.join(fact)}" for fact in invented[:show]]
    lines += [
        f"refused {'' if item.allowed else 'AGAINST THE RULES '}{item.file}: {item.reason}" for item in found.refused
    ]
    verdict = "every fact is held, none invented" if found.passed else "the graph and the files differ"
    return [*lines, f"{found.files} files, {len(found.refused)} refused: {verdict}"]


def _rate(value: float) -> str:
    """Three digits, never rounded up to a full 1.000."""
    return f"{int(value * 1000) / 1000:>9.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fidelity", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="folder of .edmx, .xml and .bpmn files, searched at any depth")
    parser.add_argument("--bindings", type=Path, help="a bindings table beside those named bindings.csv in the folder")
    parser.add_argument("--json", type=Path, help="where the result goes")
    parser.add_argument("--show", type=int, default=3, help="differing facts shown per class (default 3)")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"{options.folder}: no such folder; give the folder that holds the files")
    if options.bindings is not None and not options.bindings.is_file():
        parser.error(f"--bindings {options.bindings}: no such file")
    with tempfile.TemporaryDirectory(prefix="fidelity-") as scratch:
        found = audit(options.folder, Path(scratch), options.bindings)
    if not found.files:
        parser.error(f"{options.folder}: no .edmx, .xml or .bpmn file below it, so nothing can be compared")
    print("\n".join(lines_of(found, options.show)))
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report_of(found), indent=2, ensure_ascii=False), encoding="utf-8")
    return 0 if found.passed else 1


if __name__ == "__main__":
    sys.exit(main())
