"""A second, small reader of BPMN 2.0: plain ElementTree, nothing shared with the product's. Bytes -> facts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.readable import BPMN, parse_tree

GATEWAYS = ("exclusiveGateway", "inclusiveGateway", "parallelGateway", "complexGateway", "eventBasedGateway")
_SUBPROCESSES = ("subProcess", "adHocSubProcess", "transaction")
_CALLS = ("callActivity", "callChoreography")
_EVENTS = ("startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent")
_TASKS = (
    *("task", "userTask", "serviceTask", "sendTask", "receiveTask", "manualTask", "businessRuleTask", "scriptTask"),
    *("choreographyTask", "subChoreography"),
)
_CLASSES = {
    **dict.fromkeys(GATEWAYS, "gateways"),
    **dict.fromkeys(_SUBPROCESSES, "subprocesses"),
    **dict.fromkeys(_CALLS, "call_activities"),
    **dict.fromkeys(_EVENTS, "events"),
    "boundaryEvent": "boundary_events",
    **dict.fromkeys(_TASKS, "tasks"),
}
_COLLABORATIONS = ("collaboration", "choreography", "globalConversation")


@dataclass
class Node:
    """A flow node with what the order of the process needs of it."""

    id: str
    kind: str
    name: str
    parent: str
    events: list[str]
    link: str
    attached_to: str
    default_flow: str
    event_subprocess: bool
    compensates: bool


@dataclass
class Flow:
    """A sequence flow as drawn."""

    id: str
    source: str
    target: str
    name: str
    condition: str


@dataclass
class ProcessModel:
    """What one process element holds; nodes in document order."""

    id: str
    nodes: dict[str, Node] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)
    associations: list[tuple[str, str]] = field(default_factory=list)


def read_processes(data: bytes, key: str) -> tuple[FactTable, list[ProcessModel]]:
    """Facts of one file but its order, and its processes."""
    root = parse_tree(data)
    table = FactTable(key)
    people = list(_participants(root))
    pools = {process: name for _, name, process in people if process}
    definitions = {str(child.get("id")): child for child in root if _tag(child).endswith("EventDefinition")}
    models = [
        _Walker(element, identity, table, definitions).walk(_title(root, element, identity, pools), pools)
        for identity, element in _identified(root)
    ]
    for number, (identity, name, process) in enumerate(people):
        known = identity or f"participant-{number}"
        table.add("participants", known, name, process)
    homes = {node: model.id for model in models for node in model.nodes}
    shown = {identity: process for identity, _, process in people if process}
    for number, flow in enumerate(_children(root, *_COLLABORATIONS, below="messageFlow")):
        ends = (_bare(flow.get("sourceRef")), _bare(flow.get("targetRef")))
        where = [f"{homes[end]}/{end}" if end in homes else shown.get(end, end) for end in ends]
        table.add("message_flows", str(number), flow.get("id") or "", flow.get("name") or "", *where)
    return table, models


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _own(element: Element, *names: str) -> Iterator[Element]:
    """Children of the BPMN namespace with one of these names."""
    wanted = {f"{{{BPMN}}}{name}" for name in names}
    yield from (child for child in element if child.tag in wanted)


def _children(root: Element, *names: str, below: str) -> Iterator[Element]:
    for parent in _own(root, *names):
        yield from _own(parent, below)


def _bare(reference: str | None) -> str:
    return (reference or "").strip().rpartition(":")[2]


def _words(text: str) -> str:
    return " ".join(text.split())


def _content(element: Element | None) -> str:
    return "" if element is None else _words("".join(element.itertext()))


def _documentation(element: Element) -> str:
    return " ".join(filter(None, (_content(child) for child in _own(element, "documentation"))))


def _participants(root: Element) -> Iterator[tuple[str, str, str]]:
    for part in _children(root, *_COLLABORATIONS, below="participant"):
        yield part.get("id") or "", part.get("name") or "", _bare(part.get("processRef"))


def _identified(root: Element) -> list[tuple[str, Element]]:
    """Processes by id; without one, or with one that is taken, by number."""
    found: dict[str, Element] = {}
    for number, element in enumerate(_own(root, "process")):
        identity = element.get("id") or ""
        found[identity if identity and identity not in found else f"process-{number}"] = element
    return list(found.items())


def _title(root: Element, element: Element, identity: str, pools: dict[str, str]) -> str:
    return element.get("name") or pools.get(identity) or root.get("name") or identity


class _Walker:
    """Walks one process with all its subprocesses."""

    def __init__(self, element: Element, identity: str, table: FactTable, definitions: dict[str, Element]) -> None:
        self.element = element
        self.table = table
        self.definitions = definitions
        self.model = ProcessModel(identity)
        self.lane_of: dict[str, str] = {}
        self.lanes = 0

    def walk(self, title: str, pools: dict[str, str]) -> ProcessModel:
        """The model; facts go to the table."""
        process = self.model.id
        said = (("label", title), ("documentation", _documentation(self.element)), ("pool", pools.get(process, "")))
        self.table.add("processes", process, "id", process)
        self.table.add_all("processes", (process,), ((what, value) for what, value in said if value))
        self._scope(self.element, "")
        for flow in self.model.flows:
            self._flow(flow)
        return self.model

    def _flow(self, flow: Flow) -> None:
        nodes = self.model.nodes
        ends = [end if end in nodes else f"(none) {end}" for end in (flow.source, flow.target)]
        self.table.add("sequence_flows", self.model.id, flow.id, *ends, flow.name, flow.condition)

    def _scope(self, element: Element, parent: str) -> None:
        self._lane_sets(element, self.lane_of.get(parent, ""), "")
        for child in element:
            if not isinstance(child.tag, str) or not child.tag.startswith(f"{{{BPMN}}}"):
                continue
            kind = _tag(child)
            if kind in _CLASSES:
                identity = self._node(child, kind, parent)
                if kind in _SUBPROCESSES:
                    self._scope(child, identity)
            elif kind == "sequenceFlow":
                self.model.flows.append(_read_flow(child))
            elif kind == "association":
                self.model.associations.append((_bare(child.get("sourceRef")), _bare(child.get("targetRef"))))

    def _lane_sets(self, element: Element, outer: str, parent: str) -> None:
        """The lane that names a node last, so the innermost one, is the node's; unnamed ones take the name around."""
        for lane in (lane for part in _own(element, "laneSet", "childLaneSet") for lane in _own(part, "lane")):
            identity = lane.get("id") or f"lane-{self.lanes}"
            self.lanes += 1
            place = (self.model.id, identity)
            self.table.add("lanes", *place, "name", lane.get("name") or "")
            if parent:
                self.table.add("lanes", *place, "inLane", parent)
            shown = lane.get("name") or outer
            for reference in _own(lane, "flowNodeRef"):
                self.lane_of[_bare(_content(reference))] = shown
                self.table.add("lanes", *place, "node", _bare(_content(reference)))
            self._lane_sets(lane, shown, identity)

    def _node(self, element: Element, kind: str, parent: str) -> str:
        nodes = self.model.nodes
        identity = element.get("id") or ""
        if not identity or identity in nodes:
            identity = f"{kind}-{len(nodes)}"
        definitions = self._definitions(element)
        nodes[identity] = node = Node(
            identity,
            kind,
            _words(element.get("name") or ""),
            parent,
            [_tag(item).removesuffix("EventDefinition") for item in definitions],
            _words(definitions[0].get("name") or "") if definitions else "",
            _bare(element.get("attachedToRef")),
            _bare(element.get("default")),
            element.get("triggeredByEvent") == "true",
            element.get("isForCompensation") == "true",
        )
        self.lane_of.setdefault(identity, self.lane_of.get(parent, ""))
        lane = self.lane_of[identity] or self.lane_of.get(parent, "")
        self.lane_of[identity] = lane
        said = [*_said(node), *_said_of(element), ("lane", lane)]
        place = (self.model.id, identity)
        self.table.add_all(_CLASSES[kind], place, ((what, value) for what, value in said if value))
        return identity

    def _definitions(self, element: Element) -> list[Element]:
        found: list[Element] = []
        for child in element:
            if _tag(child) == "eventDefinitionRef":
                referred = self.definitions.get(_bare(_content(child)))
                found += [] if referred is None else [referred]
            elif _tag(child).endswith("EventDefinition"):
                found.append(child)
        return found


