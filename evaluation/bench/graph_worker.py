"""One measure of the graph in a process of its own, so that its peak memory is its own: prints one JSON object.

``python -m evaluation.bench.graph_worker ingest ROOT SOURCE… | load FOLDER ROOT COUNT | contexts FOLDER ROOT SETS``
"""

import json
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain, count
from math import ceil
from pathlib import Path
from typing import Any

from pyoxigraph import Store

from evaluation.bench.graph_world import bulk_load, copied_lines, entity_sets, service_names
from evaluation.bench.numbers import median, percentile
from graph.context_budget import Relevance, cut_to_budget
from graph.context_views import Wanted, views_of
from graph.ingest import ingest
from graph.reader import SnapshotReader
from graph.snapshot import open_store
from graph.store import EmbeddedStore, Triples
from graph.summaries import read_summaries, to_json
from graph.views import EndpointSummary

_SEED = 7
_CONTEXTS = 200
_ENDPOINTS = 5
_BUDGET = 24_000
_SERVICES = 40
"""Services whose endpoints are asked for again and again; a worker keeps 64 of them in memory."""


def ingest_once(root: str, *sources: str) -> dict[str, Any]:
    """Ingest, as the command does."""
    start = time.perf_counter()
    report = ingest([Path(source) for source in sources], Path(root))
    seconds = time.perf_counter() - start
    found = {"seconds": seconds, "quads": report.quads, "files": len(report.loaded), "unchanged": report.unchanged}
    return {**found, "violations": len(report.violations)}


def load(folder: str, root: str, wanted: str) -> dict[str, Any]:
    """Bulk load of ``wanted`` triples from copies of a snapshot. Making the lines is not timed."""
    source = EmbeddedStore(open_store(Path(root))[0])
    names = service_names(source)
    lines: list[str] = []
    for copy in count():
        lines += copied_lines(source, names, copy)
        if len(lines) >= int(wanted):
            break
    store = Store(folder)
    start = time.perf_counter()
    loaded = bulk_load(store, iter(lines), int(wanted))
    return {"seconds": time.perf_counter() - start, "loaded": loaded, "held": len(store)}


def contexts(folder: str, root: str, sets: str) -> dict[str, Any]:
    """Typed contexts of five endpoints from a store of at least that many EntitySets: first use of services, and later."""
    source = EmbeddedStore(open_store(Path(root))[0])
    held, names = entity_sets(source), service_names(source)
    store = Store(folder)
    bulk_load(store, chain.from_iterable(copied_lines(source, names, copy) for copy in range(ceil(int(sets) / held))))
    embedded: Triples = EmbeddedStore(store)
    reader = SnapshotReader(embedded, "bench", to_json(read_summaries(embedded)))
    chance = random.Random(_SEED)
    chosen = set(chance.sample(reader.services(), _SERVICES))
    pool = [item for item in reader.endpoints() if item.service in chosen]
    first = [_timed(reader.metadata_digest, name) for name in sorted(chosen)]
    draws = [chance.sample(pool, _ENDPOINTS) for _ in range(_CONTEXTS)]
    fresh = [_timed(_context, reader, draw) for draw in draws]
    again = [_timed(_context, reader, draw) for draw in draws]
    rounds = {"service": first, "fresh": fresh, "again": again}
    return {
        "entity_sets": entity_sets(embedded),
        "quads": len(store),
        **{name: {"median": median(times), "p95": percentile(times, 0.95)} for name, times in rounds.items()},
    }


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
    measures: dict[str, Callable[..., dict[str, Any]]] = {"ingest": ingest_once, "load": load, "contexts": contexts}
    found = measures[name](*rest)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({**found, "peak_mib": peak}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
