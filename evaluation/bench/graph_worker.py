"""One measure of the graph in a process of its own, so that its peak memory is its own: prints one JSON object.

``python -m evaluation.bench.graph_worker ingest ROOT SOURCE… | load FOLDER ROOT COUNT | copies FOLDER ROOT SETS |
contexts FOLDER``
"""

import json
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from pyoxigraph import Store

from evaluation.bench.graph_world import Services, entity_sets, open_copies, write_copies
from evaluation.bench.numbers import median, percentile
from graph.bulk_load import bulk_load
from graph.context_budget import Relevance, cut_to_budget
from graph.context_views import Wanted, views_of
from graph.ingest import ingest
from graph.reader import SnapshotReader
from graph.snapshot import open_store
from graph.store import EmbeddedStore
from graph.views import EndpointSummary

_SEED = 7
_CONTEXTS = 200
_ENDPOINTS = 5
_BUDGET = 24_000
_SERVICES = 40
"""Services that are read from triples, as without what stands beside a store."""


def ingest_once(root: str, *sources: str) -> dict[str, Any]:
    """Ingest, as the command does."""
    start = time.perf_counter()
    report = ingest([Path(source) for source in sources], Path(root))
    seconds = time.perf_counter() - start
    found = {"seconds": seconds, "quads": report.quads, "files": len(report.loaded), "unchanged": report.unchanged}
    return {**found, "violations": len(report.violations)}


def load(folder: str, root: str, wanted: str) -> dict[str, Any]:
    """Bulk load of ``wanted`` triples from copies of a snapshot, as an ingestion loads. Making the lines is not timed."""
    services = Services(EmbeddedStore(open_store(Path(root))[0]))
    lines: list[str] = []
    for copy in count():
        lines += services.copied(copy)
        if len(lines) >= int(wanted):
            break
    store = Store(folder)
    start = time.perf_counter()
    loaded = bulk_load(store, lines[: int(wanted)])
    return {"seconds": time.perf_counter() - start, "loaded": loaded, "held": len(store)}


def copies(folder: str, root: str, sets: str) -> dict[str, Any]:
    """A store of at least that many EntitySets, and what stands beside it."""
    Path(folder).mkdir()
    write_copies(Path(folder), EmbeddedStore(open_store(Path(root))[0]), int(sets))
    store = EmbeddedStore(Store.read_only(str(Path(folder) / "store")))
    return {"entity_sets": entity_sets(store), "quads": len(store.store)}


def contexts(folder: str) -> dict[str, Any]:
    """Typed contexts of five endpoints out of all of that store, in a process that has just opened it, and again."""
    start = time.perf_counter()
    reader = open_copies(Path(folder))
    endpoints = reader.endpoints()
    opened = time.perf_counter() - start
    chance = random.Random(_SEED)
    draws = [chance.sample(endpoints, _ENDPOINTS) for _ in range(_CONTEXTS)]
    rounds = {name: [_timed(_context, reader, draw) for draw in draws] for name in ("first", "again")}
    contracts = [
        _timed(reader.contract, item.service, item.endpoint, item.verbs[0])
        for draw in draws
        for item in draw
        if item.verbs
    ]
    triples = SnapshotReader(reader.store, "bench", "[]")
    services = [_timed(triples.metadata_digest, name) for name in chance.sample(reader.services(), _SERVICES)]
    rounds |= {"contract": contracts, "triples": services}
    found = {name: {"median": median(times), "p95": percentile(times, 0.95)} for name, times in rounds.items()}
    return {"opened": opened, "services": len(reader.services()), **found}


def _context(reader: SnapshotReader, endpoints: Sequence[EndpointSummary]) -> None:
    views = [
        view for rank, item in enumerate(endpoints) for view in views_of(reader, Wanted(item, rank, 0.0, None, ()))
    ]
    cut_to_budget(views, Relevance("create it", frozenset()), _BUDGET, lambda view: False)


def _timed(work: Callable[..., object], *arguments: object) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    work(*arguments)
    return (time.perf_counter() - start) * 1000


def main(arguments: Sequence[str]) -> int:
    """Run one measure; peak memory (MiB) is added to what it found."""
    name, *rest = arguments
    measures: dict[str, Callable[..., dict[str, Any]]] = {
        "ingest": ingest_once,
        "load": load,
        "copies": copies,
        "contexts": contexts,
    }
    found = measures[name](*rest)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({**found, "peak_mib": peak}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
