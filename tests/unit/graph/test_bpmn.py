"""The BPMN reader: any prefix, lanes, subprocesses, what dangles."""

import pytest

from graph.bpmn import BPMN, read_bpmn
from graph.bpmn_model import BpmnDocument, Process
from graph.errors import BpmnError
from odata.errors import DocumentTypeRefused


def read(inside: str, prefix: str = "", around: str = "") -> BpmnDocument:
    """A model with one process ``P`` around ``inside``; ``{p}`` in it stands for the prefix."""
    tag = f"{prefix}:" if prefix else ""
    name = f"xmlns:{prefix}" if prefix else "xmlns"
    text = f'<{tag}definitions {name}="{BPMN}">{around}<{tag}process id="P">{inside}</{tag}process></{tag}definitions>'
    return read_bpmn(text.replace("{p}", tag).encode(), "p.bpmn")


def process(inside: str) -> Process:
    """The only process of such a model."""
    return read(inside).processes[0]


@pytest.mark.parametrize("prefix", ["", "bpmn", "semantic"])
def test_any_prefix(prefix: str) -> None:
    document = read('<{p}task id="a" name="Do&#10; it"/>', prefix)
    assert [(node.id, node.kind, node.name) for node in document.processes[0].nodes] == [("a", "task", "Do it")]


def test_other_namespaces_are_not_the_model() -> None:
    inside = '<extensionElements xmlns:v="urn:v"><v:task id="x"/></extensionElements><task xmlns="urn:v" id="y"/>'
    assert process(inside).nodes == ()


def test_wrong_root_and_doctype() -> None:
    with pytest.raises(
        BpmnError, match="p.bpmn, line 1, element definitions: the root is definitions in namespace urn:x"
    ):
        read_bpmn(b'<definitions xmlns="urn:x"/>', "p.bpmn")
    with pytest.raises(DocumentTypeRefused):
        read_bpmn(b"<!DOCTYPE a><a/>", "p.bpmn")


def test_innermost_lane_wins_and_reaches_into_subprocesses() -> None:
    lanes = (
        '<laneSet><lane name="Sales"><flowNodeRef>a</flowNodeRef><flowNodeRef>s</flowNodeRef><childLaneSet>'
        '<lane name="Desk"><flowNodeRef>a</flowNodeRef></lane></childLaneSet></lane></laneSet>'
    )
    found = process(f'{lanes}<task id="a"/><subProcess id="s"><task id="b"/></subProcess>')
    assert {node.id: node.lane for node in found.nodes} == {"a": "Desk", "s": "Sales", "b": "Sales"}


def test_details_of_nodes() -> None:
    inside = (
        '<callActivity id="c" calledElement="x:Sub"><documentation>Why\n so</documentation></callActivity>'
        '<boundaryEvent id="b" attachedToRef="c"><timerEventDefinition/></boundaryEvent>'
    )
    call, event = process(inside).nodes
    assert (call.called, call.documentation) == ("Sub", "Why so")
    assert (event.attached_to, event.event) == ("c", "timer")


def test_dangling_flow_leads_to_no_edge_and_is_said() -> None:
    document = read('<task id="a"/><sequenceFlow id="f" sourceRef="a" targetRef="gone"/>')
    assert document.processes[0].flows == ()
    assert document.findings == ("line 1, sequenceFlow f: dangling, no flow node gone; no edge",)


def test_missing_and_repeated_ids_are_made_up_and_said() -> None:
    document = read('<task id="a"/><task id="a" name="B"/><task/>')
    assert [node.id for node in document.processes[0].nodes] == ["a", "task-1", "task-2"]
    assert "the id 'a' is taken, called task-1" in document.findings[0]


def test_participants_name_processes_and_message_flows_are_kept() -> None:
    around = (
        '<collaboration><participant id="pool" name="Shop" processRef="P"/>'
        '<messageFlow id="m" sourceRef="pool" targetRef="a" name="Order"/></collaboration>'
    )
    document = read('<task id="a"/>', around=around)
    assert document.processes[0].participant == "Shop"
    assert [(flow.source, flow.target, flow.name) for flow in document.message_flows] == [("pool", "a", "Order")]


def test_model_without_process_is_loaded_and_said() -> None:
    document = read_bpmn(f'<definitions xmlns="{BPMN}"/>'.encode(), "p.bpmn")
    assert document.findings == ("holds no process",)
