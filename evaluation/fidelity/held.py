"""Everything that a snapshot holds -> facts, by the key of the file (the digest that stands in each named graph's name)."""

from collections.abc import Iterator

from pyoxigraph import NamedNode, Store

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.graph_annotations import stored_annotations, stored_sap_attributes
from evaluation.fidelity.graph_bpmn import stored_process
from evaluation.fidelity.graph_csdl import ServiceFacts
from evaluation.fidelity.graph_operations import stored_operations
from evaluation.fidelity.stored import StoredGraph
from graph.iris import GRAPH

KEY_LENGTH = 16


def held_facts(store: Store) -> FactTable:
    """Facts of all services and processes."""
    found = FactTable()
    graphs = _named_graphs(store)
    for kind, key, iri in graphs:
        table = FactTable(key)
        if kind == "service":
            facts = ServiceFacts(StoredGraph(store, iri), table)
            facts.structure()
            stored_operations(facts)
            stored_annotations(facts)
            for beside in (name for other, digest, name in graphs if (other, digest) == ("sap", key)):
                stored_sap_attributes(facts, StoredGraph(store, beside))
        elif kind == "process":
            stored_process(StoredGraph(store, iri), table)
        found.merge(table)
    return found


def _named_graphs(store: Store) -> list[tuple[str, str, str]]:
    """(kind, key, IRI) of the graphs that hold one file each."""
    return sorted(_split(graph.value) for graph in store.named_graphs() if isinstance(graph, NamedNode))


def _split(iri: str) -> tuple[str, str, str]:
    parts = iri.removeprefix(GRAPH).split("/")
    return parts[0], parts[-1], iri


def kinds(store: Store) -> Iterator[tuple[str, str]]:
    """(kind, key) of all graphs."""
    yield from ((kind, key) for kind, key, _ in _named_graphs(store))
