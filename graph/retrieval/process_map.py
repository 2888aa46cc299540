"""The process layer as retrieval walks it: nodes, their sequence, and the endpoints bound to them, all by row."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from graph.views import Binding, GraphView, ProcessNode

Scores = npt.NDArray[np.floating]

Direction = Literal["forward", "backward"]


@dataclass(frozen=True)
class Visit:
    """A node met on a walk. ``distance`` counts the bound nodes passed, the start itself being 0."""

    node: int
    distance: int
    condition: str


class _Groups:
    """Columns ``members`` of a matrix, grouped by ``heads`` (sorted)."""

    def __init__(self, heads: Sequence[int], members: Sequence[int]) -> None:
        self._heads, self._starts = np.unique(np.array(heads, dtype=np.int64), return_index=True)
        self._members = np.array(members, dtype=np.int64)

    def best(self, scores: Scores, size: int) -> Scores:
        """The best column of each group, as columns of a matrix ``size`` wide; 0 elsewhere."""
        found = np.zeros((len(scores), size))
        if len(self._heads):
            found[:, self._heads] = np.maximum.reduceat(scores[:, self._members], self._starts, axis=1)
        return found


class ProcessMap:
    """Rows of nodes and endpoints are positions in IRI order."""

    def __init__(self, view: GraphView, endpoint_rows: dict[str, int]) -> None:
        self.nodes: Sequence[ProcessNode] = sorted(view.process_nodes(), key=lambda node: node.iri)
        self.row = {node.iri: row for row, node in enumerate(self.nodes)}
        count = len(self.nodes)
        self._next: dict[Direction, list[list[tuple[int, str]]]] = {
            "forward": [[] for _ in range(count)],
            "backward": [[] for _ in range(count)],
        }
        self.by_process: dict[str, list[int]] = {}
        for row, node in enumerate(self.nodes):
            self.by_process.setdefault(node.process_id, []).append(row)
        self.bindings: list[list[tuple[int, Binding]]] = [[] for _ in range(count)]
        self.bound_at: dict[int, list[int]] = {}
        for source, target, condition in self._edges(view):
            self._next["forward"][source].append((target, condition))
            self._next["backward"][target].append((source, condition))
        for binding in sorted(view.bindings(), key=lambda item: (item.node, item.endpoint, item.verb)):
            start, endpoint = self.row.get(binding.node), endpoint_rows.get(binding.endpoint)
            if start is not None and endpoint is not None:
                self.bindings[start].append((endpoint, binding))
                self.bound_at.setdefault(endpoint, []).append(start)
        by_row = [(row, node) for row, nodes in sorted(self.bound_at.items()) for node in sorted(set(nodes))]
        self._by_row = _Groups([row for row, _ in by_row], [node for _, node in by_row])
        by_node = sorted((node, row) for row, node in by_row)
        self._by_node = _Groups([node for node, _ in by_node], [row for _, row in by_node])

    def _edges(self, view: GraphView) -> Iterator[tuple[int, int, str]]:
        """Sequence edges by row. What comes after a subprocess comes after its last steps, so the way past them is left out."""
        edges = sorted(view.follows(), key=lambda edge: (edge.source, edge.target, edge.condition))
        known = [
            (self.row[edge.source], self.row[edge.target], edge.condition)
            for edge in edges
            if edge.source in self.row and edge.target in self.row
        ]
        sources: dict[int, set[int]] = {}
        for source, target, _ in known:
            sources.setdefault(target, set()).add(source)
        entered = {source for source, target, _ in known if self._enters(source, target)}
        for source, target, condition in known:
            past = source in entered and not self._enters(source, target) and len(sources[target]) > 1
            if not past:
                yield source, target, condition

    def _enters(self, source: int, target: int) -> bool:
        return "subprocess" in self.nodes[source].kind.lower() and self.nodes[target].kind == "startEvent"

    def best_at(self, nodes: Scores, size: int) -> Scores:
        """From scores of nodes (parts x nodes) to parts x ``size`` endpoints: the best node of each, 0 for an unbound one."""
        return self._by_row.best(nodes, size)

    def best_bound(self, endpoints: Scores) -> Scores:
        """From scores of endpoints (parts x endpoints) to parts x nodes: the best endpoint of each, 0 for an unbound one."""
        return self._by_node.best(endpoints, len(self.nodes))

    def next_nodes(self, node: int, direction: Direction = "forward") -> Sequence[tuple[int, str]]:
        """Direct successors (or predecessors) with the condition of the edge."""
        return self._next[direction][node]

    def walk(self, start: int, *, limit: int, direction: Direction = "forward") -> Iterator[Visit]:
        """Nodes reachable within ``limit`` bound nodes of ``start``, nearest first, each once (loops end there)."""
        seen = {start}
        # 0-1 breadth first: an unbound node (event, manual task) is passed without counting.
        queue = deque([Visit(start, 0, "")])
        while queue:
            visit = queue.popleft()
            yield visit
            for node, condition in self._next[direction][visit.node]:
                if node in seen:
                    continue
                seen.add(node)
                distance = visit.distance + (1 if self.bindings[node] else 0)
                if distance <= limit:
                    step = Visit(
                        node, distance, condition or (visit.condition if not self.bindings[visit.node] else "")
                    )
                    (queue.append if self.bindings[node] else queue.appendleft)(step)
