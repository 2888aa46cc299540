"""The small port between the graph and where it is stored, and the embedded store behind it.

``graph.sparql_store`` is the other one: a SPARQL 1.1 endpoint over HTTP. One contract test runs over both.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions, Store

from graph.errors import QueryRefused


class Term(NamedTuple):
    """A value in an answer: an IRI (``datatype`` empty) or a literal."""

    value: str
    datatype: str = ""
    language: str = ""


class Triples(Protocol):
    """What readers of a graph need."""

    def graphs(self) -> list[str]:
        """Named graphs that hold something, sorted."""
        ...

    def quads(self, graph: str) -> Iterable[Quad]:
        """All quads of one named graph; none when there is no such graph."""
        ...

    def matching(self, predicates: Sequence[str], value: str | None = None) -> Iterable[Quad]:
        """Quads with one of these predicates (and that resource as their object), in whatever graph."""
        ...

    def select(self, query: str) -> list[dict[str, Term]]:
        """Rows of a SELECT query; unbound variables are left out. Raises ``QueryRefused``."""
        ...


class GraphStore(Triples, Protocol):
    """Triples that can be written, one whole named graph at a time."""

    def put(self, graph: str, lines: Sequence[str]) -> None:
        """Make the graph hold exactly these N-Quads lines (all of that graph), at once for every reader."""
        ...

    def drop(self, graph: str) -> None:
        """Remove the graph; nothing happens when there is none."""
        ...


class EmbeddedStore:
    """``GraphStore`` over pyoxigraph, in memory or on disk. A store that was opened read-only refuses writes by itself."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def graphs(self) -> list[str]:
        """See ``Triples``."""
        named = (graph.value for graph in self.store.named_graphs() if isinstance(graph, NamedNode))
        return sorted(graph for graph in named if any(True for _ in self.quads(graph)))

    def quads(self, graph: str) -> Iterator[Quad]:
        """See ``Triples``."""
        return iter(self.store.quads_for_pattern(None, None, None, NamedNode(graph)))

    def matching(self, predicates: Sequence[str], value: str | None = None) -> Iterator[Quad]:
        """See ``Triples``."""
        node = None if value is None else NamedNode(value)
        for predicate in predicates:
            yield from self.store.quads_for_pattern(None, NamedNode(predicate), node, None)

    def select(self, query: str) -> list[dict[str, Term]]:
        """See ``Triples``."""
        try:
            found = self.store.query(query)
        except SyntaxError as error:
            raise QueryRefused(f"the query is no SPARQL: {' '.join(str(error).split())}") from error
        if not isinstance(found, QuerySolutions):
            raise QueryRefused("the query is no SELECT query")
        names = [variable.value for variable in found.variables]
        return [{name: term_of(row[name]) for name in names if row[name] is not None} for row in found]

    def put(self, graph: str, lines: Sequence[str]) -> None:
        """See ``GraphStore``."""
        triples = "".join(triple_lines(graph, lines))
        # One update is one transaction: a reader sees the old graph or the new one.
        self.store.update(f"DROP SILENT GRAPH <{graph}>; INSERT DATA {{ GRAPH <{graph}> {{ {triples} }} }}")

    def drop(self, graph: str) -> None:
        """See ``GraphStore``."""
        self.store.remove_graph(NamedNode(graph))


def triple_lines(graph: str, lines: Iterable[str]) -> Iterator[str]:
    """N-Quads lines of that graph as N-Triples lines. Raises ``ValueError`` for a line of another graph."""
    ending = f" <{graph}> .\n"
    for line in lines:
        if not line.endswith(ending):
            raise ValueError(f"a line of another graph than {graph}: {line[:80]}")
        yield f"{line.removesuffix(ending)} .\n"


def term_of(value: object) -> Term:
    """A pyoxigraph term as a plain value."""
    if isinstance(value, Literal):
        return Term(value.value, value.datatype.value, value.language or "")
    if isinstance(value, NamedNode | BlankNode):
        return Term(value.value)
    raise QueryRefused(f"a {type(value).__name__} is no value that the graph holds")