def _said(node: Node) -> Iterator[tuple[str, str]]:
    yield "kind", node.kind
    yield "label", node.name
    yield "subprocessOf", node.parent
    yield "attachedTo", node.attached_to
    yield "defaultFlow", node.default_flow
    yield from (("eventKind", event) for event in node.events)
    if node.event_subprocess:
        yield "eventSubprocess", "true"
    if node.compensates:
        yield "forCompensation", "true"


def _said_of(element: Element) -> Iterator[tuple[str, str]]:
    yield "documentation", _documentation(element)
    yield "calledElement", _bare(element.get("calledElement"))
    if "false" in (element.get("cancelActivity"), element.get("isInterrupting")):
        yield "nonInterrupting", "true"
    if next(_own(element, "standardLoopCharacteristics"), None) is not None:
        yield "loop", "standard"
    else:
        for several in list(_own(element, "multiInstanceLoopCharacteristics"))[:1]:
            yield "loop", "sequential" if several.get("isSequential") == "true" else "parallel"


def _read_flow(element: Element) -> Flow:
    condition = next((child for child in element if _tag(child) == "conditionExpression"), None)
    return Flow(
        element.get("id") or "",
        _bare(element.get("sourceRef")),
        _bare(element.get("targetRef")),
        _words(element.get("name") or ""),
        _content(condition),
    )
