"""Reader of CSDL V2 and V4 documents: bytes in, `csdl_model.Document` out.

Independent of the product's own reader on purpose: the fidelity audit compares the two.
Lenient in what it refers to (a dangling reference is a line in `Document.problems`), strict in form (MetadataError).
"""

from __future__ import annotations

from lxml import etree

from embedded.odata_service import csdl_elements as elements
from embedded.odata_service.csdl_annotations import annotation_value, annotations_of, term_name
from embedded.odata_service.csdl_links import link_associations, place_external_annotations, report_dangling
from embedded.odata_service.csdl_model import Document, EntityContainer, Reference, Schema
from embedded.odata_service.csdl_xml import (
    EDMX_V2,
    EDMX_V4,
    SAP,
    children,
    foreign_attributes,
    local_name,
    parse_metadata,
)
from embedded.odata_service.errors import MetadataError

V4_EDM = "http://docs.oasis-open.org/odata/ns/edm"


def read_metadata(data: bytes, source: str) -> Document:
    """Raises MetadataError when `data` is no metadata document; `source` is the name used in messages."""
    return read_document(parse_metadata(data, source), source)


def metadata_version(data: bytes, source: str) -> str:
    """`V2` or `V4`, by content; checks that the document can be read at all."""
    return read_version(parse_metadata(data, source), source)


def read_version(root: etree._Element, source: str) -> str:
    """By the namespace of the schemas, not of edmx: V2 documents of SAP carry edmx V4 References."""
    schemas = [schema for _, schema in _schemas(root)]
    if not schemas:
        raise MetadataError(f"{source}, line {root.sourceline}: no Schema element below edmx:DataServices")
    spaces = {str(schema.tag).rpartition("}")[0].lstrip("{") for schema in schemas}
    if V4_EDM in spaces:
        return "V4"
    if all(space.startswith("http://schemas.microsoft.com/ado/") for space in spaces):
        return "V2"
    raise MetadataError(f"{source}, line {schemas[0].sourceline}: unknown schema namespace {sorted(spaces)}")


def _uses_sap_protocol(root: etree._Element, schemas: list[etree._Element], document: Document) -> bool:
    """True for documents of an SAP Gateway: `sap:` attributes (V2) or `SAP__` vocabulary aliases (V4)."""
    spaces = {space for element in (root, *schemas) for space in element.nsmap.values()}
    return SAP in spaces or any(alias.startswith("SAP__") for alias in document.aliases)


def _schemas(root: etree._Element) -> list[tuple[etree._Element, etree._Element]]:
    return [
        (services, schema)
        for services in children(root, "DataServices")
        for schema in children(services, "Schema")
        if str(services.tag) in (f"{{{EDMX_V2}}}DataServices", f"{{{EDMX_V4}}}DataServices")
    ]


def read_document(root: etree._Element, source: str) -> Document:
    """The whole document from its parsed root."""
    version = read_version(root, source)
    document = Document(source, "V4" if version == "V4" else "V2", str(root.get("Version") or ""))
    _read_references(root, document)
    found = [schema for _, schema in _schemas(root)]
    for schema in found:
        _read_schema_header(schema, document)
    document.uses_sap_protocol = _uses_sap_protocol(root, found, document)
    for schema in found:
        _read_schema(schema, document)
    link_associations(document)
    place_external_annotations(document)
    report_dangling(document)
    return document


def _read_references(root: etree._Element, document: Document) -> None:
    for reference in children(root, "Reference"):
        includes = tuple(
            (str(child.get("Namespace") or ""), child.get("Alias")) for child in children(reference, "Include")
        )
        document.references.append(Reference(str(reference.get("Uri") or ""), includes))
        document.aliases.update({alias: namespace for namespace, alias in includes if alias})


def _read_schema_header(element: etree._Element, document: Document) -> None:
    schema = Schema(str(element.get("Namespace") or ""), element.get("Alias"), foreign_attributes(element))
    if schema.alias:
        document.aliases[schema.alias] = schema.namespace
    for using in children(element, "Using"):
        if using.get("Alias") and using.get("Namespace"):
            document.aliases[str(using.get("Alias"))] = str(using.get("Namespace"))
    document.schemas.append(schema)


def _read_schema(element: etree._Element, document: Document) -> None:
    namespace = str(element.get("Namespace") or "")
    schema = next(found for found in document.schemas if found.namespace == namespace)
    schema.annotations.update(annotations_of(element, document.resolve))
    for child in children(element):
        kind = local_name(child)
        if kind in ("EntityType", "ComplexType"):
            struct = elements.read_structured_type(child, namespace, document)
            document.types[struct.name] = struct
        elif kind == "EnumType":
            enum = elements.read_enum_type(child, namespace, document)
            document.enums[enum.name] = enum
        elif kind == "TypeDefinition":
            definition = elements.read_type_definition(child, namespace, document)
            document.type_definitions[definition.name] = definition
        elif kind in ("Term", "ValueTerm"):
            term = elements.read_term(child, namespace, document)
            document.terms[term.name] = term
        elif kind == "Association":
            association = elements.read_association(child, namespace, document)
            document.associations[association.name] = association
        elif kind in ("Action", "Function"):
            operation = elements.read_operation(child, namespace, document)
            document.operations.setdefault(operation.name, []).append(operation)
        elif kind == "EntityContainer":
            _read_container(child, namespace, document)
        elif kind == "Annotations":
            _read_external_annotations(child, document)


def _read_container(element: etree._Element, namespace: str, document: Document) -> None:
    name = f"{namespace}.{element.get('Name')}"
    attributes = foreign_attributes(element)
    extends = element.get("Extends")
    container = EntityContainer(
        name,
        extends=document.resolve(extends) if extends else None,
        is_default=attributes.get("m:IsDefaultEntityContainer", "true") == "true",
        sap=attributes,
        annotations=annotations_of(element, document.resolve),
    )
    for child in children(element):
        kind = local_name(child)
        if kind in ("EntitySet", "Singleton"):
            item = elements.read_entity_set(child, document)
            container.sets[item.name] = item
        elif kind in ("ActionImport", "FunctionImport"):
            imported = elements.read_import(child, document)
            container.imports[imported.name] = imported
        elif kind == "AssociationSet":
            association_set = elements.read_association_set(child, document)
            container.association_sets[association_set.name] = association_set
    document.containers[name] = container


def _read_external_annotations(element: etree._Element, document: Document) -> None:
    target = str(element.get("Target") or "")
    qualifier = element.get("Qualifier")
    for child in children(element, "Annotation"):
        term = term_name(child, document.resolve)
        if qualifier and "#" not in term:
            term = f"{term}#{qualifier}"
        document.external_annotations.append((target, term, annotation_value(child, document.resolve)))
