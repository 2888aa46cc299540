"""One function per CSDL element: lxml element in, `csdl_model` value out."""

from __future__ import annotations

import re
from typing import Literal, TypeVar

from lxml import etree

from embedded.odata_service.csdl_annotations import annotations_of
from embedded.odata_service.csdl_model import (
    Association,
    AssociationEnd,
    AssociationSet,
    Document,
    EntitySet,
    EnumType,
    Facets,
    NavigationProperty,
    Operation,
    OperationImport,
    Parameter,
    Property,
    ReturnType,
    StructuredType,
    Term,
    TypeDefinition,
    TypeRef,
)
from embedded.odata_service.csdl_xml import children, foreign_attributes, local_name

_Element = TypeVar("_Element")
# Longer numbers are no facet of anything, and Python refuses to read the longest.
_INTEGER = re.compile("[+-]?[0-9]{1,100}")
_COLLECTION = re.compile(r"^\s*Collection\((.*)\)\s*$", re.DOTALL)
_ENUM_TYPES = {"Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64"}


def _attribute(element: etree._Element, name: str) -> str:
    return str(element.get(name) or "")


def _where(element: etree._Element, document: Document) -> str:
    return f"{document.source}, line {element.sourceline}, {local_name(element)} {_attribute(element, 'Name')}"


def read_type_ref(text: str, document: Document) -> TypeRef:
    """`Collection(Self.T)` -> collection of the resolved name; a bare name gets its namespace."""
    match = _COLLECTION.match(text)
    name = (match.group(1) if match else text).strip()
    return TypeRef(document.qualify(name), match is not None)


def read_value_type(element: etree._Element, document: Document) -> TypeRef:
    """Type of a property or parameter: Edm.String when none is stated (as in CSDL JSON); V3 says CollectionKind."""
    found = read_type_ref(_attribute(element, "Type") or "Edm.String", document)
    listed = element.get("CollectionKind") in ("List", "Bag")
    return TypeRef(found.name, True) if listed else found


def _true(element: etree._Element, name: str, default: bool = False) -> bool:
    value = element.get(name)
    return default if value is None else str(value).strip().lower() in ("true", "1")


def _number(element: etree._Element, name: str, document: Document) -> int | None:
    value = element.get(name)
    if value is None or str(value).strip().lower() == "max":
        return None
    if not _INTEGER.fullmatch(str(value).strip()):
        document.problems.append(f"{_where(element, document)}: {name}={value!r} is no number")
        return None
    return int(str(value))


def _scale(element: etree._Element, document: Document) -> int | str | None:
    value = element.get("Scale")
    if value is not None and str(value).strip().lower() in ("variable", "floating"):
        return str(value).strip().lower()
    return _number(element, "Scale", document)


def read_facets(element: etree._Element, document: Document) -> Facets:
    return Facets(
        max_length=_number(element, "MaxLength", document),
        precision=_number(element, "Precision", document),
        scale=_scale(element, document),
        unicode=_true(element, "Unicode") if element.get("Unicode") is not None else None,
        srid=element.get("SRID"),
        fixed_length=_true(element, "FixedLength") if element.get("FixedLength") is not None else None,
        collation=element.get("Collation"),
    )


def read_property(element: etree._Element, document: Document) -> Property:
    """A ``Property`` element with its facets and foreign attributes (CSDL XML 4.01 section 7)."""
    attributes = foreign_attributes(element)
    return Property(
        name=_attribute(element, "Name"),
        type=read_value_type(element, document),
        nullable=_true(element, "Nullable", default=True),
        facets=read_facets(element, document),
        default=element.get("DefaultValue"),
        concurrency_mode=element.get("ConcurrencyMode"),
        store_generated=attributes.pop("annotation:StoreGeneratedPattern", None)
        or element.get("StoreGeneratedPattern"),
        sap=attributes,
        annotations=annotations_of(element, document.resolve),
    )


