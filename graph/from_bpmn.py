"""One BPMN file -> one named graph, and what its processes look like to bindings."""

from graph.bpmn_flow import ProcessOrder, order_process
from graph.bpmn_model import BpmnDocument, FlowNode, Lane, Process
from graph.iris import graph_iri, member_iri, node_iri, process_iri
from graph.known import Known
from graph.nquads import GraphWriter
from graph.vocabulary import BBO, DCTERMS, OD, RDFS

_BBO_CLASSES = frozenset(BBO.terms)


def write_processes(
    stem: str, document: BpmnDocument, known: Known | None = None
) -> tuple[GraphWriter, tuple[str, ...]]:
    """Triples of all processes of the file, and findings (cycles, parts, dangling flows). ``known`` takes in their nodes."""
    writer = GraphWriter(graph_iri("process", stem, document.digest))
    findings = list(document.findings)
    seen: dict[str, str] = {}
    for process in document.processes:
        order = order_process(process)
        findings += order.findings
        _write_process(writer, stem, document, process, order)
        if known is not None:
            for node, position in order.positions.items():
                known.add_node(stem, process.id, node, position)
        seen.update({node.id: node_iri(stem, process.id, node.id) for node in process.nodes})
    _write_collaboration(writer, stem, document, seen)
    return writer, tuple(findings)


def process_title(document: BpmnDocument, process: Process) -> str:
    """What people call the process: its own name, its pool's, the model's, or the id."""
    return process.name or process.participant or document.name or process.id


def _write_process(
    writer: GraphWriter, stem: str, document: BpmnDocument, process: Process, order: ProcessOrder
) -> None:
    iri = process_iri(stem, process.id)
    writer.type(iri, BBO.Process)
    writer.text(iri, OD.processId, process.id)
    writer.text(iri, RDFS.label, process_title(document, process))
    writer.text(iri, DCTERMS.description, process.documentation)
    writer.text(iri, OD.participant, process.participant)
    writer.text(iri, OD.file, document.file)
    writer.text(iri, OD.digest, document.digest)
    for node in process.nodes:
        _write_node(writer, stem, process, node, order)
    for number, (source, target, condition) in enumerate(order.edges):
        edge = member_iri(iri, f"follows-{number}")
        writer.type(edge, OD.Follows)
        writer.iri(edge, OD.source, node_iri(stem, process.id, source))
        writer.iri(edge, OD.target, node_iri(stem, process.id, target))
        writer.text(edge, OD.condition, condition)
        writer.iri(node_iri(stem, process.id, source), OD.follows, node_iri(stem, process.id, target))
    _write_flows(writer, stem, process)
    for lane in process.lanes:
        _write_lane(writer, stem, process, lane)


def _write_flows(writer: GraphWriter, stem: str, process: Process) -> None:
    """Flows as drawn. One that has no node at an end keeps the other end, and says so."""
    iri = process_iri(stem, process.id)
    known = {node.id for node in process.nodes}
    for number, flow in enumerate((*process.flows, *process.dangling)):
        drawn = member_iri(iri, f"flow-{number}")
        writer.type(drawn, BBO.SequenceFlow)
        writer.iri(drawn, OD.process, iri)
        writer.text(drawn, OD.name, flow.id)
        writer.text(drawn, RDFS.label, flow.name)
        writer.text(drawn, OD.condition, flow.condition)
        ends = ((BBO.has_sourceRef, OD.source, flow.source), (BBO.has_targetRef, OD.target, flow.target))
        for predicate, stated, end in ends:
            if end in known:
                writer.iri(drawn, predicate, node_iri(stem, process.id, end))
            else:
                writer.string(drawn, stated, end)


def _write_lane(writer: GraphWriter, stem: str, process: Process, lane: Lane) -> None:
    iri = member_iri(process_iri(stem, process.id), lane.id)
    writer.type(iri, OD.Lane)
    writer.iri(iri, OD.process, process_iri(stem, process.id))
    writer.text(iri, OD.name, lane.id)
    writer.text(iri, RDFS.label, lane.name)
    writer.text(iri, OD.inLane, lane.parent)
    for node in lane.nodes:
        writer.text(iri, OD.node, node)


def _write_node(writer: GraphWriter, stem: str, process: Process, node: FlowNode, order: ProcessOrder) -> None:
    iri = node_iri(stem, process.id, node.id)
    class_name = node.kind[:1].upper() + node.kind[1:]
    writer.type(iri, BBO.namespace + class_name if class_name in _BBO_CLASSES else BBO.FlowNode)
    if node.id in order.positions:
        writer.type(iri, OD.ProcessNode)
        writer.integer(iri, OD.position, order.positions[node.id])
    writer.iri(iri, OD.process, process_iri(stem, process.id))
    writer.text(iri, OD.nodeId, node.id)
    writer.text(iri, OD.kind, node.kind)
    writer.text(iri, RDFS.label, node.name)
    writer.text(iri, OD.documentation, node.documentation)
    writer.text(iri, OD.lane, node.lane)
    for event in node.events:
        writer.text(iri, OD.eventKind, event)
    writer.text(iri, OD.loop, node.loop)
    writer.text(iri, OD.defaultFlow, node.default_flow)
    writer.flag(iri, OD.eventSubprocess, node.triggered_by_event)
    writer.flag(iri, OD.forCompensation, node.for_compensation)
    writer.flag(iri, OD.nonInterrupting, not node.interrupting)
    writer.text(iri, OD.calledElement, node.called)
    writer.integer(iri, OD.line, node.line or None)
    if node.parent:
        writer.iri(iri, OD.subprocessOf, node_iri(stem, process.id, node.parent))
    if node.attached_to:
        writer.iri(iri, OD.attachedTo, node_iri(stem, process.id, node.attached_to))


def _write_collaboration(writer: GraphWriter, stem: str, document: BpmnDocument, nodes: dict[str, str]) -> None:
    pools = {identity: process_iri(stem, process) for identity, _, process in document.participants if process}
    for number, (identity, name, process) in enumerate(document.participants):
        iri = process_iri(stem, identity or f"participant-{number}")
        writer.type(iri, OD.Participant)
        writer.text(iri, OD.name, identity)
        writer.text(iri, RDFS.label, name)
        if process:
            writer.iri(iri, OD.process, process_iri(stem, process))
    for number, flow in enumerate(document.message_flows):
        iri = f"{process_iri(stem, 'message-flow')}/{number}"
        writer.type(iri, OD.MessageFlow)
        writer.text(iri, OD.name, flow.id)
        writer.text(iri, RDFS.label, flow.name)
        for predicate, end in ((OD.source, flow.source), (OD.target, flow.target)):
            writer.iri(iri, predicate, nodes.get(end) or pools.get(end) or process_iri(stem, end))
