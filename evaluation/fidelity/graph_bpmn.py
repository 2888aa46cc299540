"""One process file as the graph holds it -> facts."""

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.stored import StoredGraph


def stored_process(graph: StoredGraph, table: FactTable) -> None:
    """x"""