def read_navigation(element: etree._Element, document: Document) -> NavigationProperty:
    """V2 navigations get type and constraints later, from their Association (`csdl_links`)."""
    old = document.version == "V2"
    relationship = element.get("Relationship") if old else None
    stated = None if old else element.get("Type")
    on_delete = next((child.get("Action") for child in children(element, "OnDelete")), None)
    return NavigationProperty(
        name=_attribute(element, "Name"),
        type=read_type_ref(stated, document) if stated else TypeRef(""),
        nullable=_true(element, "Nullable", default=True),
        partner=None if old else element.get("Partner"),
        contains_target=_true(element, "ContainsTarget"),
        constraints=[
            (_attribute(child, "Property"), _attribute(child, "ReferencedProperty"))
            for child in children(element, "ReferentialConstraint")
        ],
        relationship=document.qualify(str(relationship)) if relationship else None,
        from_role=element.get("FromRole") if old else None,
        to_role=element.get("ToRole") if old else None,
        on_delete=on_delete,
        sap=foreign_attributes(element),
        annotations=annotations_of(element, document.resolve),
    )


def _keep_first(table: dict[str, _Element], name: str, item: _Element) -> None:
    """A second element of a name is an error in the document; one without a name cannot be referred to."""
    if name:
        table.setdefault(name, item)


def read_structured_type(element: etree._Element, namespace: str, document: Document) -> StructuredType:
    """An entity or complex type with its own members; what it inherits is joined later (CSDL XML 4.01 sections 6 and 9)."""
    kind: Literal["EntityType", "ComplexType"] = "EntityType" if local_name(element) == "EntityType" else "ComplexType"
    attributes = foreign_attributes(element)
    base = element.get("BaseType")
    struct = StructuredType(
        kind,
        f"{namespace}.{element.get('Name')}",
        base=document.qualify(str(base)) if base else None,
        abstract=_true(element, "Abstract"),
        open=_true(element, "OpenType"),
        has_stream=_true(element, "HasStream") or attributes.get("m:HasStream", "").strip().lower() in ("true", "1"),
        sap=attributes,
        annotations=annotations_of(element, document.resolve),
    )
    for key in list(children(element, "Key"))[:1]:
        for reference in children(key, "PropertyRef"):
            if reference.get("Name"):
                struct.key.append(_attribute(reference, "Name"))
            if reference.get("Alias"):
                struct.key_aliases[_attribute(reference, "Alias")] = _attribute(reference, "Name")
    for child in children(element, "Property", "NavigationProperty"):
        if _attribute(child, "Name") in struct.properties or _attribute(child, "Name") in struct.navigations:
            document.problems.append(f"{_where(child, document)}: the name is taken in {struct.name}")
        elif local_name(child) == "Property":
            prop = read_property(child, document)
            _keep_first(struct.properties, prop.name, prop)
        else:
            nav = read_navigation(child, document)
            _keep_first(struct.navigations, nav.name, nav)
    return struct


def read_enum_type(element: etree._Element, namespace: str, document: Document) -> EnumType:
    """An enumeration with the values of its members, given or counted (CSDL XML 4.01 section 10)."""
    underlying = read_type_ref(str(element.get("UnderlyingType") or "Edm.Int32"), document).name
    enum = EnumType(f"{namespace}.{element.get('Name')}", underlying, _true(element, "IsFlags"))
    enum.annotations.update(annotations_of(element, document.resolve))
    if underlying not in _ENUM_TYPES:
        document.problems.append(f"{_where(element, document)}: underlying type {underlying} is no integer type")
    following = 0
    for member in children(element, "Member"):
        name, value = _attribute(member, "Name"), str(member.get("Value") or following).strip()
        if not _INTEGER.fullmatch(value):
            document.problems.append(f"{_where(member, document)}: value {value!r} is no integer")
            value = str(following)
        following = int(value) + 1
        if name and name not in enum.members:
            enum.members[name] = int(value)
            enum.member_annotations[name] = annotations_of(member, document.resolve)
    return enum


def read_type_definition(element: etree._Element, namespace: str, document: Document) -> TypeDefinition:
    return TypeDefinition(
        f"{namespace}.{element.get('Name')}",
        read_type_ref(_attribute(element, "UnderlyingType") or "Edm.String", document).name,
        read_facets(element, document),
        annotations_of(element, document.resolve),
    )


def read_term(element: etree._Element, namespace: str, document: Document) -> Term:
    return Term(
        f"{namespace}.{element.get('Name')}",
        read_type_ref(str(element.get("Type") or "Edm.Boolean"), document),
        _true(element, "Nullable", default=True),
        read_facets(element, document),
        tuple(_attribute(element, "AppliesTo").split()),
        element.get("DefaultValue"),
        annotations_of(element, document.resolve),
    )


