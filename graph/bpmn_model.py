"""BPMN 2.0 as values: what the graph needs of a model (OMG BPMN 2.0.2), free of diagram interchange and vendor parts."""

from dataclasses import dataclass, field

GATEWAYS = frozenset(("exclusiveGateway", "inclusiveGateway", "parallelGateway", "complexGateway", "eventBasedGateway"))
SUBPROCESSES = frozenset(("subProcess", "adHocSubProcess", "transaction"))
_OTHER_NODES = """task userTask serviceTask sendTask receiveTask manualTask businessRuleTask scriptTask callActivity
    startEvent endEvent intermediateCatchEvent intermediateThrowEvent boundaryEvent subChoreography choreographyTask
    callChoreography"""
FLOW_NODES = GATEWAYS | SUBPROCESSES | frozenset(_OTHER_NODES.split())


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A flow node. ``parent`` is the id of the subprocess around it, empty at the top of its process.

    ``event`` is the first of ``events`` (kinds of event definitions); ``loop`` is standard, sequential or parallel.
    """

    id: str
    kind: str
    name: str = ""
    documentation: str = ""
    parent: str = ""
    lane: str = ""
    attached_to: str = ""
    called: str = ""
    event: str = ""
    events: tuple[str, ...] = ()
    link: str = ""
    loop: str = ""
    default_flow: str = ""
    triggered_by_event: bool = False
    for_compensation: bool = False
    interrupting: bool = True
    line: int = 0


@dataclass(frozen=True, slots=True)
class SequenceFlow:
    """A sequence flow; ``condition`` is the text of its expression."""

    id: str
    source: str
    target: str
    name: str = ""
    condition: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class MessageFlow:
    """A message flow between participants or nodes of a collaboration."""

    id: str
    source: str
    target: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane; ``nodes`` are the ids that it names, ``parent`` the lane around it."""

    id: str
    name: str = ""
    parent: str = ""
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Process:
    """One process with all nodes of its subprocesses, flat; ``participant`` names the pool that shows it.

    ``dangling`` are flows that have no node at one end or both.
    """

    id: str
    name: str = ""
    documentation: str = ""
    participant: str = ""
    nodes: tuple[FlowNode, ...] = ()
    flows: tuple[SequenceFlow, ...] = ()
    compensations: tuple[tuple[str, str], ...] = ()
    lanes: tuple[Lane, ...] = ()
    dangling: tuple[SequenceFlow, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class BpmnDocument:
    """One file. ``findings`` are defects that were reported and worked around."""

    file: str
    digest: str
    name: str = ""
    processes: tuple[Process, ...] = ()
    participants: tuple[tuple[str, str, str], ...] = ()
    message_flows: tuple[MessageFlow, ...] = ()
    findings: tuple[str, ...] = field(default=())
