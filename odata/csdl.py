"""Metadata bytes -> ``ServiceDocument``. The root element's namespace decides what the file is, never its name.

Source: OData CSDL XML 4.01; MS-CSDL for the schemas of V2 and V3.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lxml import etree

from odata import csdl_v2, csdl_v4
from odata.csdl_annotations import annotations_of
from odata.csdl_checks import check_references, effective_navigations
from odata.csdl_context import METADATA, CsdlContext, sap_attributes
from odata.csdl_model import (
    Annotation,
    AssociationSet,
    Container,
    EntitySet,
    EnumType,
    Operation,
    OperationImport,
    Reference,
    Schema,
    ServiceDocument,
    StructuredType,
    TypeDefinition,
    Version,
)
from odata.csdl_policy import CsdlPolicy, Defect
from odata.csdl_types import ReadNavigation, read_enum_type, read_structured_type, read_type_definition
from odata.errors import WrongRoot
from odata.safe_xml import attribute, children, line_of, local_name, namespace, parse_document

EDMX_V4 = "http://docs.oasis-open.org/odata/ns/edmx"
EDM_V4 = "http://docs.oasis-open.org/odata/ns/edm"
EDMX_V2 = "http://schemas.microsoft.com/ado/2007/06/edmx"
EDM_V3 = "http://schemas.microsoft.com/ado/2009/11/edm"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# BCP 47, section 2.1: language, script, region, variants, extensions, private use.
_LANGUAGE_TAG = re.compile(
    r"([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z\d]{5,8}|\d[a-z\d]{3}))*"
    r"(-[a-wyz\d](-[a-z\d]{2,8})+)*(-x(-[a-z\d]{1,8})+)?",
    re.ASCII | re.IGNORECASE,
)
EDM_OLD = frozenset(
    f"http://schemas.microsoft.com/ado/{date}/edm" for date in ("2006/04", "2007/05", "2008/01", "2008/09", "2009/08")
) | {EDM_V3}
_Member = TypeVar("_Member", EntitySet, OperationImport, AssociationSet)
_Named = TypeVar("_Named", StructuredType, EnumType, TypeDefinition)


@dataclass
class _Parts:
    """What has been read so far of one document."""

    types: dict[str, StructuredType] = field(default_factory=dict)
    enums: dict[str, EnumType] = field(default_factory=dict)
    definitions: dict[str, TypeDefinition] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)
    sets: list[EntitySet] = field(default_factory=list)
    imports: list[OperationImport] = field(default_factory=list)
    association_sets: list[AssociationSet] = field(default_factory=list)


def is_csdl(root: etree._Element) -> bool:
    """Whether this root element begins a metadata document."""
    name, uri = local_name(root), namespace(root)
    return (name == "Edmx" and uri in (EDMX_V4, EDMX_V2)) or (name == "Schema" and (uri == EDM_V4 or uri in EDM_OLD))


def read_csdl(data: bytes, file: str, policy: CsdlPolicy | None = None) -> ServiceDocument:
    """Read one metadata document. ``file`` is used in messages only.

    Raises ``DocumentTypeRefused``, ``IllFormedXml`` or ``WrongRoot``; other defects become ``findings``.
    """
    return read_root(parse_document(data, file), data, file, policy)


def read_root(root: etree._Element, data: bytes, file: str, policy: CsdlPolicy | None = None) -> ServiceDocument:
    """As ``read_csdl``, for a document that is parsed already."""
    if not is_csdl(root):
        found = f"{local_name(root)} in namespace {namespace(root) or '(none)'}"
        reason = f"the root is {found}, not edmx:Edmx or edm:Schema"
        raise WrongRoot(file, line_of(root), local_name(root), reason, "save the service's $metadata document")
    services = list(children(root, "DataServices"))
    holders = services or [root]
    bare = local_name(root) == "Schema"
    schemas = [root] if bare else [schema for holder in holders for schema in children(holder, "Schema")]
    version = _version(root, services, schemas)
    references = _references(root)
    context = CsdlContext(file, policy or CsdlPolicy(), _aliases(schemas, references), _declared(schemas))
    if not schemas:
        context.report(Defect.MISSING_ATTRIBUTE, line_of(root), local_name(root), "holds no Schema: nothing to load")
    reader = _SchemaReader(context, version)
    reader.read(schemas)
    document = reader.document(file, version, hashlib.sha256(data).hexdigest(), schemas, references)
    return check_references(document, context)


def _version(root: etree._Element, services: Iterable[etree._Element], schemas: Iterable[etree._Element]) -> Version:
    """The schemas decide; the wrapper does where there is none, since either version's may stand around the other's."""
    uris = {namespace(schema) for schema in schemas}
    if EDM_V4 in uris or (not uris and namespace(root) == EDMX_V4):
        return "4.01" if root.get("Version") == "4.01" else "4.0"
    declared = [attribute(holder, "DataServiceVersion", METADATA) or "" for holder in services]
    return "3.0" if EDM_V3 in uris or any(text.startswith("3") for text in declared) else "2.0"


def _schema(element: etree._Element) -> Schema:
    holders = (element, *element.iterancestors())
    language = next((str(found.get(_LANGUAGE)) for found in holders if found.get(_LANGUAGE)), "")
    return Schema(
        namespace=element.get("Namespace") or "",
        alias=element.get("Alias") or "",
        # What is no language tag (BCP 47) would be no RDF either.
        language=language.lower() if _LANGUAGE_TAG.fullmatch(language) else "",
        sap=sap_attributes(element),
        line=line_of(element),
    )


def _references(root: etree._Element) -> tuple[Reference, ...]:
    return tuple(
        Reference(
            reference.get("Uri") or reference.get("Url") or "",
            tuple((part.get("Namespace") or "", part.get("Alias") or "") for part in children(reference, "Include")),
        )
        for reference in children(root, "Reference")
    )


def _aliases(schemas: Iterable[etree._Element], references: Iterable[Reference]) -> Mapping[str, str]:
    found = {alias: uri for reference in references for uri, alias in reference.includes if alias and uri}
    for schema in schemas:
        for holder in (schema, *children(schema, "Using")):
            if holder.get("Alias") and holder.get("Namespace"):
                found[str(holder.get("Alias"))] = str(holder.get("Namespace"))
    return found


def _declared(schemas: Iterable[etree._Element]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for schema in schemas:
        for element in children(schema, "EntityType", "ComplexType", "EnumType", "TypeDefinition", "Association"):
            name = element.get("Name") or ""
            found.setdefault(name, []).append(f"{schema.get('Namespace') or ''}.{name}")
    return found


class _SchemaReader:
    """Walks the schemas in the order their parts depend on one another."""

    def __init__(self, context: CsdlContext, version: Version) -> None:
        self.context = context
        self.old = version in ("2.0", "3.0")
        self.v3 = version == "3.0"
        self.associations = csdl_v2.AssociationReader()
        self.parts = _Parts()
        self.members: set[tuple[bool, str, str]] = set()
        self.signatures: set[str] = set()

    def read(self, schemas: Iterable[etree._Element]) -> None:
        named = [(schema, schema.get("Namespace") or "") for schema in schemas]
        for schema, uri in named:
            self.context.namespace = uri
            for element in children(schema, "Association"):
                self.associations.read(self.context, element)
        for schema, uri in named:
            self.context.namespace = uri
            self.context.annotate(uri, schema)
            for element in schema:
                self._schema_child(element)

    def _schema_child(self, element: etree._Element) -> None:
        name, context, parts = local_name(element), self.context, self.parts
        if name in ("EntityType", "ComplexType"):
            read_navigation: ReadNavigation = self.associations.navigation if self.old else csdl_v4.read_navigation
            self._keep(parts.types, read_structured_type(context, element, read_navigation))
        elif name == "EnumType":
            self._keep(parts.enums, read_enum_type(context, element))
        elif name == "TypeDefinition":
            self._keep(parts.definitions, read_type_definition(context, element))
        elif name in ("Action", "Function") and not self.old:
            operation = csdl_v4.read_operation(context, element)
            if operation is not None and operation.signature in self.signatures:
                message = "is declared twice with the same binding and parameter types, the first one is kept"
                context.report(Defect.DUPLICATE, operation.line, operation.signature, message)
            elif operation is not None:
                self.signatures.add(operation.signature)
                parts.operations.append(operation)
        elif name == "EntityContainer":
            self._container(element)
        elif name == "Annotations":
            self._external(element)

    def _keep(self, table: dict[str, _Named], item: _Named | None) -> None:
        if item is None:
            return
        if any(item.name in other for other in (self.parts.types, self.parts.enums, self.parts.definitions)):
            self.context.report(Defect.DUPLICATE, item.line, item.name, "is declared twice, the first one is kept")
        else:
            table[item.name] = item

    def _external(self, element: etree._Element) -> None:
        target = self.context.target_path(element.get("Target") or "")
        found = annotations_of(element, self.context.aliases, element.get("Qualifier") or "")
        if target and found:
            self.context.annotations.setdefault(target, []).extend(found)

    def _container(self, element: etree._Element) -> None:
        context, parts = self.context, self.parts
        simple = context.name_of(element)
        name = f"{context.namespace}.{simple}"
        if any(container.name == name for container in parts.containers):
            context.report(Defect.DUPLICATE, line_of(element), name, "is declared twice, the first one is kept")
            return
        context.annotate(name, element)
        flag = attribute(element, "IsDefaultEntityContainer", METADATA)
        extends = context.qualify(element.get("Extends") or "", line_of(element))
        default = not self.old or (flag or "").lower() == "true"
        parts.containers.append(Container(name, default, extends, sap_attributes(element), line_of(element)))
        for child in element:
            kind = local_name(child)
            if kind in ("EntitySet", "Singleton"):
                parts.sets += self._first((csdl_v2 if self.old else csdl_v4).read_entity_set(context, child, name))
            elif kind in ("FunctionImport", "ActionImport"):
                parts.imports += self._first(self._import(child, name))
            elif kind == "AssociationSet":
                parts.association_sets += self._first(csdl_v2.read_association_set(context, child, name))

    def _import(self, element: etree._Element, container: str) -> OperationImport | None:
        if self.old:
            return csdl_v2.read_import(self.context, element, container, self.v3)
        return csdl_v4.read_import(self.context, element, container)

    def _first(self, item: _Member | None) -> list[_Member]:
        """The new member of a container; nothing when it could not be read or its name is taken."""
        if item is None:
            return []
        key = (isinstance(item, AssociationSet), item.container, item.name)
        if key in self.members:
            self.context.report(Defect.DUPLICATE, item.line, item.name, "is declared twice, the first one is kept")
            return []
        self.members.add(key)
        return [item]

    def document(
        self,
        file: str,
        version: Version,
        digest: str,
        schemas: Iterable[etree._Element],
        references: tuple[Reference, ...],
    ) -> ServiceDocument:
        """Everything read, with V2 association sets turned into bindings."""
        parts = self.parts
        sets = tuple(parts.sets)
        if self.old:
            sets = csdl_v2.bind_sets(sets, parts.association_sets, effective_navigations(parts.types))
        return ServiceDocument(
            file=file,
            version=version,
            digest=digest,
            namespaces=tuple(schema.get("Namespace") or "" for schema in schemas),
            schemas=tuple(_schema(schema) for schema in schemas),
            references=references,
            containers=_with_default(parts.containers),
            types=parts.types,
            enums=parts.enums,
            type_definitions=parts.definitions,
            operations=tuple(parts.operations),
            entity_sets=sets,
            imports=tuple(parts.imports),
            associations=self.associations.associations,
            association_sets=tuple(parts.association_sets),
            annotations=_frozen(self.context.annotations),
        )


def _with_default(containers: list[Container]) -> tuple[Container, ...]:
    """Where none is flagged the first one is the default; without another its members need no prefix."""
    if containers and not any(container.default for container in containers):
        return (replace(containers[0], default=True), *containers[1:])
    return tuple(containers)


def _frozen(annotations: Mapping[str, list[Annotation]]) -> Mapping[str, tuple[Annotation, ...]]:
    return {target: tuple(found) for target, found in annotations.items()}
