"""The experiment behind most measures: product and floor side by side, batch by batch in turn, on one machine in one run."""

from collections.abc import Sequence
from pathlib import Path

from evaluation.bench.floor import Floor, running_floor
from evaluation.bench.histories import Event, shape
from evaluation.bench.ledger_size import ledger_size
from evaluation.bench.processes import cpu_seconds, resident_mebibytes, used_between
from evaluation.bench.product import Product, running_product
from evaluation.bench.recorded import Experiment, ProductRun, Round


async def run_experiment(folder: Path, repository: Path, *, rounds: int, batch: int, solo: int) -> Experiment:
    """Bring both sides up, warm them, then measure.

    The warm-up run tells the floor its shape: as many activities before, between and after the waits as the product has.
    """
    async with (
        running_product(folder / "product", repository) as product,
        running_floor(folder / "floor", repository) as floor,
    ):
        stretches = await _warm_up(product, floor)
        alone = [await _solo(product, f"solo {n}") for n in range(solo)]
        await product.drained()
        before = ledger_size(product.ledger)
        batches = [await _round(product, floor, stretches, number, batch) for number in range(rounds)]
        await product.drained()
        return Experiment(
            solo=tuple(alone),
            runs=tuple([await product.record(run) for _, runs, _ in batches for run in runs]),
            floor_events=tuple(events for _, _, histories in batches for events in histories),
            rounds=tuple(measured for measured, _, _ in batches),
            before=before,
            after=ledger_size(product.ledger),
            memory=resident_mebibytes(product.pids),
            floor_memory=resident_mebibytes(floor.pids),
        )


async def _warm_up(product: Product, floor: Floor) -> tuple[int, ...]:
    """First runs load models and fill caches: they are measured by the demo's wall time and nowhere else."""
    run = await _solo(product, "warm-up")
    stretches = shape(run.events)
    await floor.batch(["warm-up"], stretches)
    return stretches


async def _solo(product: Product, key: str) -> ProductRun:
    [run_id] = await product.batch([key])
    return await product.record(run_id)


async def _round(
    product: Product, floor: Floor, stretches: Sequence[int], number: int, batch: int
) -> tuple[Round, list[str], list[tuple[Event, ...]]]:
    keys = [f"round {number} run {n}" for n in range(batch)]
    first = cpu_seconds(product.pids)
    runs = await product.batch(keys)
    product_cpu = used_between(first, cpu_seconds(product.pids))
    second = cpu_seconds(floor.pids)
    histories = await floor.batch(keys, stretches)
    floor_cpu = used_between(second, cpu_seconds(floor.pids))
    return Round(batch, product_cpu, floor_cpu), runs, histories
