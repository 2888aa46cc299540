"""Plays generated histories: ``python -m evaluation.histories --count 100000 --seed N --json OUT``.

``--jobs`` processes share them; OUT is written again after every chunk, so that a run that is stopped has its counts.
``--replay INDEX --keep 0,3`` plays one history with some of its events; ``--mutants`` lets faults into the product instead and
says how soon the oracle sees each. Exit code 1 when a history fails or a mutant stays unseen.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.histories.generator import Focus, generate
from evaluation.histories.mutants import MUTANTS
from evaluation.histories.play import play
from evaluation.histories.run import Tally, first_fault, play_chunk, shrink
from evaluation.histories.world import Stage

CHUNK = 96


def main() -> int:
    """Exit code as the module says."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.histories", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first history")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="OUT")
    parser.add_argument("--replay", type=int, metavar="INDEX")
    parser.add_argument("--keep", default="", metavar="PLACES", help="with --replay: places of the events to keep")
    parser.add_argument("--mutants", action="store_true")
    given = parser.parse_args()
    if given.replay is not None:
        return _replay(given.seed, given.replay, given.keep)
    return _mutants(given) if given.mutants else _count(given)


def _count(given: argparse.Namespace) -> int:
    tally, begun = Tally(), time.monotonic()
    chunks = [
        (given.seed, start, min(start + CHUNK, given.first + given.count))
        for start in range(given.first, given.first + given.count, CHUNK)
    ]
    for done in _played(chunks, given.jobs):
        tally.merge(done)
        seconds = time.monotonic() - begun
        report = {"seed": given.seed, "first": given.first, "count": given.count, "jobs": given.jobs}
        report |= {"seconds": round(seconds, 1)} | tally.report()
        _write(given.json, report)
        print(
            f"\r{tally.histories} of {given.count}, {seconds:.0f} s, {len(tally.faults)} failed",
            end="",
            file=sys.stderr,
        )
    print(file=sys.stderr)
    print(
        f"{tally.histories} histories, {tally.effects} writes took effect, {tally.wrong_effects} histories with a wrong one"
        f" (at most {tally.report()['upper_95']:.2e}); {tally.owed - tally.missed} of {tally.owed} owed ones came"
    )
    for fault in tally.faults[:10]:
        print(fault)
    return 1 if tally.faults else 0


def _played(chunks: list[tuple[int, int, int]], jobs: int) -> Iterator[Tally]:
    if jobs < 2:
        yield from map(play_chunk, chunks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(play_chunk, chunks)


def _replay(seed: int, index: int, keep: str) -> int:
    """Play one history and say what happened; one that fails is made small first."""
    history = generate(seed, index)
    if keep:
        history = history.only([int(place) for place in keep.split(",")])
    stage = Stage()
    verdict = play(stage, history, verify=True)
    if verdict.fault:
        history = shrink(history, lambda tried: bool(play(stage, tried, verify=True).fault))
        verdict = play(stage, history, verify=True)
    print(f"scene {history.scene}")
    for event in history.events:
        print(f"  +{event.after:.1f} s  run {event.run}  {event.kind}{'' if event.look else '  (nobody polls yet)'}")
    print(f"{dict(verdict.outcomes)}, {verdict.effects} effects, runs {dict(verdict.states)}")
    print(f"{history.command()}\n{verdict.fault}" if verdict.fault else "nothing is wrong")
    return 1 if verdict.fault else 0


def _mutants(given: argparse.Namespace) -> int:
    """How soon each fault is seen, in histories of all kinds and in such as it is likely to show in."""
    found: dict[str, Any] = {}
    indices = range(given.first, given.first + given.count)
    for mutant in MUTANTS.values():
        row: dict[str, Any] = {"undone": mutant.undone}
        for column, focus in (("plain", None), ("focused", Focus(mutant.likely, mutant.scenes))):
            fault = first_fault(mutant.wiring(), given.seed, indices, focus)
            row[column] = None if fault is None else {"after": fault[0].index + 1 - given.first, "said": fault[1]}
            row[column] = row[column] and row[column] | {
                "events": [event.kind for event in fault[0].events] if fault else []
            }
        found[mutant.name] = row
        seen = " ".join(f"{c}: {row[c]['after'] if row[c] else 'unseen'}" for c in ("plain", "focused"))
        print(f"{mutant.name}: {seen}", flush=True)
        _write(given.json, {"seed": given.seed, "count": given.count, "mutants": found})
    return 1 if any(row["plain"] is None and row["focused"] is None for row in found.values()) else 0


def _write(path: Path | None, report: dict[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
