"""One process file as the graph holds it -> facts."""

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.stored import StoredGraph, name_of
from graph.vocabulary import BBO, DCTERMS, OD, RDFS

_SAID = {
    "kind": OD.kind,
    "label": RDFS.label,
    "documentation": OD.documentation,
    "lane": OD.lane,
    "eventKind": OD.eventKind,
    "calledElement": OD.calledElement,
    "loop": OD.loop,
    "defaultFlow": OD.defaultFlow,
    "eventSubprocess": OD.eventSubprocess,
    "forCompensation": OD.forCompensation,
    "nonInterrupting": OD.nonInterrupting,
}
_CLASSES = {
    "subProcess": "subprocesses",
    "adHocSubProcess": "subprocesses",
    "transaction": "subprocesses",
    "callActivity": "call_activities",
    "callChoreography": "call_activities",
    "boundaryEvent": "boundary_events",
}


def stored_process(graph: StoredGraph, table: FactTable) -> None:
    """All processes of one file."""
    for process in graph.of_type(BBO.Process):
        identity = graph.text(process, OD.processId)
        table.add("processes", identity, "id", identity)
        for what, predicate in (
            ("label", RDFS.label),
            ("documentation", DCTERMS.description),
            ("pool", OD.participant),
        ):
            for value in graph.all(process, predicate):
                table.add("processes", identity, what, value)
    for node in (subject for subject in graph.subjects() if graph.has(subject, OD.nodeId)):
        _node(graph, node, table)
    for lane in graph.of_type(OD.Lane):
        place = (_process(graph, lane), graph.text(lane, OD.name) or name_of(lane))
        table.add("lanes", *place, "name", graph.text(lane, RDFS.label))
        table.add_all("lanes", place, (("inLane", value) for value in graph.all(lane, OD.inLane)))
        table.add_all("lanes", place, (("node", value) for value in graph.all(lane, OD.node)))
    _flows(graph, table)
    _order(graph, table)
    _collaboration(graph, table)


def _process(graph: StoredGraph, node: str) -> str:
    return " | ".join(graph.text(process, OD.processId) for process in graph.all(node, OD.process))


def _node(graph: StoredGraph, node: str, table: FactTable) -> None:
    kind, place = graph.text(node, OD.kind), (_process(graph, node), graph.text(node, OD.nodeId))
    name = _CLASSES.get(kind) or (
        "gateways" if kind.endswith("Gateway") else "events" if kind.endswith("Event") else "tasks"
    )
    for what, predicate in _SAID.items():
        table.add_all(name, place, ((what, value) for value in graph.all(node, predicate)))
    table.add_all(name, place, (("subprocessOf", name_of(value)) for value in graph.all(node, OD.subprocessOf)))
    table.add_all(name, place, (("attachedTo", name_of(value)) for value in graph.all(node, OD.attachedTo)))


def _end(graph: StoredGraph, flow: str, predicate: str, stated: str) -> str:
    """The node at one end; of a flow that lacks one, the name it gives for it."""
    found = graph.all(flow, predicate)
    if found:
        return " | ".join(graph.text(node, OD.nodeId) for node in found)
    return f"(none) {graph.text(flow, stated)}"


def _flows(graph: StoredGraph, table: FactTable) -> None:
    for flow in graph.of_type(BBO.SequenceFlow):
        source = _end(graph, flow, BBO.has_sourceRef, OD.source)
        target = _end(graph, flow, BBO.has_targetRef, OD.target)
        place = (_process(graph, flow), graph.text(flow, OD.name), source, target)
        table.add("sequence_flows", *place, graph.text(flow, RDFS.label), graph.text(flow, OD.condition))


def _order(graph: StoredGraph, table: FactTable) -> None:
    """Edges both as nodes with a condition and as plain triples: each kind alone would not be the other."""
    told = set()
    for edge in graph.of_type(OD.Follows):
        for source in graph.all(edge, OD.source):
            for target in graph.all(edge, OD.target):
                told.add((source, target))
                ends = (graph.text(source, OD.nodeId), graph.text(target, OD.nodeId))
                place = (_process(graph, source), *ends)
                table.add("follows_edges", *place, "condition", graph.text(edge, OD.condition))
    for source in list(graph.subjects()):
        for target in graph.all(source, OD.follows):
            mark = "edge" if (source, target) in told else "edge without condition"
            ends = (graph.text(source, OD.nodeId), graph.text(target, OD.nodeId))
            table.add("follows_edges", _process(graph, source), *ends, mark, "")


def _collaboration(graph: StoredGraph, table: FactTable) -> None:
    for node in graph.of_type(OD.Participant):
        process = " | ".join(map(name_of, graph.all(node, OD.process)))
        table.add("participants", graph.text(node, OD.name) or name_of(node), graph.text(node, RDFS.label), process)
    for flow in graph.of_type(OD.MessageFlow):
        ends = ("".join(_place(graph, end) for end in graph.all(flow, term)) for term in (OD.source, OD.target))
        said = graph.text(flow, OD.name), graph.text(flow, RDFS.label)
        table.add("message_flows", name_of(flow), *said, *ends)


def _place(graph: StoredGraph, end: str) -> str:
    """``process/node`` of a node, the id of a process or of a participant without one."""
    if graph.has(end, OD.nodeId):
        return f"{_process(graph, end)}/{graph.text(end, OD.nodeId)}"
    return name_of(end)
