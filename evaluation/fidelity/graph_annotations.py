"""What the graph holds of annotations, value helps, labels and ``sap:`` attributes."""

from evaluation.fidelity.graph_csdl import ServiceFacts, terms
from evaluation.fidelity.said import number
from evaluation.fidelity.stored import StoredGraph, name_of, term_of
from graph.vocabulary import DCTERMS, OD, RDFS, SAP, SKOS

_PERMITS = ("creatable", "updatable", "deletable", "readable", "deepInsert")
_NUMBERS = ("minimum", "maximum", "multipleOf", "minItems", "maxItems")
_TEXTS = [
    "creatableSource",
    "updatableSource",
    "deletableSource",
    "readableSource",
    "computed",
    "computedDefault",
    "optional",
    "immutable",
    "mandatory",
    "dynamicControl",
    "filterable",
    "sortable",
    "requiredInFilter",
    "textProperty",
    "unitProperty",
    "fixedUnit",
    "displayFormat",
    "semantics",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "pattern",
    "addressable",
    "requiresFilter",
    "topSupported",
    "skipSupported",
    "countable",
    "searchable",
    "draft",
    "optimisticConcurrency",
    "repeatability",
    "deepInsertSource",
]
_LISTS = [
    "requiredOnCreate",
    "nonInsertable",
    "nonInsertableNavigation",
    "nonUpdatable",
    "nonUpdatableNavigation",
    "requiredFilter",
    "nonFilterable",
    "nonSortable",
    "nonExpandable",
    "updateMethod",
]


def stored_annotations(facts: ServiceFacts) -> None:
    """For every element that the structure named."""
    for iri, path in facts.paths.items():
        _labels(facts, iri, path)
        _annotations(facts, iri, path)
        _codes(facts, iri, path)
        _value_lists(facts, iri, path)


def stored_sap_attributes(facts: ServiceFacts, attributes: StoredGraph) -> None:
    """The side graph of raw attributes; one on an element that the structure does not name is named by its IRI."""
    for subject in attributes.subjects():
        path = facts.paths.get(subject, subject)
        for predicate, value in attributes.said(subject):
            facts.table.add("sap_annotations", path, name_of(predicate.removeprefix(SAP)), value)


def _labels(facts: ServiceFacts, iri: str, path: str) -> None:
    for predicate, what in ((RDFS.label, "label"), (DCTERMS.description, "description")):
        if facts.graph.has(iri, predicate):
            facts.table.add("labels", path, what, facts.graph.tagged(iri, predicate))


def _annotations(facts: ServiceFacts, iri: str, path: str) -> None:
    graph, table = facts.graph, facts.table
    table.add_all("annotations", (path,), terms(graph, iri, _TEXTS))
    for name in _PERMITS:
        for value in graph.all(iri, getattr(OD, name)):
            table.add("annotations", path, name, term_of(value))
    for name in _NUMBERS:
        for value in graph.all(iri, getattr(OD, name)):
            table.add("annotations", path, name, number(value))
    for name in _LISTS:
        for value in graph.all(iri, getattr(OD, name)):
            table.add("annotations", path, name, value)
    if graph.types(iri) & {OD.EntitySet, OD.Singleton}:
        for node in graph.all(iri, OD.navigation):
            for value in graph.all(node, OD.deepInsert):
                table.add("annotations", path, "deepInsertOf", graph.text(node, OD.path), term_of(value))


def _codes(facts: ServiceFacts, iri: str, path: str) -> None:
    graph = facts.graph
    for scheme in graph.all(iri, OD.codeList):
        for concept in graph.all(scheme, OD.member):
            position, code = graph.text(concept, OD.position), graph.text(concept, SKOS.notation)
            facts.table.add("annotations", path, "allowed", position, code, graph.text(concept, SKOS.prefLabel))


def _value_lists(facts: ServiceFacts, iri: str, path: str) -> None:
    graph, table = facts.graph, facts.table
    for kind in graph.all(iri, OD.valueListKind):
        table.add("value_lists", path, "kind", kind)
    for uri in graph.all(iri, OD.uri):
        table.add("value_lists", path, "reference", uri)
    for node in graph.all(iri, OD.valueList):
        number_ = name_of(node).rpartition("-")[2]
        table.add("value_lists", path, number_, "qualifier", graph.text(node, OD.qualifier))
        for label in graph.all(node, RDFS.label):
            table.add("value_lists", path, number_, "label", label)
        table.add_all("value_lists", (path, number_), terms(graph, node, ["collectionPath", "collectionRoot"]))
        for part in graph.all(node, OD.parameter):
            said = (OD.position, OD.parameterKind, OD.localProperty, OD.remoteProperty, OD.constant)
            table.add("value_lists", path, number_, "parameter", *(graph.text(part, term) for term in said))
