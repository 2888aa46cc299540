"""``GraphStore`` over HTTP: SPARQL 1.1 Query, and the SPARQL 1.1 Graph Store HTTP Protocol for whole graphs.

Any server that speaks both will do (Oxigraph, Fuseki, GraphDB, RDF4J). Answers are asked for as JSON and N-Triples.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from graph.errors import QueryRefused, StoreUnreachable
from graph.store import Term, triple_lines
from graph.vocabulary import RDF, XSD

_RESULTS = "application/sparql-results+json"
_TRIPLES = "application/n-triples"
_STRING = XSD.string
_LANGUAGE_STRING = f"{RDF.namespace}langString"
_TOLD = 300
"""Characters of a server's answer that an error repeats."""


@dataclass(frozen=True)
class SparqlEndpoint:
    """Addresses of a store. ``graphs`` speaks the Graph Store Protocol (``?graph=IRI``)."""

    query: str
    graphs: str

    @classmethod
    def of(cls, url: str) -> "SparqlEndpoint":
        """The addresses below the base URL of an Oxigraph server."""
        base = url.rstrip("/")
        return cls(f"{base}/query", f"{base}/store")


class SparqlStore:
    """A store behind two URLs. Use as a context manager, or call ``close``."""

    def __init__(
        self,
        endpoint: SparqlEndpoint,
        *,
        auth: httpx.Auth | None = None,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
        timeout: float = 60.0,
    ) -> None:
        self._endpoint = endpoint
        self._http = httpx.Client(
            auth=auth, headers=headers, transport=transport, timeout=timeout, follow_redirects=False, trust_env=False
        )

    def __enter__(self) -> "SparqlStore":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def graphs(self) -> list[str]:
        """See ``Triples``."""
        return sorted(row["g"].value for row in self.select("SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }"))

    def quads(self, graph: str) -> Iterator[Quad]:
        """See ``Triples``."""
        answer = self._send("GET", self._endpoint.graphs, params={"graph": graph}, headers={"Accept": _TRIPLES})
        if answer.status_code == 404:
            return
        node = NamedNode(graph)
        for quad in parse(answer.content, RdfFormat.N_TRIPLES):
            yield Quad(quad.subject, quad.predicate, quad.object, node)

    def matching(self, predicates: Sequence[str], value: str | None = None) -> Iterator[Quad]:
        """See ``Triples``."""
        names = " ".join(f"<{predicate}>" for predicate in predicates)
        bound = f"VALUES ?o {{ <{value}> }}" if value is not None else ""
        rows = self.select(f"SELECT ?s ?p ?o ?g WHERE {{ VALUES ?p {{ {names} }} {bound} GRAPH ?g {{ ?s ?p ?o }} }}")
        for row in rows:
            yield Quad(_node(row["s"]), _node(row["p"]), _object(row["o"]), _node(row["g"]))

    def select(self, query: str) -> list[dict[str, Term]]:
        """See ``Triples``."""
        headers = {"Accept": _RESULTS, "Content-Type": "application/sparql-query"}
        answer = self._send("POST", self._endpoint.query, content=query.encode(), headers=headers)
        try:
            rows = answer.json()["results"]["bindings"]
        except (ValueError, KeyError, TypeError) as error:
            raise QueryRefused(
                f"{self._endpoint.query}: the answer is no table of results; was it a SELECT?"
            ) from error
        return [{name: _term(value) for name, value in row.items()} for row in rows]

    def put(self, graph: str, lines: Sequence[str]) -> None:
        """See ``GraphStore``."""
        body = "".join(triple_lines(graph, lines)).encode()
        headers = {"Content-Type": _TRIPLES}
        self._send("PUT", self._endpoint.graphs, params={"graph": graph}, content=body, headers=headers)

    def drop(self, graph: str) -> None:
        """See ``GraphStore``."""
        self._send("DELETE", self._endpoint.graphs, params={"graph": graph})

    def _send(self, method: str, url: str, **more: Any) -> httpx.Response:
        """One request; 404 is an answer (no such graph) of the graph store, every other failure an error."""
        try:
            answer = self._http.request(method, url, **more)
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise StoreUnreachable(f"{url}: {reason}; check the address and that the store runs") from None
        if answer.status_code in (401, 403):
            raise StoreUnreachable(f"{url}: status {answer.status_code}; check user, password or token of the store")
        missing = answer.status_code == 404 and method in ("GET", "DELETE")
        if not answer.is_success and not missing:
            told = " ".join(answer.text[:_TOLD].split())
            raise QueryRefused(f"{url}: the store refuses {method} with status {answer.status_code}: {told}")
        return answer


def _term(value: Mapping[str, str]) -> Term:
    if value["type"] == "uri":
        return Term(value["value"])
    if value["type"] in ("literal", "typed-literal"):
        language = value.get("xml:lang", "")
        kind = _LANGUAGE_STRING if language else _STRING
        return Term(value["value"], value.get("datatype", kind), language)
    raise QueryRefused(f"a {value['type']} is no value that the graph holds")


def _node(term: Term) -> NamedNode:
    return NamedNode(term.value)


def _object(term: Term) -> NamedNode | Literal:
    if not term.datatype:
        return NamedNode(term.value)
    if term.language:
        return Literal(term.value, language=term.language)
    return Literal(term.value, datatype=NamedNode(term.datatype))
