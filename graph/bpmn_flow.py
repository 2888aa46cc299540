"""The order of a process: gateways collapsed into edges with conditions, subprocesses entered and left, positions.

``follows`` edges run between nodes that do or await something. What BPMN implies without drawing it (entering a
subprocess, an event at an activity's border, a link) becomes an edge with a condition that says so.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from graph.bpmn_model import GATEWAYS, SUBPROCESSES, FlowNode, Process, SequenceFlow

Edge = tuple[str, str, str]
_WAYS = 1000


@dataclass(frozen=True)
class ProcessOrder:
    """``edges`` are (source, target, condition); ``positions`` run from 0 along the main path; gateways are gone."""

    edges: tuple[Edge, ...]
    positions: Mapping[str, int]
    findings: tuple[str, ...]


def order_process(process: Process) -> ProcessOrder:
    """Collapse, complete and number one process."""
    nodes = {node.id: node for node in process.nodes}
    drawn = _outgoing(process, nodes)
    edges: dict[Edge, None] = {}
    for node in process.nodes:
        if node.kind not in GATEWAYS:
            for target, condition in _reach(nodes, drawn, node.id):
                edges[node.id, target, condition] = None
    ordered = tuple(edges)
    visible = [node.id for node in process.nodes if node.kind not in GATEWAYS]
    back = _back_edges(visible, ordered)
    return ProcessOrder(ordered, _positions(visible, ordered, back), tuple(_findings(process, ordered, back)))


def _outgoing(process: Process, nodes: Mapping[str, FlowNode]) -> dict[str, list[tuple[str, str]]]:
    """Node -> (next node, what has to hold), drawn flows first, then the implied ones."""
    found: dict[str, list[tuple[str, str]]] = {node: [] for node in nodes}
    for flow in process.flows:
        found[flow.source].append((flow.target, _condition(nodes[flow.source], flow)))
    for source, target, condition in _implied(process, nodes):
        found[source].append((target, condition))
    return found


def _condition(source: FlowNode, flow: SequenceFlow) -> str:
    """``Question? answer [expression]``; parallel gateways ask nothing."""
    if source.kind == "parallelGateway":
        return ""
    answer = flow.name or ("otherwise" if flow.id and flow.id == source.default_flow else "")
    parts = [
        source.name if answer and source.kind in GATEWAYS else "",
        answer,
        f"[{flow.condition}]" if flow.condition else "",
    ]
    return " ".join(part for part in parts if part)


def _implied(process: Process, nodes: Mapping[str, FlowNode]) -> Iterator[Edge]:
    has_incoming = {flow.target for flow in process.flows}
    has_outgoing = {flow.source for flow in process.flows}
    after: dict[str, list[tuple[str, str]]] = {}
    for flow in process.flows:
        after.setdefault(flow.source, []).append((flow.target, _condition(nodes[flow.source], flow)))
    for node in process.nodes:
        if node.attached_to in nodes:
            yield node.attached_to, node.id, f"on {node.name or node.event or 'event'}"
        parent = nodes.get(node.parent)
        if parent is None or node.kind == "boundaryEvent" or node.for_compensation or node.triggered_by_event:
            continue
        if node.id not in has_incoming:
            yield parent.id, node.id, ""
        if node.id not in has_outgoing:
            for target, condition in after.get(parent.id, ()):
                yield node.id, target, condition
    yield from _links(process)
    yield from ((source, target, "compensation") for source, target in process.compensations)


def _links(process: Process) -> Iterator[Edge]:
    catchers = {
        (node.link, node.parent): node.id
        for node in process.nodes
        if node.event == "link" and node.kind == "intermediateCatchEvent"
    }
    for node in process.nodes:
        target = catchers.get((node.link, node.parent))
        if node.event == "link" and node.kind == "intermediateThrowEvent" and target:
            yield node.id, target, ""


def _reach(
    nodes: Mapping[str, FlowNode], outgoing: Mapping[str, list[tuple[str, str]]], start: str
) -> Iterator[tuple[str, str]]:
    """Nodes that come next after ``start`` through any number of gateways, by each way that leads there.

    In a mesh of gateways the ways multiply: past ``_WAYS`` of them no gateway is passed a second time.
    """
    waiting: list[tuple[str, tuple[str, ...], frozenset[str]]] = [(start, (), frozenset())]
    seen: set[str] = set()
    steps = 0
    while waiting:
        at, held, passed = waiting.pop()
        steps += 1
        if steps > _WAYS and at in seen:
            continue
        seen.add(at)
        for target, condition in outgoing[at]:
            conditions = (*held, condition) if condition else held
            if nodes[target].kind not in GATEWAYS:
                yield target, " and ".join(conditions)
            elif target not in passed:
                waiting.append((target, conditions, passed | {target}))


def _back_edges(visible: list[str], edges: tuple[Edge, ...]) -> set[tuple[str, str]]:
    """Edges on a cycle that do not lead further from the start: without them the order is acyclic."""
    after: dict[str, list[str]] = {node: [] for node in visible}
    for source, target, _ in edges:
        after[source].append(target)
    depth = _depths(visible, after)
    turns = _turns(after)
    # Both ends in one strongly connected part: the target leads back to the source.
    return {(a, b) for a, b, _ in edges if depth[b] <= depth[a] and (a == b or turns.get(a, a) == turns.get(b, b))}


def _turns(after: Mapping[str, list[str]]) -> dict[str, str]:
    """Node -> one node of its strongly connected part (Kosaraju's two walks, without recursion)."""
    before: dict[str, list[str]] = {node: [] for node in after}
    for source, targets in after.items():
        for target in targets:
            before[target].append(source)
    finished: list[str] = []
    seen: set[str] = set()
    for start in after:
        waiting = [(start, False)]
        while waiting:
            node, done = waiting.pop()
            if done:
                finished.append(node)
            elif node not in seen:
                seen.add(node)
                waiting.append((node, True))
                waiting += [(target, False) for target in after[node] if target not in seen]
    part: dict[str, str] = {}
    for start in reversed(finished):
        if start not in part:
            backwards = [start]
            part[start] = start
            while backwards:
                for source in before[backwards.pop()]:
                    if source not in part:
                        part[source] = start
                        backwards.append(source)
    return part


def _depths(visible: list[str], after: Mapping[str, list[str]]) -> dict[str, int]:
    """Steps from the nearest entry; a cycle that nothing enters begins at its first node in document order."""
    targets = {target for source, found in after.items() for target in found if source != target}
    depth: dict[str, int] = {}
    for entries in ([node for node in visible if node not in targets], *([node] for node in visible)):
        layer = [node for node in entries if node not in depth]
        depth.update(dict.fromkeys(layer, 0))
        while layer:
            following = dict.fromkeys(target for node in layer for target in after[node] if target not in depth)
            depth.update({target: depth[layer[0]] + 1 for target in following})
            layer = list(following)
    return depth


def _reachable(after: Mapping[str, list[str]], starts: Iterable[str]) -> set[str]:
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for target in after[waiting.pop()]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def _positions(visible: list[str], edges: tuple[Edge, ...], back: set[tuple[str, str]]) -> dict[str, int]:
    """Each node stands after all that lead to it; among equals document order decides."""
    after: dict[str, set[str]] = {node: set() for node in visible}
    for source, target, _ in edges:
        if (source, target) not in back:
            after[source].add(target)
    waiting = dict.fromkeys(visible, 0)
    for targets in after.values():
        for target in targets:
            waiting[target] += 1
    depth = dict.fromkeys(visible, 0)
    ready = [node for node in visible if not waiting[node]]
    while ready:
        node = ready.pop()
        for target in after[node]:
            depth[target] = max(depth[target], depth[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    rank = {node: number for number, node in enumerate(visible)}
    ordered = sorted(visible, key=lambda node: (depth[node], rank[node]))
    return {node: number for number, node in enumerate(ordered)}


def _findings(process: Process, edges: tuple[Edge, ...], back: set[tuple[str, str]]) -> Iterator[str]:
    label = f"process {process.id}"
    visible = [node.id for node in process.nodes if node.kind not in GATEWAYS]
    for source, target in sorted(back):
        yield f"{label}: cycle, {source} leads back to {target}"
    parts = _parts(visible, edges, process)
    if parts > 1:
        yield f"{label}: falls into {parts} parts that no flow connects"
    unreachable = _unreachable(visible, edges)
    if unreachable:
        yield f"{label}: nothing leads to {', '.join(unreachable)}"


def _unreachable(visible: list[str], edges: tuple[Edge, ...]) -> list[str]:
    """Nodes of a cycle that no entry leads into."""
    after: dict[str, list[str]] = {node: [] for node in visible}
    for source, target, _ in edges:
        after[source].append(target)
    entered = {target for _, target, _ in edges}
    reached = _reachable(after, (node for node in visible if node not in entered))
    return [node for node in visible if node not in reached]


def _parts(visible: list[str], edges: tuple[Edge, ...], process: Process) -> int:
    """Connected components; an event subprocess belongs to what is around it."""
    above = {node: node for node in visible}

    def find(node: str) -> str:
        while above[node] != node:
            above[node] = node = above[above[node]]
        return node

    for source, target, _ in edges:
        above[find(source)] = find(target)
    for node in process.nodes:
        if node.parent in above and node.id in above:
            above[find(node.id)] = find(node.parent)
        elif node.kind in SUBPROCESSES and node.triggered_by_event and node.id in above:
            above[find(node.id)] = find(visible[0])
    return len({find(node) for node in visible})
