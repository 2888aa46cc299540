"""Everything that a snapshot holds -> facts, by the key of the file (the digest that stands in each named graph's name)."""

from collections.abc import Iterable

from pyoxigraph import NamedNode, Store

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.graph_annotations import stored_annotations, stored_sap_attributes
from evaluation.fidelity.graph_bpmn import stored_process
from evaluation.fidelity.graph_csdl import ServiceFacts
from evaluation.fidelity.graph_operations import stored_operations
from evaluation.fidelity.stored import StoredGraph
from graph.iris import GRAPH

KEY_LENGTH = 16


def graphs_by_key(store: Store) -> dict[str, list[str]]:
    """Key -> named graphs of the services and processes of that file."""
    found: dict[str, list[str]] = {}
    for graph in store.named_graphs():
        iri = graph.value if isinstance(graph, NamedNode) else ""
        if _kind(iri) in ("service", "process", "sap"):
            found.setdefault(iri.rpartition("/")[2], []).append(iri)
    return found


def _kind(iri: str) -> str:
    return iri.removeprefix(GRAPH).partition("/")[0]


def held_facts(store: Store, graphs: Iterable[str]) -> FactTable:
    """Facts of the named graphs of one file. A side graph of attributes belongs to the service of the same name."""
    found = FactTable()
    ordered = sorted(graphs)
    for iri in ordered:
        table = FactTable(iri.rpartition("/")[2])
        if _kind(iri) == "service":
            facts = ServiceFacts(StoredGraph(store, iri), table)
            facts.structure()
            stored_operations(facts)
            stored_annotations(facts)
            beside = iri.replace(f"{GRAPH}service/", f"{GRAPH}sap/")
            if beside in ordered:
                stored_sap_attributes(facts, StoredGraph(store, beside))
        elif _kind(iri) == "process":
            stored_process(StoredGraph(store, iri), table)
        found.merge(table)
    return found
