"""Control graphs differ in the process layer only, and there as told."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval.changed import backward, placebo, rewired, without_process
from graph.views import Follows
from tests.unit.graph.search.shop import MemoryView

EDGES = st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] != pair[1]), max_size=25)


@given(EDGES, st.integers(0, 5))
def test_every_node_keeps_its_degrees(pairs: set[tuple[int, int]], seed: int) -> None:
    edges = [Follows(str(a), str(b)) for a, b in sorted(pairs)]
    found = rewired(edges, seed)
    assert Counter(edge.source for edge in found) == Counter(edge.source for edge in edges)
    assert Counter(edge.target for edge in found) == Counter(edge.target for edge in edges)
    assert found == rewired(edges, seed)


def test_a_chain_of_twenty_is_torn_without_loops_or_doubles() -> None:
    edges = [Follows(str(n), str(n + 1)) for n in range(20)]
    found = {(edge.source, edge.target) for edge in rewired(edges, 1)}
    assert len(found) == 20
    assert all(a != b for a, b in found)
    assert len(found & {(edge.source, edge.target) for edge in edges}) < 10


def test_a_placebo_is_another_graph_with_the_same_endpoints() -> None:
    view = MemoryView()
    changed = placebo(view, 0)
    assert changed.graph_hash not in (view.graph_hash, placebo(view, 1).graph_hash)
    assert changed.endpoints() == view.endpoints()
    assert changed.bindings() == view.bindings()


def test_backward_turns_every_edge() -> None:
    turned = {(edge.target, edge.source, edge.condition) for edge in backward(MemoryView()).follows()}
    assert turned == {(edge.source, edge.target, edge.condition) for edge in MemoryView().follows()}


def test_a_process_left_out_leaves_nothing_behind() -> None:
    changed = without_process(MemoryView(), "P_OTC")
    assert ([*changed.process_nodes()], [*changed.follows()], [*changed.bindings()]) == ([], [], [])
    assert [*without_process(MemoryView(), "P_OTHER").process_nodes()] == [*MemoryView().process_nodes()]
