"""A graph with another process layer, for controls: sequence edges at random or backward, or one process left out."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any, cast

from graph.views import Binding, Follows, GraphView, ProcessNode

_TRIES = 50


class _Changed:
    """Everything but the process layer is that of the view beneath."""

    def __init__(
        self,
        view: GraphView,
        label: str,
        nodes: Sequence[ProcessNode],
        follows: Sequence[Follows],
        bindings: Sequence[Binding],
    ) -> None:
        self._view, self._nodes, self._follows, self._bindings = view, nodes, follows, bindings
        self.graph_hash = sha256(f"{view.graph_hash} {label}".encode()).hexdigest()

    def process_nodes(self) -> Sequence[ProcessNode]:
        return self._nodes

    def follows(self) -> Sequence[Follows]:
        return self._follows

    def bindings(self) -> Sequence[Binding]:
        return self._bindings

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


def placebo(view: GraphView, seed: int) -> GraphView:
    """The same edges as far as any node can tell (as many leave and as many arrive), between other nodes."""
    edges = rewired(view.follows(), seed)
    return cast(GraphView, _Changed(view, f"placebo {seed}", view.process_nodes(), edges, view.bindings()))


def backward(view: GraphView) -> GraphView:
    """Every sequence edge the other way round."""
    edges = sorted(
        (Follows(edge.target, edge.source, edge.condition) for edge in view.follows()),
        key=lambda edge: (edge.source, edge.target, edge.condition),
    )
    return cast(GraphView, _Changed(view, "backward", view.process_nodes(), edges, view.bindings()))


def without_process(view: GraphView, process_id: str) -> GraphView:
    """The graph as if nobody had drawn that process."""
    gone = {node.iri for node in view.process_nodes() if node.process_id == process_id}
    nodes = [node for node in view.process_nodes() if node.iri not in gone]
    follows = [edge for edge in view.follows() if edge.source not in gone and edge.target not in gone]
    bindings = [binding for binding in view.bindings() if binding.node not in gone]
    return cast(GraphView, _Changed(view, f"without {process_id}", nodes, follows, bindings))


def rewired(edges: Sequence[Follows], seed: int) -> list[Follows]:
    """Targets exchanged at random between edges; no edge leads back to where it starts, and none stands twice, unless so
    few edges leave no other way."""
    random = Random(seed)
    targets = [edge.target for edge in edges]
    for _ in range(_TRIES):
        random.shuffle(targets)
        for place in range(len(edges)):
            if _clashes(edges, targets, place):
                other = random.randrange(len(edges))
                targets[place], targets[other] = targets[other], targets[place]
        if not any(_clashes(edges, targets, place) for place in range(len(edges))):
            break
    found = [Follows(edge.source, target, edge.condition) for edge, target in zip(edges, targets, strict=True)]
    return sorted(found, key=lambda edge: (edge.source, edge.target, edge.condition))


def _clashes(edges: Sequence[Follows], targets: Sequence[str], place: int) -> bool:
    source, target = edges[place].source, targets[place]
    if source == target:
        return True
    return any(
        other != place and edges[other].source == source and targets[other] == target for other in range(len(edges))
    )
