"""What is particular to CSDL V4 and 4.01: navigation by type, actions and functions, singletons, bindings."""

from lxml import etree

from odata.csdl_context import CsdlContext, sap_attributes
from odata.csdl_model import EntitySet, Multiplicity, NavigationProperty, Operation, OperationImport
from odata.csdl_policy import Defect
from odata.safe_xml import children, first_child, line_of, local_name


def read_navigation(context: CsdlContext, element: etree._Element, owner: str) -> NavigationProperty | None:
    """A NavigationProperty (CSDL 4.01 section 8); ``owner`` is the qualified name of the declaring type."""
    name = context.name_of(element)
    if not name:
        return None
    stated = element.get("Type")
    target, collection = context.type_ref(stated, line_of(element)) if stated else ("", False)
    if not stated:
        context.report(Defect.MISSING_ATTRIBUTE, line_of(element), f"NavigationProperty {name}", "has no Type")
    nullable = context.boolean(element, "Nullable", True)
    single: Multiplicity = "0..1" if nullable else "1"
    on_delete = first_child(element, "OnDelete")
    context.annotate(f"{owner}/{name}", element)
    return NavigationProperty(
        name=name,
        target=target,
        multiplicity="*" if collection else single,
        partner=element.get("Partner"),
        contained=context.boolean(element, "ContainsTarget", False),
        nullable=nullable,
        constraints=tuple(
            (child.get("Property", ""), child.get("ReferencedProperty", ""))
            for child in children(element, "ReferentialConstraint")
        ),
        on_delete="" if on_delete is None else on_delete.get("Action", ""),
        sap=sap_attributes(element),
        line=line_of(element),
    )


def read_operation(context: CsdlContext, element: etree._Element) -> Operation | None:
    """One overload of an Action or Function (sections 12.1 to 12.5)."""
    simple = context.name_of(element)
    if not simple:
        return None
    returned = first_child(element, "ReturnType")
    named = context.named(element, "Parameter")
    operation = Operation(
        kind="Action" if local_name(element) == "Action" else "Function",
        name=f"{context.namespace}.{simple}",
        bound=context.boolean(element, "IsBound", False),
        composable=context.boolean(element, "IsComposable", False),
        parameters=tuple(context.property(child, name, child.get("Type")) for child, name in named),
        returns=None if returned is None else context.property(returned, "", returned.get("Type")),
        entity_set_path=element.get("EntitySetPath") or "",
        line=line_of(element),
    )
    context.annotate(operation.signature, element)
    for child, name in named:
        context.annotate(f"{operation.signature}/{name}", child)
    return operation


def read_entity_set(context: CsdlContext, element: etree._Element, container: str) -> EntitySet | None:
    """An EntitySet or Singleton with its navigation property bindings (section 13.4)."""
    name = context.name_of(element)
    singleton = local_name(element) == "Singleton"
    entity_type = element.get("Type") if singleton else element.get("EntityType")
    if not name or not context.name_of(element, "Type" if singleton else "EntityType"):
        return None
    context.annotate(f"{container}/{name}", element)
    bindings: dict[str, str] = {}
    for child in children(element, "NavigationPropertyBinding"):
        path = _binding_path(context, context.name_of(child, "Path"))
        if path in bindings:
            context.report(Defect.DUPLICATE, line_of(child), f"{name}/{path}", "is bound twice, the first one is kept")
        elif path:
            bindings[path] = _binding_target(context, child.get("Target", ""), container)
    return EntitySet(
        kind="Singleton" if singleton else "EntitySet",
        name=name,
        container=container,
        entity_type=context.qualify(entity_type or "", line_of(element)),
        bindings=tuple(bindings.items()),
        in_service_document=context.boolean(element, "IncludeInServiceDocument", True),
        sap=sap_attributes(element),
        line=line_of(element),
    )


def _binding_path(context: CsdlContext, path: str) -> str:
    """Type casts inside the path lose their alias."""
    return "/".join(context.target_path(part) if "." in part else part for part in path.split("/"))


def _binding_target(context: CsdlContext, target: str, container: str) -> str:
    """``NS.Container/Set`` of the own container -> ``Set``; what lies below a set or elsewhere stays a path."""
    resolved = context.target_path(target)
    return resolved.removeprefix(f"{container}/")


def read_import(context: CsdlContext, element: etree._Element, container: str) -> OperationImport | None:
    """An ActionImport or FunctionImport (sections 13.5 and 13.6)."""
    name = context.name_of(element)
    action = local_name(element) == "ActionImport"
    operation = element.get("Action") if action else element.get("Function")
    if not name or not context.name_of(element, "Action" if action else "Function"):
        return None
    context.annotate(f"{container}/{name}", element)
    return OperationImport(
        kind="ActionImport" if action else "V4FunctionImport",
        name=name,
        container=container,
        operation=context.qualify(operation or "", line_of(element)),
        entity_set=_binding_target(context, element.get("EntitySet") or "", container),
        http_method="POST" if action else "GET",
        in_service_document=context.boolean(element, "IncludeInServiceDocument", False),
        sap=sap_attributes(element),
        line=line_of(element),
    )
