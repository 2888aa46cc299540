"""BPMN bytes -> ``BpmnDocument``. Any prefix, any vendor extension, with or without a diagram."""

import hashlib
from collections.abc import Iterator

from lxml import etree

from graph.bpmn_model import FLOW_NODES, SUBPROCESSES, BpmnDocument, FlowNode, Lane, MessageFlow, Process, SequenceFlow
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
    definitions = {
        str(element.get("id")): element for element in root if local_name(element).endswith("EventDefinition")
    }
    processes = tuple(
        _ProcessReader(element, identity, pools, definitions, findings).read()
        for identity, element in _with_ids(list(_model(root, "process")), findings)
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


def _with_ids(elements: list[etree._Element], findings: list[str]) -> list[tuple[str, etree._Element]]:
    """Processes by id; one that has none, or that of another, gets its number."""
    found: dict[str, etree._Element] = {}
    for number, element in enumerate(elements):
        identity = element.get("id") or ""
        if not identity or identity in found:
            findings.append(f"line {line_of(element)}, process: its id {identity!r} is missing or taken, numbered")
            identity = f"process-{number}"
        found[identity] = element
    return list(found.items())


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

    def __init__(
        self,
        element: etree._Element,
        identity: str,
        pools: dict[str, str],
        definitions: dict[str, etree._Element],
        findings: list[str],
    ) -> None:
        self.element = element
        self.id = identity
        self.pools = pools
        self.definitions = definitions
        self.findings = findings
        self.nodes: dict[str, FlowNode] = {}
        self.flows: list[SequenceFlow] = []
        self.lanes: dict[str, str] = {}
        self.lane_list: list[Lane] = []
        self.associations: list[tuple[str, str]] = []

    def read(self) -> Process:
        """The process with its findings appended to the shared list."""
        self._walk(self.element, "")
        dangling = [flow for flow in self.flows if not self._leads_somewhere(flow)]
        left_out = {id(flow) for flow in dangling}
        return Process(
            id=self.id,
            name=self.element.get("name") or "",
            documentation=_documentation(self.element),
            participant=self.pools.get(self.id, ""),
            nodes=tuple(self.nodes.values()),
            flows=tuple(flow for flow in self.flows if id(flow) not in left_out),
            compensations=tuple(self._compensations()),
            lanes=tuple(self.lane_list),
            dangling=tuple(dangling),
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

    def _read_lanes(self, scope: etree._Element, inherited: str, parent: str = "") -> None:
        for lane_set in _model(scope, "laneSet", "childLaneSet"):
            for lane in _model(lane_set, "lane"):
                name = lane.get("name") or inherited
                nodes = tuple(_local(_text(reference)) for reference in _model(lane, "flowNodeRef"))
                identity = lane.get("id") or f"lane-{len(self.lane_list)}"
                self.lane_list.append(Lane(identity, lane.get("name") or "", parent, nodes))
                self.lanes.update(dict.fromkeys(nodes, name))
                # Inner lanes come second, so the innermost lane that names a node wins.
                self._read_lanes(lane, name, identity)

    def _events(self, element: etree._Element) -> list[etree._Element]:
        """Event definitions of an event, in it or referred to."""
        found = []
        for child in element:
            if local_name(child) == "eventDefinitionRef":
                found += [self.definitions[key] for key in (_local(_text(child)),) if key in self.definitions]
            elif local_name(child).endswith("EventDefinition"):
                found.append(child)
        return found

    def _add(self, element: etree._Element, kind: str, parent: str) -> str:
        identity = element.get("id") or ""
        if not identity or identity in self.nodes:
            made = f"{kind}-{len(self.nodes)}"
            said = f"the id {identity!r} is taken" if identity else "it has no id"
            self.findings.append(f"line {line_of(element)}, {kind} {element.get('name') or ''}: {said}, called {made}")
            identity = made
        definitions = self._events(element)
        events = tuple(local_name(item).removesuffix("EventDefinition") for item in definitions)
        self.nodes[identity] = FlowNode(
            id=identity,
            kind=kind,
            name=" ".join((element.get("name") or "").split()),
            documentation=_documentation(element),
            parent=parent,
            lane=self.lanes.get(identity) or self.lanes.get(parent, ""),
            attached_to=_local(element.get("attachedToRef")),
            called=_local(element.get("calledElement")),
            event=events[0] if events else "",
            events=events,
            # Editors break the name of one link into lines in different places.
            link=" ".join((definitions[0].get("name") or "").split()) if definitions else "",
            loop=_loop(element),
            default_flow=_local(element.get("default")),
            triggered_by_event=element.get("triggeredByEvent") == "true",
            for_compensation=element.get("isForCompensation") == "true",
            interrupting="false" not in (element.get("cancelActivity"), element.get("isInterrupting")),
            line=line_of(element),
        )
        self.lanes.setdefault(identity, self.nodes[identity].lane)
        return identity

    def _leads_somewhere(self, flow: SequenceFlow) -> bool:
        missing = [end for end in (flow.source, flow.target) if end not in self.nodes]
        if missing:
            shown = ", ".join(end or "(nothing)" for end in missing)
            self.findings.append(f"line {flow.line}, sequenceFlow {flow.id}: dangling, no flow node {shown}; no edge")
        return not missing

    def _compensations(self) -> Iterator[tuple[str, str]]:
        """Boundary compensation event -> the task that undoes (an association, not a sequence flow)."""
        for source, target in self.associations:
            if source in self.nodes and target in self.nodes and self.nodes[target].for_compensation:
                yield source, target


def _loop(element: etree._Element) -> str:
    """How an activity repeats: standard (while a condition holds), or once for each of several, in turn or at once."""
    if next(_model(element, "standardLoopCharacteristics"), None) is not None:
        return "standard"
    several = next(_model(element, "multiInstanceLoopCharacteristics"), None)
    if several is None:
        return ""
    return "sequential" if several.get("isSequential") == "true" else "parallel"


def _sequence_flow(element: etree._Element) -> SequenceFlow:
    return SequenceFlow(
        id=element.get("id") or "",
        source=_local(element.get("sourceRef")),
        target=_local(element.get("targetRef")),
        name=" ".join((element.get("name") or "").split()),
        condition=_text(first_child(element, "conditionExpression")),
        line=line_of(element),
    )
