"""Which processes a goal runs through, and their steps in order."""

from collections.abc import Iterable, Sequence

from graph.views import Binding, GraphView, ProcessLayer, ProcessNode
from wire.context import ChainStep

MOST_PROCESSES = 2
_FIRST_RANKS = 3


def layer_of(view: GraphView) -> ProcessLayer:
    """The layer of a view that keeps none."""
    bindings: dict[str, list[Binding]] = {}
    before: dict[str, list[tuple[str, str]]] = {}
    for binding in sorted(view.bindings(), key=lambda item: (item.node, item.endpoint, item.verb)):
        bindings.setdefault(binding.node, []).append(binding)
    for edge in sorted(view.follows(), key=lambda item: (item.target, item.source, item.condition)):
        before.setdefault(edge.target, []).append((edge.source, edge.condition))
    return ProcessLayer(
        nodes={node.iri: node for node in sorted(view.process_nodes(), key=lambda item: item.iri)},
        bindings={node: tuple(found) for node, found in bindings.items()},
        before={node: tuple(found) for node, found in before.items()},
        endpoints={item.iri: item for item in view.endpoints()},
        by_name={(item.service, item.endpoint): item for item in view.endpoints()},
    )


def choose_processes(
    layer: ProcessLayer, ranked: Sequence[str], leading: Iterable[str], nearness: Iterable[tuple[str, float]]
) -> tuple[str, ...]:
    """At most two processes that the hits ``ranked`` (endpoint IRIs, best first) lie on, best first.

    A process counts by its hits, an early one more, and by how near its nodes' texts are to the goal. A second process is
    taken only when it holds a hit that leads a clause and that the first one lacks.
    """
    near = dict(nearness)
    votes: dict[str, float] = {}
    holds: dict[str, set[str]] = {}
    for process in sorted({node.process_id for node in layer.nodes.values()}):
        bound = set(layer.bound_in(process))
        places = [place for place, iri in enumerate(ranked) if iri in bound]
        if places and (len(places) > 1 or places[0] < _FIRST_RANKS):
            votes[process] = sum(1 / (place + 2) for place in places) + near.get(process, 0.0)
            holds[process] = bound
    order = sorted(votes, key=lambda process: (-round(votes[process], 6), process))
    chosen: list[str] = []
    for process in order:
        known = set().union(*(holds[other] for other in chosen))
        if not chosen or any(iri in holds[process] - known for iri in leading):
            chosen.append(process)
    return tuple(chosen[:MOST_PROCESSES])


def chain_steps(layer: ProcessLayer, processes: Sequence[str]) -> tuple[ChainStep, ...]:
    """The labelled nodes of the processes in order; a node bound to two endpoints gives two steps."""
    return tuple(
        _step(layer, node, binding)
        for process in processes
        for node in layer.ordered(process)
        if node.label
        for binding in layer.bindings.get(node.iri) or (None,)
    )


def _step(layer: ProcessLayer, node: ProcessNode, binding: Binding | None) -> ChainStep:
    endpoint = layer.endpoints.get(binding.endpoint) if binding else None
    before = layer.before.get(node.iri, ())
    return ChainStep(
        process_id=node.process_id,
        process=node.process,
        node_id=node.node_id,
        label=node.label,
        position=node.position,
        service=endpoint.service if endpoint else None,
        endpoint=endpoint.endpoint if endpoint else None,
        verb=binding.verb if binding and endpoint else None,
        follows=tuple(layer.nodes[source].node_id for source, _ in before if source in layer.nodes),
        condition=" or ".join(dict.fromkeys(condition for _, condition in before if condition)),
        reference_property=binding.reference_property if binding else "",
    )
