"""One metadata document -> one named graph."""

from graph.from_csdl_endpoints import write_endpoints
from graph.from_csdl_schemas import write_schemas
from graph.from_csdl_types import write_types
from graph.iris import graph_iri, member_iri, service_iri
from graph.nquads import GraphWriter
from graph.statements import Statements
from graph.vocabulary import DCTERMS, OD
from odata.csdl_model import ServiceDocument


def write_service(service: str, document: ServiceDocument) -> GraphWriter:
    """All triples of one service; ``service`` is its id (the file's stem)."""
    writer = GraphWriter(graph_iri("service", service, document.digest))
    iri = service_iri(service)
    writer.type(iri, OD.Service)
    writer.text(iri, OD.name, service)
    writer.text(iri, OD.file, document.file)
    writer.text(iri, OD.version, document.version)
    writer.text(iri, OD.metadataDigest, document.digest)
    for namespace in document.namespaces:
        writer.text(iri, OD.namespace, namespace)
    _write_title(writer, iri, document)
    _write_references(writer, iri, document)
    write_schemas(writer, service, document)
    write_types(writer, service, document)
    write_endpoints(writer, service, document)
    return writer


def _write_title(writer: GraphWriter, iri: str, document: ServiceDocument) -> None:
    """Texts that stand on the containers or schemas; without one the service has its name only."""
    holders = [container.name for container in document.containers] + list(document.namespaces)
    for holder in holders:
        stated = Statements(document.annotations.get(holder, ()), {})
        title = stated.label or stated.description
        if title:
            language = document.language_of(holder)
            writer.text(iri, DCTERMS.title, title, language)
            if stated.description != title:
                writer.text(iri, DCTERMS.description, stated.description, language)
            return


def _write_references(writer: GraphWriter, iri: str, document: ServiceDocument) -> None:
    for number, reference in enumerate(document.references):
        node = member_iri(iri, f"reference-{number}")
        writer.iri(iri, OD.reference, node)
        writer.integer(node, OD.position, number)
        writer.type(node, OD.Reference)
        writer.text(node, OD.uri, reference.uri)
        for namespace, _ in reference.includes:
            writer.text(node, OD.includes, namespace)
