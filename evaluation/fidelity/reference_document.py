"""All facts of one metadata document: structure, operations, and what every element says of itself."""

import re
from collections.abc import Iterator
from typing import Any

from embedded.odata_service.csdl import read_document
from embedded.odata_service.csdl_model import Document, EntityContainer, OperationImport, Property, SapAttributes
from embedded.odata_service.csdl_xml import parse_metadata
from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.reference_annotations import member_annotations
from evaluation.fidelity.reference_csdl import structural_facts
from evaluation.fidelity.reference_operations import (
    imports_of,
    named_once,
    operation_facts,
    operations_of,
    shown_parameters,
    signature,
)
from evaluation.fidelity.reference_sets import set_annotations
from evaluation.fidelity.said import Said

# A tag as RFC 5646 builds it, subtag by subtag.
_LANGUAGE = re.compile(
    "(?i)(?:[a-z]{2,3}(?:-[a-z]{3})?(?:-[a-z]{3})?(?:-[a-z]{3})?|[a-z]{4,8})"
    "(?:-[a-z]{4})?(?:-(?:[a-z][a-z]|[0-9]{3}))?(?:-(?:[0-9a-z]{5,8}|[0-9][0-9a-z]{3}))*"
    "(?:-[0-9a-wy-z](?:-[0-9a-z]{2,8})+)*(?:-x(?:-[0-9a-z]{1,8})+)?",
    re.ASCII,
)


def csdl_facts(data: bytes, file: str, key: str) -> FactTable:
    """Facts of one metadata file."""
    document = read_document(parse_metadata(data, file), file)
    table = FactTable(key)
    structural_facts(document, table)
    operation_facts(document, table)
    _Speaker(document, table).all()
    return table


class _Speaker:
    """Walks every element that may carry a label, an annotation or a ``sap:`` attribute."""

    def __init__(self, document: Document, table: FactTable) -> None:
        self.document = document
        self.table = table
        self.languages = {schema.namespace: schema.language or "" for schema in document.schemas}

    def all(self) -> None:
        """Everything."""
        document = self.document
        for schema in document.schemas:
            self._labels(self._said(schema.namespace, schema.namespace, schema.annotations, schema.sap))
        self._types()
        for container in document.containers.values():
            self._container(container)
        for association in document.associations.values():
            self._said(association.name, "", {}, association.sap)
        for operation in operations_of(document):
            path = signature(operation)
            self._labels(self._said(path, operation.name.rpartition(".")[0], operation.annotations, {}))
            for parameter in shown_parameters(operation):
                self._member(f"{path}/{parameter.name}", operation.name.rpartition(".")[0], parameter)

    def _said(self, path: str, namespace: str, annotations: dict[str, Any], sap: SapAttributes) -> Said:
        for name, value in sap.items():
            if ":" not in name:
                self.table.add("sap_annotations", path, name, value)
        return Said(path, annotations, sap, self.languages.get(namespace, ""))

    def _types(self) -> None:
        document = self.document
        for struct in document.types.values():
            namespace = struct.name.rpartition(".")[0]
            self._labels(self._said(struct.name, namespace, struct.annotations, struct.sap))
            for item in struct.properties.values():
                self._member(f"{struct.name}/{item.name}", namespace, item)
            for name, annotations in struct.refined.items():
                self._refined(
                    f"{struct.name}/{name}", namespace, document.all_properties(struct.name)[name], annotations
                )
            for nav in struct.navigations.values():
                said = self._said(f"{struct.name}/{nav.name}", namespace, nav.annotations, nav.sap)
                self._labels(said)
                deep = said.sap_flag("creatable")
                if deep is not None:
                    self.table.add("annotations", said.path, "deepInsert", "Verified" if deep else "Denied")
                    self.table.add("annotations", said.path, "deepInsertSource", "sap:creatable")
        for enum in document.enums.values():
            namespace = enum.name.rpartition(".")[0]
            self._labels(self._said(enum.name, namespace, enum.annotations, {}))
            for name in enum.members:
                annotations = enum.member_annotations.get(name, {})
                self._labels(self._said(f"{enum.name}/{name}", namespace, annotations, {}))
        for definition in document.type_definitions.values():
            said = self._said(definition.name, definition.name.rpartition(".")[0], definition.annotations, {})
            self._labels(said)
            member_annotations(said, "", self.table)

    def _member(self, path: str, namespace: str, item: Any) -> None:
        said = self._said(path, namespace, item.annotations, item.sap)
        self._labels(said)
        member_annotations(said, getattr(item, "store_generated", None) or "", self.table)

    def _refined(self, path: str, namespace: str, item: Property, here: dict[str, Any]) -> None:
        """An inherited property as one type sees it: what is said there comes before what its declaration says."""
        said = Said(path, {**here, **_unsaid(item.annotations, here)}, item.sap, self.languages.get(namespace, ""))
        self._labels(said)
        member_annotations(said, item.store_generated or "", self.table)

    def _container(self, container: EntityContainer) -> None:
        namespace = container.name.rpartition(".")[0]
        whole = self._said(container.name, namespace, container.annotations, container.sap)
        self._labels(whole)
        for item in container.sets.values():
            if item.name and item.type:
                said = self._said(f"{container.name}/{item.name}", namespace, item.annotations, item.sap)
                self._labels(said)
                set_annotations(said, whole, self.table)
        for imported in imports_of(container, self.document.version == "V2"):
            self._import(container, imported, namespace)
        for link in container.association_sets.values():
            if link.name:
                self._said(f"{container.name}/{link.name}", "", {}, link.sap)

    def _import(self, container: EntityContainer, item: OperationImport, namespace: str) -> None:
        path = f"{container.name}/{item.name}"
        said = dict(item.annotations)
        # What an import leaves open its operation says.
        for overload in list(self.document.operations.get(item.operation or "", [])):
            if not overload.is_bound:
                said = {**overload.annotations, **said}
                break
        self._labels(self._said(path, namespace, said, item.sap))
        if self.document.version == "V2":
            for parameter in named_once(item.parameters):
                self._member(f"{path}/{parameter.name}", namespace, parameter)

    def _labels(self, said: Said) -> None:
        self.table.add_all("labels", (said.path,), _texts(said))


def _unsaid(annotations: dict[str, Any], here: dict[str, Any]) -> dict[str, Any]:
    """Annotations whose term and qualifier are not among ``here``."""
    said = {key.partition("@")[0].partition("!")[0] for key in here}
    return {key: value for key, value in annotations.items() if key.partition("@")[0].partition("!")[0] not in said}


def _texts(said: Said) -> Iterator[tuple[str, str]]:
    """What people call the element, and the first longer text, each with the language of its schema."""
    mark = f"@{said.language.lower()}" if _LANGUAGE.fullmatch(said.language) else ""
    label = said.sap.get("label", "") or said.text("Common.Label")
    if label:
        yield "label", label + mark
    longer = (
        said.text("Core.Description"),
        said.sap.get("quickinfo", ""),
        said.text("Common.QuickInfo"),
        said.text("Core.LongDescription"),
    )
    description = next((text for text in longer if text), "")
    if description:
        yield "description", description + mark
