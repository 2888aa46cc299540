"""The graph's own rules, as SPARQL over a built store: what breaks them names file, line and element, in one line each.

Every EntitySet and Singleton has an EntityType, every to-many navigation a target, every binding an endpoint, and every
process node can be reached. SHACL would say the same some ten thousand times slower (pyshacl), hence SPARQL.
"""

from collections.abc import Iterator

from graph.iris import last_name
from graph.reachability import Node, unreachable
from graph.store import Term, Triples
from graph.vocabulary import BBO, OD, RDF, RDFS

_OF_SET = f"""
SELECT ?file ?line ?name ?type WHERE {{
  GRAPH ?g {{
    VALUES ?class {{ <{OD.EntitySet}> <{OD.Singleton}> }}
    ?set <{RDF.type}> ?class ; <{OD.name}> ?name .
    ?service <{OD.endpoint}> ?set ; <{OD.file}> ?file .
    OPTIONAL {{ ?set <{OD.line}> ?line }}
    OPTIONAL {{ ?set <{OD.entityType}> ?type }}
    FILTER NOT EXISTS {{ ?set <{OD.entityType}> ?known . ?known <{RDF.type}> <{OD.EntityType}> }}
  }}
}}"""
_OF_NAVIGATION = f"""
SELECT ?file ?line ?name ?owner ?type WHERE {{
  GRAPH ?g {{
    ?navigation <{OD.cardinality}> <{OD.Many}> ; <{OD.name}> ?name .
    FILTER NOT EXISTS {{ ?navigation <{OD.targetType}> ?known . ?known <{RDF.type}> <{OD.EntityType}> }}
    ?ownerType <{OD.navigation}> ?navigation ; <{OD.qualifiedName}> ?owner ; <{OD.inService}> ?service .
    ?service <{OD.file}> ?file .
    OPTIONAL {{ ?navigation <{OD.line}> ?line }}
    OPTIONAL {{ ?navigation <{OD.targetType}> ?type }}
  }}
}}"""
_OF_BINDING = f"""
SELECT ?file ?line ?process ?node ?service ?name ?reason WHERE {{
  GRAPH ?g {{
    ?binding <{RDF.type}> <{OD.Binding}> ; <{OD.file}> ?file ; <{OD.row}> ?line .
    OPTIONAL {{ ?binding <{OD.processId}> ?process }}
    OPTIONAL {{ ?binding <{OD.nodeId}> ?node }}
    OPTIONAL {{ ?binding <{OD.serviceName}> ?service }}
    OPTIONAL {{ ?binding <{OD.endpointName}> ?name }}
    OPTIONAL {{ ?binding <{OD.unresolved}> ?reason }}
    OPTIONAL {{ ?binding <{OD.endpoint}> ?endpoint }}
  }}
  FILTER (BOUND(?reason) || NOT EXISTS {{ GRAPH ?h {{ ?any <{OD.endpoint}> ?endpoint . ?any <{OD.version}> ?v }} }})
}}"""
_NODES = f"""
SELECT ?node ?process ?kind ?id ?label ?line ?inside ?event ?undo ?file WHERE {{
  GRAPH ?g {{
    ?node <{RDF.type}> <{OD.ProcessNode}> ; <{OD.process}> ?process ; <{OD.kind}> ?kind ; <{OD.nodeId}> ?id .
    ?process <{RDF.type}> <{BBO.Process}> ; <{OD.file}> ?file .
    OPTIONAL {{ ?node <{RDFS.label}> ?label }}
    OPTIONAL {{ ?node <{OD.line}> ?line }}
    OPTIONAL {{ ?node <{OD.subprocessOf}> ?inside }}
    OPTIONAL {{ ?node <{OD.eventSubprocess}> ?event }}
    OPTIONAL {{ ?node <{OD.forCompensation}> ?undo }}
  }}
}}"""
_EDGES = f"SELECT ?source ?target WHERE {{ GRAPH ?g {{ ?source <{OD.follows}> ?target }} }}"

_Row = dict[str, Term]


def violations(store: Triples) -> list[str]:
    """What breaks the rules, sorted by file within each rule."""
    found = (_sets(store), _navigations(store), _bindings(store), _nodes(store))
    return [line for rule in found for line in sorted(rule)]


def _sets(store: Triples) -> Iterator[str]:
    for row in store.select(_OF_SET):
        yield f"{_place(row)}, EntitySet {_text(row, 'name')}: {_missing(row, 'an entity type')}"


def _navigations(store: Triples) -> Iterator[str]:
    for row in store.select(_OF_NAVIGATION):
        element = f"NavigationProperty {_text(row, 'owner')}/{_text(row, 'name')}"
        yield f"{_place(row)}, {element}: {_missing(row, 'a target entity type')}"


def _missing(row: _Row, what: str) -> str:
    named = _text(row, "type")
    return f"lacks {what}: no loaded {last_name(named)}" if named else f"lacks {what}"


def _bindings(store: Triples) -> Iterator[str]:
    for row in store.select(_OF_BINDING):
        turtle = _text(row, "file").lower().endswith(".ttl")
        place = f"{_text(row, 'file')}, number {_text(row, 'line')}" if turtle else _place(row)
        ends = f"{_text(row, 'process')}/{_text(row, 'node')} -> {_text(row, 'service')} {_text(row, 'name')}"
        yield f"{place}, binding {ends}: {_text(row, 'reason') or 'its endpoint is not in the graph'}"


def _nodes(store: Triples) -> Iterator[str]:
    rows = {row["node"].value: row for row in store.select(_NODES)}
    nodes = [
        Node(iri, _text(row, "process"), _text(row, "kind"), _text(row, "inside"), "event" in row or "undo" in row)
        for iri, row in rows.items()
    ]
    edges = [(row["source"].value, row["target"].value) for row in store.select(_EDGES)]
    for iri in unreachable(nodes, edges):
        row = rows[iri]
        name = f" ({_text(row, 'label')})" if _text(row, "label") else ""
        process = last_name(_text(row, "process"))
        yield f"{_place(row)}, {_text(row, 'kind')} {process}/{_text(row, 'id')}{name}: nothing leads to it"


def _place(row: _Row) -> str:
    line = _text(row, "line")
    return f"{_text(row, 'file')}, line {line}" if line else _text(row, "file")


def _text(row: _Row, name: str) -> str:
    return row[name].value if name in row else ""
