"""What groups of measures share: where to work, and the one experiment that several of them read."""

import asyncio
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluation.bench.experiment import run_experiment
from evaluation.bench.recorded import Experiment


@dataclass
class Bench:
    """One run of the bench. ``folder`` is empty and the bench's own; the experiment runs when first asked for."""

    folder: Path
    repository: Path
    rounds: int = 4
    batch: int = 5
    solo: int = 3

    @cached_property
    def experiment(self) -> Experiment:
        """Product and floor in turn."""
        where = self.folder / "experiment"
        where.mkdir()
        return asyncio.run(run_experiment(where, self.repository, rounds=self.rounds, batch=self.batch, solo=self.solo))
