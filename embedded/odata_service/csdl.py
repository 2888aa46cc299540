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
    EDMX_V4,
    MICROSOFT_METADATA,
    SAP,
    children,
    foreign_attributes,
    local_name,
    parse_metadata,
)
from embedded.odata_service.errors import MetadataError

V4_EDM = "http://docs.oasis-open.org/odata/ns/edm"
OLD_EDM = "http://schemas.microsoft.com/ado/"
V3_EDM = "http://schemas.microsoft.com/ado/2009/11/edm"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def read_metadata(data: bytes, source: str) -> Document:
    """Raises MetadataError when `data` is no metadata document; `source` is the name used in messages."""
    root = parse_metadata(data, source)
    read_version(root, source)
    return read_document(root, source)


def metadata_version(data: bytes, source: str) -> str:
    """`V2` or `V4`, by content; checks that the document can be read at all."""
    return read_version(parse_metadata(data, source), source)


def read_version(root: etree._Element, source: str) -> str:
    """As the protocol of the schemas says. Raises MetadataError for a document without a schema of a known version."""
    schemas = _schemas(root)
    if not schemas:
        raise MetadataError(f"{source}, line {root.sourceline}: no Schema element below edmx:DataServices")
    spaces = {_space(schema) for schema in schemas}
    if V4_EDM not in spaces and not all(space.startswith(OLD_EDM) for space in spaces):
        raise MetadataError(f"{source}, line {schemas[0].sourceline}: unknown schema namespace {sorted(spaces)}")
    return "V4" if protocol_of(root).startswith("4") else "V2"


def protocol_of(root: etree._Element) -> str:
    """2.0, 3.0, 4.0 or 4.01, by the namespace of the schemas; of edmx only where there is none.

    V2 documents of SAP carry edmx V4 References, and documents of V3 may call their DataServiceVersion 1.0.
    """
    spaces = {_space(schema) for schema in _schemas(root)}
    if V4_EDM in spaces or (not spaces and _space(root) == EDMX_V4):
        return "4.01" if root.get("Version") == "4.01" else "4.0"
    stated = [
        services.get(f"{{{MICROSOFT_METADATA}}}DataServiceVersion") for services in children(root, "DataServices")
    ]
    return "3.0" if V3_EDM in spaces or any((text or "").startswith("3") for text in stated) else "2.0"


