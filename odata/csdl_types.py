"""Types of a schema, in all versions: entity and complex types, enumerations, type definitions."""

from collections.abc import Callable

from lxml import etree

from odata.csdl_context import METADATA, CsdlContext, integer_of, sap_attributes
from odata.csdl_model import EnumType, NavigationProperty, Property, StructuredType, TypeDefinition
from odata.csdl_policy import Defect
from odata.safe_xml import attribute, children, first_child, line_of, local_name

ReadNavigation = Callable[[CsdlContext, etree._Element, str], NavigationProperty | None]


def read_structured_type(
    context: CsdlContext, element: etree._Element, read_navigation: ReadNavigation
) -> StructuredType | None:
    """An EntityType or ComplexType; None (reported) when it has no name."""
    simple = context.name_of(element)
    if not simple:
        return None
    name = f"{context.namespace}.{simple}"
    base = element.get("BaseType")
    context.annotate(name, element)
    properties: list[Property] = []
    navigations: list[NavigationProperty] = []
    for child, member in _members(context, element, name):
        navigation = read_navigation(context, child, name) if local_name(child) == "NavigationProperty" else None
        if navigation is not None:
            navigations.append(navigation)
        else:
            properties.append(context.property(child, member, child.get("Type")))
            context.annotate(f"{name}/{member}", child)
    return StructuredType(
        kind="entity" if local_name(element) == "EntityType" else "complex",
        name=name,
        base=context.qualify(base, line_of(element)) if base else None,
        abstract=context.boolean(element, "Abstract", False),
        open=context.boolean(element, "OpenType", False),
        has_stream=(attribute(element, "HasStream", METADATA) or "").strip().lower() in ("true", "1"),
        keys=_keys(context, element, simple),
        properties=tuple(properties),
        navigations=tuple(navigations),
        sap=sap_attributes(element),
        line=line_of(element),
    )


def _members(context: CsdlContext, element: etree._Element, owner: str) -> list[tuple[etree._Element, str]]:
    """Property and NavigationProperty children; a second one of a name, of either kind, is reported and left out."""
    found: dict[str, etree._Element] = {}
    for child in children(element, "Property", "NavigationProperty"):
        name = context.name_of(child)
        if name in found:
            label = f"{local_name(child)} {name}"
            context.report(Defect.DUPLICATE, line_of(child), label, f"the name occurs twice in {owner}")
        elif name:
            found[name] = child
    return [(child, name) for name, child in found.items()]


def _keys(context: CsdlContext, element: etree._Element, type_name: str) -> tuple[tuple[str, str], ...]:
    key = first_child(element, "Key")
    if key is None:
        return ()
    refs = ((context.name_of(ref), ref.get("Alias") or "") for ref in children(key, "PropertyRef"))
    found = tuple((name, alias) for name, alias in refs if name)
    if not found:
        context.report(Defect.MISSING_ATTRIBUTE, line_of(key), f"Key of {type_name}", "names no property")
    return found


def read_enum_type(context: CsdlContext, element: etree._Element) -> EnumType | None:
    """An EnumType; members without Value count on from the one before (CSDL 4.01 section 10.3)."""
    simple = context.name_of(element)
    if not simple:
        return None
    name = f"{context.namespace}.{simple}"
    context.annotate(name, element)
    members: dict[str, int] = {}
    following = 0
    for child in children(element, "Member"):
        member = context.name_of(child)
        value = _member_value(context, child, following)
        following = value + 1
        if member in members:
            context.report(Defect.DUPLICATE, line_of(child), f"Member {member}", f"occurs twice in {name}")
        elif member:
            members[member] = value
            context.annotate(f"{name}/{member}", child)
    return EnumType(
        name=name,
        underlying=context.type_ref(element.get("UnderlyingType") or "Edm.Int32", line_of(element))[0],
        flags=context.boolean(element, "IsFlags", False),
        members=tuple(members.items()),
        line=line_of(element),
    )


def _member_value(context: CsdlContext, element: etree._Element, default: int) -> int:
    text = element.get("Value")
    if text is None:
        return default
    value = integer_of(text)
    if value is None and text:
        message = f"Value={text!r} is no integer, taken as {default}"
        context.report(Defect.BAD_FACET, line_of(element), f"Member {element.get('Name')}", message)
    return default if value is None else value


def read_type_definition(context: CsdlContext, element: etree._Element) -> TypeDefinition | None:
    """A TypeDefinition with the facets of its underlying type."""
    simple = context.name_of(element)
    if not simple:
        return None
    name = f"{context.namespace}.{simple}"
    context.annotate(name, element)
    facets = context.property(element, simple, element.get("UnderlyingType"))
    return TypeDefinition(name, facets, line_of(element))
