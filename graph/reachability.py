"""Which process nodes nothing leads to (BPMN 2.0.2, section 10.5.2: with a start event, all else needs an incoming flow)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A node by IRI; ``inside`` is the subprocess around it. ``by_event``: an event starts it, or a compensation, and no flow
    (an event subprocess, a compensation handler)."""

    iri: str
    process: str
    kind: str
    inside: str = ""
    by_event: bool = False


def unreachable(nodes: Sequence[Node], edges: Iterable[tuple[str, str]]) -> list[str]:
    """IRIs of all nodes that cannot be reached from an entry of their process."""
    after: dict[str, list[str]] = {}
    entered = set()
    for source, target in edges:
        after.setdefault(source, []).append(target)
        if source != target:
            entered.add(target)
    reached = {node.iri for node in _entries(nodes, entered)}
    waiting = list(reached)
    while waiting:
        for target in after.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return [node.iri for node in nodes if node.iri not in reached]


def _entries(nodes: Sequence[Node], entered: set[str]) -> list[Node]:
    """Start events, what events start, and where a process has no start event, every node without an incoming flow."""
    started = {node.process for node in nodes if node.kind == "startEvent" and not node.inside}
    return [
        node
        for node in nodes
        if node.kind == "startEvent" or node.by_event or (node.process not in started and node.iri not in entered)
    ]
