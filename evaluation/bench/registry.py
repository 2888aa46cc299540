"""All groups of measures, in the order of the report. A new group is one file and one line here."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.bench.bench import Bench
from evaluation.bench.countersign_cost import countersign_cost
from evaluation.bench.demo_time import demo_time
from evaluation.bench.engine_cost import engine_cost
from evaluation.bench.graph_measures import graph_measures
from evaluation.bench.mailroom_measures import mailroom_measures
from evaluation.bench.measure import Measure
from evaluation.bench.memory import memory
from evaluation.bench.odata_measures import odata_measures
from evaluation.bench.resume_time import resume_time


@dataclass(frozen=True)
class Group:
    """Measures that belong together. ``name`` is what ``--only`` takes."""

    name: str
    about: str
    run: Callable[[Bench], list[Measure]]


GROUPS = (
    Group("demo", "the demo after installation", lambda b: demo_time(b.folder / "demo", b.repository)),
    Group("resume", "from reply to resumed run", lambda b: resume_time(b.experiment)),
    Group("engine", "a two-write run beside its floor", lambda b: engine_cost(b.experiment)),
    Group("memory", "resident memory of each process", lambda b: memory(b.experiment)),
    Group("graph", "ingestion and typed contexts", lambda b: graph_measures(b.folder / "graph", b.repository)),
    Group("odata", "validation and the embedded service", lambda b: odata_measures(b.folder / "odata", b.repository)),
    Group("mailroom", "the mailroom on real mail servers", lambda b: mailroom_measures(b.folder / "mailroom")),
    Group("countersigning", "what countersigning costs", lambda b: countersign_cost(b.experiment)),
)
