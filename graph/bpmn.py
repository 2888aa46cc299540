"""BPMN bytes -> ``BpmnDocument``. Any prefix, any vendor extension, with or without a diagram."""

import hashlib
from collections.abc import Iterator

from lxml import etree

from graph.bpmn_model import FLOW_NODES, SUBPROCESSES, BpmnDocument, FlowNode, MessageFlow, Process, SequenceFlow
from graph.errors import BpmnError
from odata.safe_xml import children, first_child, line_of, local_name, namespace, parse_document

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"


def is_bpmn(root: etree._Element) -> bool:
    """Whether this root element begins a BPMN 2.0 model."""
    return local_name(root) == "definitions" and namespace(root) == BPMN


def read_bpmn(data: bytes, file: str) -> BpmnDocument:
    """Read one BPMN file. Raises ``odata.errors.MetadataError`` for unsafe or broken XML, ``BpmnError`` for other XML."""
    return read_root(parse_document(data, file), data, file)


def read_root(root: etree._Element, data: bytes, file: str) -> BpmnDocument:
    """As ``read_bpmn``, for a document that is parsed already."""
    if not is_bpmn(root):
        found = f"the root is {local_name(root)} in namespace {namespace(root) or '(none)'}, not bpmn:definitions"
        raise BpmnError(file, line_of(root), f"element {local_name(root)}", found, "export the model as BPMN 2.0 XML")
    findings: list[str] = []
    participants = [
        (part.get("id") or "", part.get("name") or "", _local(part.get("processRef")))
        for collaboration in _model(root, "collaboration", "choreography", "globalConversation")
        for part in _model(collaboration, "participant")
    ]
    pools = {process: name for _, name, process in participants if process}
    processes = tuple(
        _ProcessReader(element, number, pools, findings).read()
        for number, element in enumerate(_model(root, "process"))
    )
    if not processes:
        findings.append("holds no process")
    return BpmnDocument(
        file=file,
        digest=hashlib.sha256(data).hexdigest(),
        name=root.get("name") or "",
        processes=processes,
        participants=tuple(participants),
        message_flows=tuple(_message_flows(root)),
        findings=tuple(findings),
    )


def _model(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Children of the BPMN namespace only: vendors repeat local names in theirs."""
    return (child for child in children(element, *names) if namespace(child) == BPMN)


def _local(reference: str | None) -> str:
    """A QName reference without its prefix."""
    return (reference or "").strip().rpartition(":")[2]


def _text(element: etree._Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _documentation(element: etree._Element) -> str:
    return " ".join(text for text in (_text(child) for child in _model(element, "documentation")) if text)


def _message_flows(root: etree._Element) -> Iterator[MessageFlow]:
    for collaboration in _model(root, "collaboration", "choreography", "globalConversation"):
        for flow in _model(collaboration, "messageFlow"):
            source, target = _local(flow.get("sourceRef")), _local(flow.get("targetRef"))
            yield MessageFlow(flow.get("id") or "", source, target, flow.get("name") or "")


class _ProcessReader:
    """Walks one process, flattening subprocesses; ids that are missing or repeated get made up and reported."""

    def __init__(self, element: etree._Element, number: int, pools: dict[str, str], findings: list[str]) -> None:
        self.element = element
        self.id = element.get("id") or f"process-{number}"
        self.pools = pools
        self.findings = findings
        self.nodes: dict[str, FlowNode] = {}
        self.flows: list[SequenceFlow] = []
        self.lanes: dict[str, str] = {}
        self.associations: list[tuple[str, str]] = []

    def read(self) -> Process:
        """The process with its findings appended to the shared list."""
        self._walk(self.element, "")
        kept = [flow for flow in self.flows if self._leads_somewhere(flow)]
        return Process(
            id=self.id,
            name=self.element.get("name") or "",
            documentation=_documentation(self.element),
            participant=self.pools.get(self.id, ""),
            nodes=tuple(self.nodes.values()),
            flows=tuple(kept),
            compensations=tuple(self._compensations()),
            line=line_of(self.element),
        )

    def _walk(self, scope: etree._Element, parent: str) -> None:
        self._read_lanes(scope, self.lanes.get(parent, ""))
        for child in scope:
            if namespace(child) != BPMN:
                continue
            name = local_name(child)
            if name in FLOW_NODES:
                identity = self._add(child, name, parent)
                if name in SUBPROCESSES:
                    self._walk(child, identity)
            elif name == "sequenceFlow":
                self.flows.append(_sequence_flow(child))
            elif name == "association":
                self.associations.append((_local(child.get("sourceRef")), _local(child.get("targetRef"))))

    def _read_lanes(self, scope: etree._Element, inherited: str) -> None:
        for lane_set in _model(scope, "laneSet", "childLaneSet"):
            for lane in _model(lane_set, "lane"):
                name = lane.get("name") or inherited
                for reference in _model(lane, "flowNodeRef"):
                    self.lanes[_local(_text(reference))] = name
                # Inner lanes come second, so the innermost lane that names a node wins.
                self._read_lanes(lane, name)

    def _add(self, element: etree._Element, kind: str, parent: str) -> str:
        identity = element.get("id") or ""
        if not identity or identity in self.nodes:
            made = f"{kind}-{len(self.nodes)}"
            said = f"the id {identity!r} is taken" if identity else "it has no id"
            self.findings.append(f"line {line_of(element)}, {kind} {element.get('name') or ''}: {said}, called {made}")
            identity = made
        definition = next((child for child in element if local_name(child).endswith("EventDefinition")), None)
        self.nodes[identity] = FlowNode(
            id=identity,
            kind=kind,
            name=" ".join((element.get("name") or "").split()),
            documentation=_documentation(element),
            parent=parent,
            lane=self.lanes.get(identity) or self.lanes.get(parent, ""),
            attached_to=_local(element.get("attachedToRef")),
            called=_local(element.get("calledElement")),
            event="" if definition is None else local_name(definition).removesuffix("EventDefinition"),
            link=(definition.get("name") or "") if definition is not None else "",
            default_flow=_local(element.get("default")),
            triggered_by_event=element.get("triggeredByEvent") == "true",
            for_compensation=element.get("isForCompensation") == "true",
            line=line_of(element),
        )
        self.lanes.setdefault(identity, self.nodes[identity].lane)
        return identity

    def _leads_somewhere(self, flow: SequenceFlow) -> bool:
        missing = [end for end in (flow.source, flow.target) if end not in self.nodes]
        if missing:
            shown = ", ".join(end or "(nothing)" for end in missing)
            self.findings.append(f"line {flow.line}, sequenceFlow {flow.id}: dangling, no flow node {shown}; left out")
        return not missing

    def _compensations(self) -> Iterator[tuple[str, str]]:
        """Boundary compensation event -> the task that undoes (an association, not a sequence flow)."""
        for source, target in self.associations:
            if source in self.nodes and target in self.nodes and self.nodes[target].for_compensation:
                yield source, target


def _sequence_flow(element: etree._Element) -> SequenceFlow:
    return SequenceFlow(
        id=element.get("id") or "",
        source=_local(element.get("sourceRef")),
        target=_local(element.get("targetRef")),
        name=" ".join((element.get("name") or "").split()),
        condition=_text(first_child(element, "conditionExpression")),
        line=line_of(element),
    )
