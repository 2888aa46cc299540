"""Operations, imports and parameters of one service as the graph holds them."""

from evaluation.fidelity.graph_csdl import FACETS, ServiceFacts, terms
from evaluation.fidelity.stored import name_of, term_of
from graph.vocabulary import OD

_RETURNS = [name for name in FACETS if name not in ("default", "mode")]
_KINDS = (OD.FunctionImport, OD.Action, OD.Function)


def stored_operations(facts: ServiceFacts) -> None:
    """Overloads and imports; a bound operation is no import, though it has an address of its own."""
    graph = facts.graph
    for node in graph.of_type(OD.Operation):
        _operation(facts, node)
    for service in graph.of_type(OD.Service):
        for node in graph.all(service, OD.endpoint):
            kinds = graph.types(node) & set(_KINDS)
            if kinds and not graph.has(node, OD.bound):
                _import(facts, node, term_of(min(kinds)))


def _operation(facts: ServiceFacts, node: str) -> None:
    graph, table = facts.graph, facts.table
    path = facts.paths[node] = graph.text(node, OD.signature)
    said = ["kind", "qualifiedName", "composable", "entitySetPath", "bindingParameter"]
    table.add_all("operations", (path,), terms(graph, node, said))
    for bound in graph.all(node, OD.boundTo):
        name = name_of(bound)
        shown = f"Collection({name})" if graph.text(node, OD.boundCollection) == "true" else name
        table.add("operations", path, "boundTo", shown)
    for returned in graph.all(node, OD.returns):
        table.add_all("operations", (path, "returns"), terms(graph, returned, _RETURNS))
    _parameters(facts, node, path)


def _parameters(facts: ServiceFacts, node: str, path: str) -> None:
    graph = facts.graph
    for item in graph.all(node, OD.parameter):
        own = facts.paths[item] = f"{path}/{graph.text(item, OD.name)}"
        facts.table.add("parameters", own, "position", graph.text(item, OD.position))
        facts.table.add_all("parameters", (own,), terms(graph, item, FACETS))


def _import(facts: ServiceFacts, node: str, kind: str) -> None:
    graph, table = facts.graph, facts.table
    path = facts.paths[node] = facts.set_path(node)
    table.add("operation_imports", path, "kind", kind)
    for operation in graph.all(node, OD.operation):
        table.add("operation_imports", path, "operation", graph.text(operation, OD.signature))
    said = ["httpMethod", "entitySet", "inServiceDocument", "bindable"]
    table.add_all("operation_imports", (path,), terms(graph, node, said))
    for returned in graph.all(node, OD.returns):
        table.add_all("operation_imports", (path, "returns"), terms(graph, returned, _RETURNS))
    _parameters(facts, node, path)
