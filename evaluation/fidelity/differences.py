"""Differences to other programs: ``python -m evaluation.fidelity.differences DIR [--json FILE]``.

Counts the elements of each class that the graph holds per file beside those that pyodata (V2), odatapy (V4) and SpiffWorkflow
(BPMN) find, where these are installed, and prints the files and classes where they differ or the program cannot read the
file. It judges nothing: why they differ is told in docs/evaluation-fidelity.md.
"""

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from embedded.odata_service.csdl import protocol_of
from embedded.odata_service.csdl_xml import parse_metadata
from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.held import KEY_LENGTH, graphs_by_key, held_facts
from evaluation.fidelity.others import Counter, Counts, installed
from evaluation.fidelity.readable import kind_of
from evaluation.fidelity.reading import SUFFIXES
from graph.ingest import ingest
from graph.snapshot import open_store

# Positions of the parts of a fact that name one element; one part where nothing else is said.
_ELEMENT = {"keys": 3, **dict.fromkeys(("gateways", "events", "boundary_events", "call_activities"), 3)}


@dataclass(frozen=True)
class Difference:
    """``theirs`` is None when the program could not read the file; ``note`` is then what it said."""

    program: str
    file: str
    name: str
    ours: int
    theirs: int | None
    note: str = ""


@dataclass
class Tally:
    """Files that a program was given, and how many of them it read."""

    given: int = 0
    read: int = 0
    equal: int = 0


def counted(held: FactTable, key: str) -> Counts:
    """Elements of one file by class."""
    found: Counts = {}
    for name, facts in held:
        width = _ELEMENT.get(name, 2)
        mine = {fact[:width] for fact in facts if fact[0] == key}
        if name == "associations":
            mine = {fact for fact in mine if "/" not in fact[1]}
        found[name] = len(mine)
    return found


def differences(folder: Path, scratch: Path) -> tuple[list[Difference], dict[str, Tally]]:
    """All differences of the files below ``folder``, and a tally per program."""
    ingest([folder], scratch)
    store = open_store(scratch)[0]
    graphs = graphs_by_key(store)
    tallies = {name: Tally() for name in installed()}
    found: list[Difference] = []
    for path in sorted(item for item in folder.rglob("*") if item.suffix.lower() in SUFFIXES and item.is_file()):
        data, shown = path.read_bytes(), path.relative_to(folder).as_posix()
        key, actual = sha256(data).hexdigest()[:KEY_LENGTH], _kind(data, shown)
        for name, (kind, counter) in installed().items():
            if kind == actual:
                ours = counted(held_facts(store, graphs.get(key, [])), key)
                found += _compare(name, counter, data, shown, ours, tallies[name])
    return found, tallies


def _kind(data: bytes, shown: str) -> str:
    kind = kind_of(data).name
    if kind != "csdl":
        return kind
    return "V4" if protocol_of(parse_metadata(data, shown)).startswith("4") else "V2"


def _compare(
    program: str, counter: Counter, data: bytes, shown: str, ours: Counts, tally: Tally
) -> Iterator[Difference]:
    tally.given += 1
    try:
        theirs = counter(data)
    except Exception as error:  # whatever a foreign parser raises is its answer
        yield Difference(
            program, shown, "file", 1, None, f"{type(error).__name__}: {' '.join(str(error).split())}"[:160]
        )
        return
    tally.read += 1
    told = [Difference(program, shown, name, ours.get(name, 0), number) for name, number in theirs.items()]
    unequal = [item for item in told if item.ours != item.theirs]
    tally.equal += not unequal
    yield from unequal


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 0 also where programs differ; 2 when none of them is installed."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.fidelity.differences", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("folder", type=Path, help="folder of .edmx, .xml and .bpmn files")
    parser.add_argument("--json", type=Path, help="where the result goes")
    options = parser.parse_args(arguments)
    if not installed():
        print("none of pyodata, odatapy, SpiffWorkflow is installed; install one to compare with it", file=sys.stderr)
        return 2
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="differences-") as scratch:
        found, tallies = differences(options.folder, Path(scratch))
    for item in found:
        theirs = item.note if item.theirs is None else str(item.theirs)
        print(f"{item.program:14} {item.file:50} {item.name:22} {item.ours:>6} {theirs}")
    for name, tally in tallies.items():
        print(f"{name}: {tally.given} files, {tally.read} read, {tally.equal} with the same counts in every class")
    if options.json is not None:
        told = {"differences": [asdict(item) for item in found], "programs": {n: asdict(t) for n, t in tallies.items()}}
        options.json.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
