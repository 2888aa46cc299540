"""Metadata as a service gives it now, read without an ingestion: the facts of one service, for a look before a write."""

from graph.facts import Facts
from graph.from_csdl import write_service
from odata.csdl import read_root
from odata.csdl_policy import CsdlPolicy
from odata.deep import deep_recursion
from odata.safe_xml import parse_document


def facts_of_metadata(service: str, metadata: bytes) -> Facts:
    """What an ingestion of these bytes would say of the service. Raises ``odata.errors.MetadataError``."""
    shown = f"{service}/$metadata"
    with deep_recursion():
        document = read_root(parse_document(metadata, shown), metadata, shown, CsdlPolicy())
        writer = write_service(service, document)
    return Facts.of_lines(writer.graph, writer.lines())
