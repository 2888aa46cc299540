"""Which process nodes nothing leads to (BPMN 2.0.2, section 10.5.2: with a start event, all else needs an incoming flow)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A node by IRI; ``inside`` is the subprocess around it, ``event`` what an event waits for (empty: a plain one)."""

    iri: str
    process: str
    kind: str
    inside: str = ""
    event: str = ""


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
    """Start events; subprocesses that an event of their own starts; and where a process has no start event, every node
    without an incoming flow."""
    started = {node.process for node in nodes if node.kind == "startEvent" and not node.inside}
    by_event = {node.inside for node in nodes if node.kind == "startEvent" and node.inside and node.event}
    return [node for node in nodes if node.iri not in entered and _enters(node, started, by_event)] + [
        node for node in nodes if node.iri in entered and node.kind == "startEvent"
    ]


def _enters(node: Node, started: set[str], by_event: set[str]) -> bool:
    return node.kind == "startEvent" or node.process not in started or node.iri in by_event
