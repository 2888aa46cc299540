"""Walks along a process."""

from collections.abc import Sequence

import numpy as np
import pytest

from graph.retrieval.process_map import ProcessMap
from graph.views import Follows, ProcessNode
from tests.unit.graph.search.shop import MemoryView, iri, node


class Nested(MemoryView):
    """Order, a subprocess of two steps, invoice."""

    nodes: Sequence[ProcessNode] = (
        node(1, "userTask", "Enter sales order"),
        node(2, "subProcess", "Warehouse work"),
        node(3, "startEvent", "Work begins"),
        node(4, "serviceTask", "Book the goods out"),
        node(5, "userTask", "Look at the invoice"),
    )

    def __init__(self) -> None:
        super().__init__(nodes=type(self).nodes)

    def follows(self) -> Sequence[Follows]:
        pairs = [(1, 2), (2, 3), (2, 5), (3, 4), (4, 5)]
        return [Follows(f"urn:shop:node:{a}", f"urn:shop:node:{b}") for a, b in pairs]


@pytest.fixture
def processes() -> ProcessMap:
    view = Nested()
    return ProcessMap(view, {item.iri: row for row, item in enumerate(view.endpoints())})


def test_what_follows_a_subprocess_comes_after_its_steps(processes: ProcessMap) -> None:
    distances = {processes.nodes[visit.node].label: visit.distance for visit in processes.walk(0, limit=3)}
    assert distances["Book the goods out"] == 2
    assert distances["Look at the invoice"] == 3


def test_best_node_and_best_endpoint_by_columns(processes: ProcessMap) -> None:
    view = Nested()
    rows = {item.iri: row for row, item in enumerate(view.endpoints())}
    scores = processes.best_at(processes.best_bound(np.eye(len(rows))), len(rows))
    bound = rows[iri("SALES", "SalesOrders")]
    assert scores[bound, bound] == 1
    assert scores[bound].sum() == 1
