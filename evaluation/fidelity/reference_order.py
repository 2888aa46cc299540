"""What follows what in a process, worked out anew: gateways passed through, what BPMN implies drawn, conditions kept.

An edge is told with the conditions along each way, joined by `` and ``. Where gateways form a mesh with more than
``MOST_WAYS`` ways from one node, the ways are not told one by one by anybody, and only its edges are compared.
"""

from collections.abc import Iterator

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.reference_bpmn import GATEWAYS, Flow, Node, ProcessModel

MOST_WAYS = 900
_Arrow = tuple[str, str]


def order_facts(model: ProcessModel, table: FactTable) -> None:
    """Edges and their conditions."""
    arrows = _arrows(model)
    for node in model.nodes.values():
        if node.kind in GATEWAYS:
            continue
        ways: list[_Arrow] = []
        for way in _ways(model, arrows, node.id, (), {node.id}):
            ways.append(way)
            if len(ways) > MOST_WAYS:
                break
        mesh = len(ways) > MOST_WAYS
        if mesh:
            table.uncounted.add((table.key, model.id, node.id))
            ways = [(target, "") for target in _reached(model, arrows, node.id)]
        for target, condition in ways:
            table.add("follows_edges", model.id, node.id, target, "edge", "")
            if not mesh:
                table.add("follows_edges", model.id, node.id, target, "condition", condition)


def _ways(
    model: ProcessModel, arrows: dict[str, list[_Arrow]], at: str, held: tuple[str, ...], passed: set[str]
) -> Iterator[_Arrow]:
    """(next node, conditions) by every way that passes no gateway twice."""
    for target, condition in arrows.get(at, []):
        said = (*held, condition) if condition else held
        if model.nodes[target].kind not in GATEWAYS:
            yield target, " and ".join(said)
        elif target not in passed:
            yield from _ways(model, arrows, target, said, passed | {target})


def _reached(model: ProcessModel, arrows: dict[str, list[_Arrow]], start: str) -> set[str]:
    found: set[str] = set()
    seen, waiting = {start}, [start]
    while waiting:
        for target, _ in arrows.get(waiting.pop(), []):
            if model.nodes[target].kind not in GATEWAYS:
                found.add(target)
            elif target not in seen:
                seen.add(target)
                waiting.append(target)
    return found


def _arrows(model: ProcessModel) -> dict[str, list[_Arrow]]:
    """Drawn flows with both ends, then what is implied."""
    found: dict[str, list[_Arrow]] = {}
    drawn = [flow for flow in model.flows if flow.source in model.nodes and flow.target in model.nodes]
    for flow in drawn:
        found.setdefault(flow.source, []).append((flow.target, _condition(model.nodes[flow.source], flow)))
    leads_in = {flow.target for flow in drawn}
    outside = {source: list(arrows) for source, arrows in found.items()}
    for node in model.nodes.values():
        for source, arrow in _implied(node, model, leads_in, outside):
            found.setdefault(source, []).append(arrow)
    for source, target in model.associations:
        if source in model.nodes and target in model.nodes and model.nodes[target].compensates:
            found.setdefault(source, []).append((target, "compensation"))
    return found


def _condition(source: Node, flow: Flow) -> str:
    """``Question? answer [expression]``; what a parallel gateway sends off depends on nothing."""
    if source.kind == "parallelGateway":
        return ""
    default = flow.id and flow.id == source.default_flow
    answer = flow.name or ("otherwise" if default else "")
    question = source.name if source.kind in GATEWAYS and answer else ""
    expression = f"[{flow.condition}]" if flow.condition else ""
    return " ".join(filter(None, (question, answer, expression)))


def _implied(
    node: Node, model: ProcessModel, leads_in: set[str], outside: dict[str, list[_Arrow]]
) -> Iterator[tuple[str, _Arrow]]:
    if node.attached_to in model.nodes:
        event = node.events[0] if node.events else ""
        yield node.attached_to, (node.id, f"on {node.name or event or 'event'}")
    if node.kind == "intermediateThrowEvent" and node.events[:1] == ["link"]:
        caught = [other for other in model.nodes.values() if _catches(other, node)]
        if caught:
            yield node.id, (caught[-1].id, "")
    aside = node.kind == "boundaryEvent" or node.compensates or node.event_subprocess
    if node.parent in model.nodes and not aside:
        if node.id not in leads_in:
            yield node.parent, (node.id, "")
        if node.id not in outside:
            # The end of a way inside leads on to what follows the subprocess.
            yield from ((node.id, arrow) for arrow in outside.get(node.parent, []))


def _catches(other: Node, node: Node) -> bool:
    same = (other.link, other.parent) == (node.link, node.parent)
    return same and other.kind == "intermediateCatchEvent" and other.events[:1] == ["link"]
