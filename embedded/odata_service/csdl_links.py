"""Second pass over a Document: V2 associations into navigations, external annotations onto their targets, dangling names."""

from __future__ import annotations

from typing import Any

from embedded.odata_service.csdl_annotations import keep_annotation
from embedded.odata_service.csdl_elements import read_type_ref
from embedded.odata_service.csdl_model import (
    Association,
    Document,
    EntityContainer,
    NavigationProperty,
    Operation,
    OperationImport,
    TypeRef,
)


def _link(nav: NavigationProperty, association: Association) -> bool:
    target = next((end for end in association.ends if end.role == nav.to_role), None)
    source = next((end for end in association.ends if end.role != nav.to_role), None)
    if target is None:
        return False
    nav.type = TypeRef(target.type, target.multiplicity == "*")
    nav.multiplicity = target.multiplicity
    nav.nullable = target.multiplicity != "1"
    nav.on_delete = source.on_delete if source is not None else None
    if association.principal and association.dependent:
        (principal_role, principal), (dependent_role, dependent) = association.principal, association.dependent
        # The far end is the principal, or the dependent one; roles that name neither end constrain nothing.
        nav.constraint_declared_here = principal_role == nav.to_role
        if nav.constraint_declared_here:
            nav.constraints = list(zip(dependent, principal, strict=False))
        elif dependent_role == nav.to_role:
            nav.constraints = list(zip(principal, dependent, strict=False))
    return True


def link_associations(document: Document) -> None:
    """Gives every V2 navigation its type, multiplicity and constraint; V4 ones their multiplicity."""
    for struct in document.types.values():
        for nav in struct.navigations.values():
            if nav.relationship is None:
                nav.multiplicity = "*" if nav.type.collection else ("0..1" if nav.nullable else "1")
                continue
            association = document.associations.get(nav.relationship)
            if association is None or not _link(nav, association):
                document.problems.append(
                    f"{document.source}: NavigationProperty {struct.name}/{nav.name}: no association end"
                    f" {nav.relationship} role {nav.to_role}"
                )


def _container_target(container: EntityContainer, path: list[str]) -> dict[str, Any] | None:
    if not path:
        return container.annotations
    found = container.sets.get(path[0]) or container.imports.get(path[0])
    if found is None or len(path) == 1:
        return found.annotations if found is not None else None
    parameters = found.parameters if isinstance(found, OperationImport) else []
    return next((item.annotations for item in parameters if [item.name] == path[1:]), None)


def _member_target(document: Document, head: str, path: list[str]) -> dict[str, Any] | None:
    struct = document.types.get(head)
    if struct is None:
        return None
    if not path:
        return struct.annotations
    if len(path) != 1:
        return None
    member = struct.properties.get(path[0]) or struct.navigations.get(path[0])
    if member is None and path[0] in document.all_properties(head):
        return struct.refined.setdefault(path[0], {})
    return member.annotations if member is not None else None


def _is_overload(document: Document, operation: Operation, types: str) -> bool:
    """Whether `types` (the text between the parentheses of a target) names this overload (CSDL 4.01 section 14.2.1)."""
    if operation.kind == "Action":
        declared = [str(operation.parameters[0].type)] if operation.is_bound and operation.parameters else []
    else:
        declared = [str(parameter.type) for parameter in operation.parameters]
    stated = [part.strip() for part in types.split(",") if part.strip()]
    return [str(read_type_ref(part, document)) for part in stated] == declared


def _operation_targets(document: Document, head: str, path: list[str]) -> list[dict[str, Any]]:
    """Without parentheses all overloads are meant."""
    name, parenthesis, rest = head.partition("(")
    found: list[dict[str, Any]] = []
    for operation in document.operations.get(document.resolve(name), []):
        if parenthesis and not _is_overload(document, operation, rest[:-1]):
            continue
        if not path:
            found.append(operation.annotations)
        found += [parameter.annotations for parameter in operation.parameters if [parameter.name] == path]
    return found


def find_targets(document: Document, target: str) -> list[dict[str, Any]]:
    """The annotations dicts of what an external `Annotations Target` names: one, several overloads, or nothing."""
    head, *path = target.split("/")
    plain, parenthesis, overload = head.partition("(")
    name = document.resolve(plain)
    if name in document.operations and name not in document.containers and name not in document.types:
        return _operation_targets(document, f"{name}{parenthesis}{overload}", path)
    found = _find_target(document, target)
    return [] if found is None else [found]


def _find_target(document: Document, target: str) -> dict[str, Any] | None:
    head, *path = target.split("/")
    name = document.resolve(head)
    if name in document.containers:
        return _container_target(document.containers[name], path)
    if name in document.types:
        return _member_target(document, name, path)
    if name in document.enums and not path:
        return document.enums[name].annotations
    if name in document.enums and len(path) == 1:
        return document.enums[name].member_annotations.get(path[0])
    if name in document.terms and not path:
        return document.terms[name].annotations
    if name in document.type_definitions and not path:
        return document.type_definitions[name].annotations
    schema = next((schema for schema in document.schemas if schema.namespace == name), None)
    return schema.annotations if schema is not None and not path else None


def place_external_annotations(document: Document) -> None:
    """Puts each onto its target; those without a target here stay in `external_annotations` only."""
    for target, term, value in document.external_annotations:
        found = find_targets(document, target)
        if not found:
            document.problems.append(f"{document.source}: Annotations Target {target!r} names nothing in this document")
        for held in found:
            keep_annotation(held, term, value)


def _known(document: Document, name: str) -> bool:
    local = any(name.rpartition(".")[0] == schema.namespace for schema in document.schemas)
    declared = (document.types, document.enums, document.type_definitions)
    return not local or any(name in table for table in declared)


def report_dangling(document: Document) -> None:
    """Notes types, bases and sets that a local namespace does not hold."""
    names = [(f"EntitySet {name}", item.type) for name, item in document.all_sets().items()]
    for struct in document.types.values():
        if struct.base:
            names.append((f"{struct.kind} {struct.name}", struct.base))
        names += [(f"Property {struct.name}/{prop.name}", prop.type.name) for prop in struct.properties.values()]
        names += [(f"Navigation {struct.name}/{nav.name}", nav.type.name) for nav in struct.navigations.values()]
    document.problems.extend(
        f"{document.source}: {owner}: type {name} is not declared"
        for owner, name in names
        if not _known(document, name)
    )
