"""Resident memory of every process, after the experiment's runs."""

from evaluation.bench.measure import Measure
from evaluation.bench.recorded import Experiment


def memory(experiment: Experiment) -> list[Measure]:
    """One line a process, and the sum."""
    product, floor = experiment.memory, experiment.floor_memory
    return [
        *[Measure(f"resident: {name}", size, "MiB") for name, size in product.items()],
        Measure("resident: all parts", sum(product.values()), "MiB", note="shared pages counted in each"),
        *[Measure(f"resident: floor's {name}", size, "MiB") for name, size in floor.items()],
    ]