def _space(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[0].lstrip("{")


def _uses_sap_protocol(root: etree._Element, schemas: list[etree._Element], document: Document) -> bool:
    """True for documents of an SAP Gateway: `sap:` attributes (V2) or `SAP__` vocabulary aliases (V4)."""
    spaces = {space for element in (root, *schemas) for space in element.nsmap.values()}
    return SAP in spaces or any(alias.startswith("SAP__") for alias in document.aliases)


def _schemas(root: etree._Element) -> list[etree._Element]:
    """The Schema elements: below DataServices, below edmx:Edmx itself, or the root where the file is a bare schema."""
    if local_name(root) == "Schema":
        return [root]
    holders = list(children(root, "DataServices")) or [root]
    return [schema for holder in holders for schema in children(holder, "Schema")]


def read_document(root: etree._Element, source: str) -> Document:
    """The whole document from its parsed root, of any version; an empty one where there is no schema."""
    protocol = protocol_of(root)
    document = Document(source, "V4" if protocol.startswith("4") else "V2", str(root.get("Version") or ""), protocol)
    _read_references(root, document)
    found = _schemas(root)
    for schema in found:
        _read_schema_header(schema, document)
    document.uses_sap_protocol = _uses_sap_protocol(root, found, document)
    for schema, header in zip(found, document.schemas, strict=True):
        _read_schema(schema, header, document)
    link_associations(document)
    place_external_annotations(document)
    report_dangling(document)
    return document


def _read_references(root: etree._Element, document: Document) -> None:
    for reference in children(root, "Reference"):
        includes = tuple(
            (str(child.get("Namespace") or ""), child.get("Alias")) for child in children(reference, "Include")
        )
        uri = reference.get("Uri") or reference.get("Url")  # V3 calls it Url
        document.references.append(Reference(str(uri or ""), includes))
        document.aliases.update({alias: namespace for namespace, alias in includes if alias and namespace})


def _read_schema_header(element: etree._Element, document: Document) -> None:
    language = next((found.get(LANGUAGE) for found in (element, *element.iterancestors()) if found.get(LANGUAGE)), None)
    namespace = str(element.get("Namespace") or "")
    schema = Schema(namespace, element.get("Alias"), language, foreign_attributes(element))
    for child in children(element, "EntityType", "ComplexType", "EnumType", "TypeDefinition", "Association"):
        name = str(child.get("Name") or "")
        document.declared.setdefault(name, []).append(f"{namespace}.{name}")
    if schema.alias and namespace:
        document.aliases[schema.alias] = schema.namespace
    for using in children(element, "Using"):
        if using.get("Alias") and using.get("Namespace"):
            document.aliases[str(using.get("Alias"))] = str(using.get("Namespace"))
    document.schemas.append(schema)


def _read_schema(element: etree._Element, schema: Schema, document: Document) -> None:
    namespace = document.namespace = schema.namespace
    schema.annotations.update(annotations_of(element, document.resolve))
    for child in children(element):
        kind = local_name(child)
        if kind in ("Action", "Function") and child.get("Name"):
            operation = elements.read_operation(child, namespace, document)
            document.operations.setdefault(operation.name, []).append(operation)
        elif kind == "EntityContainer":
            _read_container(child, namespace, document)
        elif kind == "Annotations":
            _read_external_annotations(child, document)
        elif child.get("Name"):
            _read_named(child, kind, namespace, document)


def _read_named(child: etree._Element, kind: str, namespace: str, document: Document) -> None:
    """Elements that a name refers to; the first one of a name counts, whatever kind of type it is."""
    name = f"{namespace}.{child.get('Name')}"
    types = kind in ("EntityType", "ComplexType", "EnumType", "TypeDefinition")
    if types and any(name in table for table in (document.types, document.enums, document.type_definitions)):
        document.problems.append(f"{document.source}, line {child.sourceline}: {kind} {name} is declared twice")
    elif kind in ("EntityType", "ComplexType"):
        struct = elements.read_structured_type(child, namespace, document)
        document.types.setdefault(struct.name, struct)
    elif kind == "EnumType":
        enum = elements.read_enum_type(child, namespace, document)
        document.enums.setdefault(enum.name, enum)
    elif kind == "TypeDefinition":
        definition = elements.read_type_definition(child, namespace, document)
        document.type_definitions.setdefault(definition.name, definition)
    elif kind in ("Term", "ValueTerm"):
        term = elements.read_term(child, namespace, document)
        document.terms.setdefault(term.name, term)
    elif kind == "Association":
        association = elements.read_association(child, namespace, document)
        document.associations.setdefault(association.name, association)


def _read_container(element: etree._Element, namespace: str, document: Document) -> None:
    name = f"{namespace}.{element.get('Name') or ''}"
    attributes = foreign_attributes(element)
    extends = element.get("Extends")
    if name in document.containers:
        document.problems.append(f"{document.source}: EntityContainer {name} is declared twice, the first one is kept")
        return
    document.containers[name] = container = EntityContainer(
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
            if item.name not in container.imports:
                container.sets.setdefault(item.name, item)
        elif kind in ("ActionImport", "FunctionImport"):
            imported = elements.read_import(child, document)
            if imported.name not in container.sets:
                container.imports.setdefault(imported.name, imported)
        elif kind == "AssociationSet":
            association_set = elements.read_association_set(child, document)
            if association_set.name:
                container.association_sets.setdefault(association_set.name, association_set)


def _read_external_annotations(element: etree._Element, document: Document) -> None:
    target = str(element.get("Target") or "")
    qualifier = element.get("Qualifier")
    for child in children(element, "Annotation"):
        term = term_name(child, document.resolve)
        if qualifier and "#" not in term:
            term = f"{term}#{qualifier}"
        document.external_annotations.append((target, term, annotation_value(child, document.resolve)))
        for inner, value in annotations_of(child, document.resolve).items():
            document.external_annotations.append((target, f"{term}@{inner}", value))
