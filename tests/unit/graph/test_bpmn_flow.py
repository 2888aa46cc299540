"""Order of a process: collapsed gateways, implied edges, cycles, parts, positions."""

from graph.bpmn import read_bpmn
from graph.bpmn_flow import order_process
from tests.unit.graph.test_bpmn import process


def _flow(*pairs: str) -> str:
    """``a>b`` or ``a>b:name`` -> sequence flows."""
    made = []
    for number, pair in enumerate(pairs):
        ends, _, name = pair.partition(":")
        source, _, target = ends.partition(">")
        made.append(f'<sequenceFlow id="f{number}" sourceRef="{source}" targetRef="{target}" name="{name}"/>')
    return "".join(made)


def _edges(inside: str) -> set[tuple[str, str, str]]:
    return set(order_process(process(inside)).edges)


def test_gateways_in_a_row_collapse_and_conditions_join() -> None:
    inside = (
        '<task id="a"/><exclusiveGateway id="g" name="Big?"/><exclusiveGateway id="h" name="Known?"/><task id="b"/>'
        '<task id="c"/>' + _flow("a>g", "g>h:yes", "h>b:no", "g>c:no")
    )
    assert _edges(inside) == {("a", "b", "Big? yes and Known? no"), ("a", "c", "Big? no")}


def test_expression_and_default_flow() -> None:
    inside = (
        '<task id="a"/><exclusiveGateway id="g" default="d"/><task id="b"/><task id="c"/>'
        + _flow("a>g")
        + '<sequenceFlow id="e" sourceRef="g" targetRef="b"><conditionExpression>x &gt; 1</conditionExpression>'
        '</sequenceFlow><sequenceFlow id="d" sourceRef="g" targetRef="c"/>'
    )
    assert _edges(inside) == {("a", "b", "[x > 1]"), ("a", "c", "otherwise")}


def test_parallel_gateway_asks_nothing_and_a_gateway_loop_ends() -> None:
    inside = '<task id="a"/><parallelGateway id="g"/><exclusiveGateway id="h"/><task id="b"/>' + _flow(
        "a>g", "g>h:x", "h>g:again", "g>b:y"
    )
    assert ("a", "b", "") in _edges(inside)


def test_subprocess_is_entered_and_left() -> None:
    inside = (
        '<subProcess id="s"><task id="x"/><task id="y"/>' + _flow("x>y") + '</subProcess><task id="z"/>' + _flow("s>z")
    )
    assert _edges(inside) == {("s", "x", ""), ("x", "y", ""), ("y", "z", ""), ("s", "z", "")}


def test_boundary_event_link_and_compensation() -> None:
    inside = (
        '<task id="a"/><boundaryEvent id="b" name="Late" attachedToRef="a"><timerEventDefinition/></boundaryEvent>'
        '<intermediateThrowEvent id="t"><linkEventDefinition name="L"/></intermediateThrowEvent>'
        '<intermediateCatchEvent id="c"><linkEventDefinition name="L"/></intermediateCatchEvent>'
        '<task id="u" isForCompensation="true"/><association id="z" sourceRef="b" targetRef="u"/>'
    )
    assert _edges(inside) == {("a", "b", "on Late"), ("t", "c", ""), ("b", "u", "compensation")}


def test_positions_follow_the_main_path_through_a_loop() -> None:
    inside = (
        '<endEvent id="e"/><task id="c"/><task id="b"/><task id="a"/><startEvent id="s"/><exclusiveGateway id="g"/>'
        + _flow("s>a", "a>b", "b>c", "c>g", "g>a:again", "g>e:done")
    )
    order = order_process(process(inside))
    assert order.positions == {"s": 0, "a": 1, "b": 2, "c": 3, "e": 4}
    assert order.findings == ("process P: cycle, c leads back to a",)


def test_loop_back_to_a_parallel_split_reports_only_the_way_back() -> None:
    inside = (
        '<startEvent id="s"/><exclusiveGateway id="j"/><parallelGateway id="p"/><task id="a"/><task id="b"/>'
        '<task id="c"/>' + _flow("s>j", "j>p", "p>a", "p>b", "a>c", "b>c", "c>j:again")
    )
    assert order_process(process(inside)).findings == (
        "process P: cycle, c leads back to a",
        "process P: cycle, c leads back to b",
    )


def test_disconnected_parts_are_counted_without_event_subprocesses() -> None:
    inside = '<task id="a"/><task id="b"/><subProcess id="s" triggeredByEvent="true"><startEvent id="x"/></subProcess>'
    assert order_process(process(inside)).findings == ("process P: falls into 2 parts that no flow connects",)


def test_a_cycle_that_nothing_enters_is_reported() -> None:
    inside = '<startEvent id="s"/><task id="a"/><task id="b"/><task id="c"/>' + _flow("s>a", "b>c", "c>b")
    assert "process P: nothing leads to b, c" in order_process(process(inside)).findings


def test_mesh_of_gateways_ends_soon_and_loses_no_target() -> None:
    layers = 40
    gates = "".join(f'<exclusiveGateway id="g{n}{side}"/>' for n in range(layers) for side in "ab")
    pairs = [f"g{n}{one}>g{n + 1}{two}" for n in range(layers - 1) for one in "ab" for two in "ab"]
    inside = '<task id="t"/><task id="u"/>' + gates + _flow("t>g0a", *pairs, f"g{layers - 1}b>u")
    assert {(source, target) for source, target, _ in _edges(inside)} == {("t", "u")}


def test_process_without_nodes() -> None:
    order = order_process(process(""))
    assert (order.edges, dict(order.positions), order.findings) == ((), {}, ())


def test_a_link_is_one_however_an_editor_breaks_its_name() -> None:
    throws = '<intermediateThrowEvent id="out"><linkEventDefinition name="Go &#10;on"/></intermediateThrowEvent>'
    catches = '<intermediateCatchEvent id="in"><linkEventDefinition name="Go&#10;on"/></intermediateCatchEvent>'
    text = (
        f'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="P">{throws}{catches}</process>'
    )
    process = read_bpmn(f"{text}</definitions>".encode(), "links.bpmn").processes[0]
    assert order_process(process).edges == (("out", "in", ""),)
