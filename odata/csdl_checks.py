"""Checks over a whole document: what a name refers to must exist. Findings only; nothing is taken away."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from odata.csdl_context import CsdlContext
from odata.csdl_model import NavigationProperty, Operation, OperationImport, Property, ServiceDocument, StructuredType
from odata.csdl_policy import Defect

_SAP_REFERENCES = ("text", "unit", "field-control", "creatable-path", "updatable-path", "deletable-path")


def ancestry(types: Mapping[str, StructuredType], name: str) -> list[StructuredType]:
    """The type and its base types, base first; a cycle of BaseTypes ends where it closes."""
    found: list[StructuredType] = []
    seen: set[str] = set()
    current: str | None = name
    while current is not None and current in types and current not in seen:
        seen.add(current)
        found.append(types[current])
        current = types[current].base
    return found[::-1]


def effective_properties(types: Mapping[str, StructuredType], name: str) -> dict[str, Property]:
    """Properties of a type with those of its base types, by name."""
    return {item.name: item for part in ancestry(types, name) for item in part.properties}


def effective_navigations(types: Mapping[str, StructuredType]) -> dict[str, list[NavigationProperty]]:
    """Navigations of every type, with those of its base types."""
    return {name: [item for part in ancestry(types, name) for item in part.navigations] for name in types}


def check_references(document: ServiceDocument, context: CsdlContext) -> ServiceDocument:
    """The document with its findings; a policy may raise instead."""
    known = {*document.types, *document.enums, *document.type_definitions}
    foreign = {uri for reference in document.references for uri, _ in reference.includes} - set(document.namespaces)
    for line, element, used in _used_types(document):
        namespace = used.rpartition(".")[0]
        if used and used not in known and namespace != "Edm" and namespace not in foreign and "Edm." not in used[:4]:
            context.report(Defect.DANGLING_TYPE, line, element, f"type {used} is not declared")
    for structured in document.types.values():
        _check_members(document, context, structured)
    _check_sets(document, context)
    _check_targets(document, context, known)
    return replace(document, findings=tuple(context.findings))


def _used_types(document: ServiceDocument) -> Iterator[tuple[int, str, str]]:
    for structured in document.types.values():
        if structured.base:
            yield structured.line, structured.name, structured.base
        for item in structured.properties:
            yield item.line, f"Property {structured.name}/{item.name}", item.type
        for navigation in structured.navigations:
            yield navigation.line, f"NavigationProperty {structured.name}/{navigation.name}", navigation.target
    for entity_set in document.entity_sets:
        yield entity_set.line, f"{entity_set.kind} {entity_set.name}", entity_set.entity_type
    callables: tuple[Operation | OperationImport, ...] = (*document.operations, *document.imports)
    for operation in callables:
        for parameter in operation.parameters:
            yield parameter.line, f"Parameter {operation.name}/{parameter.name}", parameter.type
        if operation.returns is not None:
            yield operation.line, f"{operation.kind} {operation.name}", operation.returns.type


def _check_members(document: ServiceDocument, context: CsdlContext, structured: StructuredType) -> None:
    members = effective_properties(document.types, structured.name)
    for key, _ in structured.keys:
        if key.partition("/")[0] not in members:
            context.report(
                Defect.DANGLING_PROPERTY, structured.line, structured.name, f"key {key} is no property of it"
            )
    for item in structured.properties:
        for name in _SAP_REFERENCES:
            path = item.sap.get(name)
            # A longer path goes through a navigation, whose far end is checked where it is declared.
            if path and "/" not in path and path not in members:
                label = f"Property {structured.name}/{item.name}"
                context.report(
                    Defect.DANGLING_PROPERTY, item.line, label, f"sap:{name} names {path}, which does not exist"
                )
    for navigation in structured.navigations:
        for own, _ in navigation.constraints:
            if own.partition("/")[0] not in members:
                label = f"NavigationProperty {structured.name}/{navigation.name}"
                context.report(
                    Defect.DANGLING_PROPERTY, navigation.line, label, f"constraint names {own!r}, no property"
                )


def _check_sets(document: ServiceDocument, context: CsdlContext) -> None:
    sets = {entity_set.name for entity_set in document.entity_sets}
    for entity_set in document.entity_sets:
        for path, target in entity_set.bindings:
            if "." not in target and target.partition("/")[0] not in sets:
                label = f"{entity_set.kind} {entity_set.name}"
                context.report(Defect.DANGLING_SET, entity_set.line, label, f"{path} is bound to {target}, no such set")
    for item in document.imports:
        target = item.entity_set
        if target and "." not in target and target.partition("/")[0] not in sets:
            context.report(
                Defect.DANGLING_SET, item.line, f"{item.kind} {item.name}", f"EntitySet {target} does not exist"
            )
    operations = {operation.name for operation in document.operations}
    for item in document.imports:
        if item.operation and item.operation not in operations:
            label = f"{item.kind} {item.name}"
            context.report(Defect.DANGLING_TARGET, item.line, label, f"{item.operation} is not declared")


def _check_targets(document: ServiceDocument, context: CsdlContext, known: set[str]) -> None:
    """Annotations whose target's first segment is in one of our namespaces but nowhere declared."""
    heads = known | {container.name for container in document.containers} | set(document.namespaces)
    heads |= {operation.name for operation in document.operations} | set(document.associations)
    for target, found in document.annotations.items():
        head = target.partition("(")[0].partition("/")[0]
        if head not in heads and head.rpartition(".")[0] in document.namespaces:
            context.report(Defect.DANGLING_TARGET, found[0].line, f"Annotations {target}", "the target does not exist")
            continue
        first, _, rest = target.partition("/")
        if first in document.types and rest and "/" not in rest and not _member_exists(document, first, rest):
            context.report(Defect.DANGLING_TARGET, found[0].line, f"Annotations {target}", "the member does not exist")


def _member_exists(document: ServiceDocument, type_name: str, member: str) -> bool:
    parts = ancestry(document.types, type_name)
    names = {item.name for part in parts for item in part.properties}
    return member in names or any(member == item.name for part in parts for item in part.navigations)
