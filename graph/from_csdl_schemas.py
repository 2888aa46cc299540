"""Schemas, containers and (V2, V3) associations as triples: what stands around types and sets."""

from graph.from_csdl_types import CARDINALITIES, stated_of
from graph.iris import association_iri, container_iri, member_iri, schema_iri, service_iri, type_iri
from graph.nquads import GraphWriter
from graph.statements import write_texts
from graph.vocabulary import OD
from odata.csdl_model import Association, ServiceDocument


def write_schemas(writer: GraphWriter, service: str, document: ServiceDocument) -> None:
    """All of them."""
    for schema in document.schemas:
        iri = schema_iri(service, schema.namespace)
        writer.type(iri, OD.Schema)
        writer.iri(service_iri(service), OD.schema, iri)
        writer.string(iri, OD.namespace, schema.namespace)
        writer.text(iri, OD.alias, schema.alias)
        write_texts(writer, iri, stated_of(document, schema.namespace, dict(schema.sap)))
    for container in document.containers:
        iri = container_iri(service, container.name)
        writer.type(iri, OD.EntityContainer)
        writer.iri(service_iri(service), OD.entityContainer, iri)
        writer.text(iri, OD.qualifiedName, container.name)
        writer.text(iri, OD.extends, container.extends)
        write_texts(writer, iri, stated_of(document, container.name, dict(container.sap)))
    for association in document.associations.values():
        _write_association(writer, service, association)


def _write_association(writer: GraphWriter, service: str, association: Association) -> None:
    iri = association_iri(service, association.name)
    writer.type(iri, OD.Association)
    writer.text(iri, OD.qualifiedName, association.name)
    for position, end in enumerate(association.ends):
        node = member_iri(iri, str(position))
        writer.iri(iri, OD.end, node)
        writer.type(node, OD.AssociationEnd)
        writer.integer(node, OD.position, position)
        writer.text(node, OD.role, end.role)
        writer.iri(node, OD.targetType, type_iri(service, end.type))
        writer.iri(node, OD.cardinality, CARDINALITIES[end.multiplicity])
        writer.text(node, OD.onDelete, end.on_delete)
