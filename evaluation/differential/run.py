"""Putting it together: metadata, targets, samples, judgement."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.differential.compare_expressions import compare_expressions
from evaluation.differential.generate import samples_of
from evaluation.differential.matrix import Judge, Judged
from evaluation.differential.report import report_of
from evaluation.differential.samples import Sample
from evaluation.differential.services import contracts_of, documents_of, seeds_of
from evaluation.differential.target_embedded import EmbeddedTarget
from evaluation.differential.target_mock_sap import MockSapTarget
from evaluation.differential.target_odatapy import OdatapyTarget
from evaluation.differential.target_pyodata import PyodataTarget
from evaluation.differential.targets import NotInstalled, Target
from graph.ingest import ingest
from graph.reader import SnapshotReader, open_snapshot


@dataclass(frozen=True)
class Plan:
    """``endpoints``: of each service at most so many; ``mutants``: in all at most so many; ``expressions``: so many in all."""

    metadata: Path
    mutants: int
    endpoints: int
    only: frozenset[str] = frozenset()
    expressions: int = 0
    codes: Path | None = None
    required: Path | None = None

    @property
    def tables(self) -> list[Path]:
        """Code lists and requirements, as far as they are given."""
        return [path for path in (self.codes, self.required) if path is not None]


def run(plan: Plan, progress: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """The whole matrix. Targets that are not installed are named as absent."""
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        return _run(plan, Path(folder), progress)


def _run(plan: Plan, folder: Path, progress: Callable[[str], None]) -> dict[str, Any]:
    absent: list[str] = []
    mock = start_target(MockSapTarget, absent)
    metadata = _gather(plan, folder / "metadata", mock.documents if mock is not None else {})
    ingest([metadata, *plan.tables], folder / "graph")
    snapshot = open_snapshot(folder / "graph")
    documents = documents_of(metadata)
    services = [name for name in snapshot.services() if name in documents]
    seeds = {name: seeds_of(snapshot, name) for name in services}
    targets: list[Target] = [
        t
        for t in (
            start_target(lambda: OdatapyTarget(documents, seeds), absent),
            mock,
            start_target(lambda: PyodataTarget(documents), absent),
            EmbeddedTarget(metadata, folder / "state.db", seeds, plan.codes),
        )
        if t is not None
    ]
    for name in mock.documents if mock is not None else ():
        for seed in seeds.get(name, ()):
            if mock is not None:
                mock.seed(name, seed)
    try:
        judged = _judge(plan, snapshot, services, targets, progress)
        typed = [t for t in targets if t.name == OdatapyTarget.name]
        expressions = compare_expressions(snapshot, services, typed[0], plan.expressions) if typed else {}
    finally:
        for target in targets:
            target.close()
    return {**report_of(judged, targets, absent), "expressions": expressions}


def start_target(make: Callable[[], Any], absent: list[str]) -> Any:
    """The target, or None with what to install added to ``absent``."""
    try:
        return make()
    except NotInstalled as error:
        absent.append(str(error))
        return None


def _gather(plan: Plan, into: Path, more: dict[str, bytes]) -> Path:
    """Copies of the metadata, beside what a target serves of its own."""
    into.mkdir()
    found = {**documents_of(plan.metadata), **more}
    for name, content in found.items():
        if not plan.only or name in plan.only:
            (into / f"{name}.edmx").write_bytes(content)
    return into


def _judge(
    plan: Plan,
    snapshot: SnapshotReader,
    services: Sequence[str],
    targets: Sequence[Target],
    progress: Callable[[str], None],
) -> list[Judged]:
    known: dict[str, list[str]] = {name: [] for name in services}
    for item in snapshot.endpoints():
        if item.service in known:
            known[item.service].append(item.endpoint)
    judge, judged, left = Judge(targets, known), list[Judged](), plan.mutants
    for index, service in enumerate(services):
        share = left // (len(services) - index)
        samples = _first(list(samples_of(contracts_of(snapshot, service, plan.endpoints))), share)
        judged += judge.judge(samples)
        left -= sum(sample.kind == "mutant" for sample in samples)
        progress(f"{service}: {len(samples)} samples")
    return judged


def _first(samples: list[Sample], mutants: int) -> list[Sample]:
    """As many as hold so many mutants; whole bases are kept together as far as they go."""
    seen = 0
    for index, sample in enumerate(samples):
        seen += sample.kind == "mutant"
        if seen > mutants:
            return samples[:index]
    return samples