def _role(element: etree._Element) -> tuple[str, list[str]]:
    return _attribute(element, "Role"), [_attribute(child, "Name") for child in children(element, "PropertyRef")]


def read_association(element: etree._Element, namespace: str, document: Document) -> Association:
    association = Association(f"{namespace}.{element.get('Name')}", sap=foreign_attributes(element))
    for end in children(element, "End"):
        on_delete = next((child.get("Action") for child in children(end, "OnDelete")), None)
        type_name = document.qualify(_attribute(end, "Type"))
        role = _attribute(end, "Role") or type_name.rpartition(".")[2]
        association.ends.append(AssociationEnd(role, type_name, _attribute(end, "Multiplicity"), on_delete))
    for constraint in list(children(element, "ReferentialConstraint"))[:1]:
        association.principal = next((_role(side) for side in children(constraint, "Principal")), None)
        association.dependent = next((_role(side) for side in children(constraint, "Dependent")), None)
    return association


def read_association_set(element: etree._Element, document: Document) -> AssociationSet:
    return AssociationSet(
        _attribute(element, "Name"),
        document.qualify(_attribute(element, "Association")),
        [(_attribute(end, "Role"), _attribute(end, "EntitySet")) for end in children(element, "End")],
        foreign_attributes(element),
    )


def read_parameter(element: etree._Element, document: Document) -> Parameter:
    return Parameter(
        _attribute(element, "Name"),
        read_value_type(element, document),
        _true(element, "Nullable", default=document.version == "V4"),
        read_facets(element, document),
        element.get("Mode"),
        foreign_attributes(element),
        annotations_of(element, document.resolve),
    )


def _return_type(element: etree._Element, document: Document) -> ReturnType | None:
    for child in children(element, "ReturnType"):
        type_ref = read_type_ref(_attribute(child, "Type") or "Edm.String", document)
        return ReturnType(type_ref, _true(child, "Nullable", default=True), read_facets(child, document))
    stated = element.get("ReturnType")
    return ReturnType(read_type_ref(str(stated), document)) if stated else None


def read_operation(element: etree._Element, namespace: str, document: Document) -> Operation:
    return Operation(
        "Action" if local_name(element) == "Action" else "Function",
        f"{namespace}.{element.get('Name')}",
        _true(element, "IsBound"),
        _true(element, "IsComposable"),
        element.get("EntitySetPath"),
        _parameters(element, document),
        _return_type(element, document),
        annotations_of(element, document.resolve),
    )


def _parameters(element: etree._Element, document: Document) -> list[Parameter]:
    """Those with a name, the first of each: no caller could give the others."""
    found: dict[str, Parameter] = {}
    for child in children(element, "Parameter"):
        _keep_first(found, _attribute(child, "Name"), read_parameter(child, document))
    return list(found.values())


def read_import(element: etree._Element, document: Document) -> OperationImport:
    """An action or function import of a container (CSDL XML 4.01 section 13)."""
    attributes = foreign_attributes(element)
    operation = element.get("Action") or element.get("Function")
    return OperationImport(
        "ActionImport" if local_name(element) == "ActionImport" else "FunctionImport",
        _attribute(element, "Name"),
        document.qualify(str(operation)) if operation else None,
        element.get("EntitySet"),
        element.get("HttpMethod") or attributes.pop("m:HttpMethod", None),
        _parameters(element, document),
        _return_type(element, document),
        _true(element, "IncludeInServiceDocument"),
        _true(element, "IsSideEffecting", default=document.protocol == "3.0"),
        _true(element, "IsBindable"),
        attributes,
        annotations_of(element, document.resolve),
    )


def _bindings(element: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for child in children(element, "NavigationPropertyBinding"):
        _keep_first(found, _attribute(child, "Path"), _attribute(child, "Target"))
    return found


def read_entity_set(element: etree._Element, document: Document) -> EntitySet:
    kind: Literal["EntitySet", "Singleton"] = "Singleton" if local_name(element) == "Singleton" else "EntitySet"
    return EntitySet(
        kind,
        _attribute(element, "Name"),
        document.qualify(_attribute(element, "EntityType") or _attribute(element, "Type")),
        _bindings(element),
        _true(element, "IncludeInServiceDocument", default=True),
        foreign_attributes(element),
        annotations_of(element, document.resolve),
    )
