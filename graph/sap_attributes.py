"""Every ``sap:`` attribute as it stands, in a side graph per service: contracts need what it means, audits what was said."""

from collections.abc import Iterator, Mapping

from graph.from_csdl_endpoints import address_of
from graph.iris import (
    association_iri,
    association_set_iri,
    container_iri,
    endpoint_iri,
    graph_iri,
    member_iri,
    operation_iri,
    schema_iri,
    segment,
    type_iri,
)
from graph.nquads import GraphWriter
from graph.vocabulary import SAP
from odata.csdl_model import ServiceDocument

_Attributes = Iterator[tuple[str, Mapping[str, str]]]


def write_sap_attributes(service: str, document: ServiceDocument) -> GraphWriter:
    """The side graph; empty for a document without such attributes."""
    writer = GraphWriter(graph_iri("sap", service, document.digest))
    for walk in (_around, _types, _containers, _operations):
        for iri, attributes in walk(service, document):
            for name, value in attributes.items():
                writer.string(iri, f"{SAP}{segment(name)}", value)
    return writer


def _around(service: str, document: ServiceDocument) -> _Attributes:
    for schema in document.schemas:
        yield schema_iri(service, schema.namespace), schema.sap
    for container in document.containers:
        yield container_iri(service, container.name), container.sap
    for association in document.associations.values():
        yield association_iri(service, association.name), association.sap
    for link in document.association_sets:
        yield association_set_iri(service, link.container, link.name), link.sap


def _types(service: str, document: ServiceDocument) -> _Attributes:
    for structured in document.types.values():
        iri = type_iri(service, structured.name)
        yield iri, structured.sap
        yield from ((member_iri(iri, item.name), item.sap) for item in structured.properties)
        yield from ((member_iri(iri, item.name), item.sap) for item in structured.navigations)


def _operations(service: str, document: ServiceDocument) -> _Attributes:
    for operation in document.operations:
        iri = operation_iri(service, operation.signature)
        shown = operation.parameters[1:] if operation.bound else operation.parameters
        yield from ((member_iri(iri, item.name), item.sap) for item in shown)


def _containers(service: str, document: ServiceDocument) -> _Attributes:
    for entity_set in document.entity_sets:
        yield endpoint_iri(service, address_of(document, entity_set.container, entity_set.name)), entity_set.sap
    for item in document.imports:
        iri = endpoint_iri(service, address_of(document, item.container, item.name))
        yield iri, item.sap
        for parameter in item.parameters:
            yield member_iri(iri, parameter.name), parameter.sap
