"""The graph: ingestion of everything, a large file, a million triples, contexts out of a store of 20,000 EntitySets."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from evaluation.bench.graph_world import metadata_of
from evaluation.bench.measure import Measure, at_least, at_most

_LARGE_FILE = 2_500_000
_TRIPLES = 1_000_000
_SETS = 20_000


def graph_measures(folder: Path, repository: Path) -> list[Measure]:
    """All measures, each in a process of its own. ``folder`` is made and must have room for some gigabytes."""
    folder.mkdir(parents=True)
    sources, what = _sources(repository)
    root = folder / "graph"
    whole = _worker(repository, "ingest", root, *sources)
    again = _worker(repository, "ingest", root, *sources)
    large = folder / "LARGE.edmx"
    large.write_bytes(metadata_of(_LARGE_FILE))
    one = _worker(repository, "ingest", folder / "large", large)
    loaded = _worker(repository, "load", folder / "load", root, _TRIPLES)
    copies = _worker(repository, "copies", folder / "copies", root, _SETS)
    contexts = _worker(repository, "contexts", folder / "copies")
    note = f"{what}: {whole['files']} files, {whole['quads']} quads"
    return [
        Measure("ingest of everything", whole["seconds"], "s", at_most(60), note),
        Measure("ingest of everything, peak memory", whole["peak_mib"], "MiB", at_most(1024)),
        Measure("ingest again without change", again["seconds"], "s", at_most(1), _unchanged(again)),
        Measure("ingest of one file of 2.5 MB", one["seconds"], "s", at_most(3), f"{one['quads']} quads"),
        Measure("bulk load of 1,000,000 triples", loaded["seconds"], "s", None, f"{loaded['held']} held"),
        Measure("triples loaded", loaded["loaded"], "", at_least(_TRIPLES)),
        *_contexts(copies, contexts),
    ]


def _contexts(copies: dict[str, Any], found: dict[str, Any]) -> list[Measure]:
    store = f"{copies['entity_sets']} EntitySets, {copies['quads']} quads"
    drawn = f"drawn from all of {found['services']} services"
    triples = "without what stands beside the store, as from a SPARQL endpoint"
    return [
        Measure("EntitySets in the store", copies["entity_sets"], "", at_least(_SETS)),
        Measure("context of five endpoints, first use, p95", found["first"]["p95"], "ms", at_most(10), drawn),
        Measure("context of five endpoints, first use, median", found["first"]["median"], "ms"),
        Measure("context of five endpoints, again, p95", found["again"]["p95"], "ms", at_most(10), store),
        Measure("context of five endpoints, again, median", found["again"]["median"], "ms"),
        Measure("whole contract of an endpoint, first use, p95", found["contract"]["p95"], "ms"),
        Measure("service from its triples, p95", found["triples"]["p95"], "ms", None, triples),
        Measure("opening the snapshot", found["opened"], "s", None, "with the summaries of all endpoints"),
        Measure("contexts, peak memory", found["peak_mib"], "MiB", None, "of the process that reads"),
    ]


def _unchanged(found: dict[str, Any]) -> str:
    return "said to be unchanged" if found["unchanged"] else "NOT said to be unchanged"


def _sources(repository: Path) -> tuple[list[Path], str]:
    """The real corpus where it stands beside the repository, else what the repository ships."""
    shared = repository.parent / "shared"
    folders = [shared / "corpus" / "edmx", shared / "corpus" / "bpmn", shared / "bench"]
    if all(path.is_dir() for path in folders):
        return folders, "the corpus"
    return [repository / "catalogue"], "the shipped catalogue, for there is no corpus"


def _worker(repository: Path, *arguments: object) -> dict[str, Any]:
    """One measure in its own process. Raises ``RuntimeError`` with what it said when it fails."""
    command = [sys.executable, "-m", "evaluation.bench.graph_worker", *(str(each) for each in arguments)]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"graph_worker {arguments[0]}: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
