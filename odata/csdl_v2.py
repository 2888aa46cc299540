"""What is particular to CSDL of OData V2 and V3: associations, and function imports that carry their own parameters.

Associations are resolved here into navigation properties with target, multiplicity, constraints and set bindings, so
that everything after the reader sees one model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree

from odata.csdl_context import METADATA, CsdlContext, sap_attributes
from odata.csdl_model import (
    Association,
    AssociationEnd,
    AssociationSet,
    EntitySet,
    Multiplicity,
    NavigationProperty,
    OperationImport,
    Property,
)
from odata.csdl_policy import Defect
from odata.safe_xml import attribute, children, first_child, line_of

_MULTIPLICITIES: Mapping[str, Multiplicity] = {"0..1": "0..1", "1": "1", "*": "*"}

_METHODS = frozenset(("GET", "POST", "PUT", "DELETE", "PATCH", "MERGE"))


@dataclass
class AssociationReader:
    """Holds the associations of all schemas; they must be read before the types that navigate by them."""

    associations: dict[str, Association] = field(default_factory=dict)

    def read(self, context: CsdlContext, element: etree._Element) -> None:
        """Take in one Association element."""
        simple = context.name_of(element)
        if not simple:
            return
        name = f"{context.namespace}.{simple}"
        if name in self.associations:
            label = f"Association {simple}"
            context.report(Defect.DUPLICATE, line_of(element), label, "is declared twice, the first one is kept")
            return
        ends = tuple(_end(context, end) for end in children(element, "End"))
        if len(ends) != 2:
            context.report(Defect.DANGLING_ASSOCIATION, line_of(element), f"Association {simple}", "needs two ends")
        self.associations[name] = Association(
            name, ends, _constraint(element), sap_attributes(element), line_of(element)
        )

    def navigation(self, context: CsdlContext, element: etree._Element, owner: str) -> NavigationProperty | None:
        """A NavigationProperty by Relationship, FromRole and ToRole; without a target (reported) when they lead nowhere."""
        name = context.name_of(element)
        if not name:
            return None
        relationship = context.qualify(element.get("Relationship") or "", line_of(element))
        association = self.associations.get(relationship)
        role = element.get("ToRole") or ""
        end = next((end for end in association.ends if end.role == role), None) if association else None
        context.annotate(f"{owner}/{name}", element)
        if association is None or end is None:
            message = f"no end {role!r} of association {relationship!r}, it cannot be followed"
            context.report(Defect.DANGLING_ASSOCIATION, line_of(element), f"NavigationProperty {name}", message)
            return NavigationProperty(
                name,
                "",
                "*",
                contained=context.boolean(element, "ContainsTarget", False),
                association=relationship,
                role=role,
                sap=sap_attributes(element),
                line=line_of(element),
            )
        near = next((other for other in association.ends if other.role != role), None)
        return NavigationProperty(
            name=name,
            target=end.type,
            multiplicity=end.multiplicity,
            contained=context.boolean(element, "ContainsTarget", False),
            nullable=end.multiplicity != "1",
            constraints=_pairs(association, role, target_dependent=False),
            target_constraints=_pairs(association, role, target_dependent=True),
            on_delete=near.on_delete if near else "",
            association=relationship,
            role=role,
            sap=sap_attributes(element),
            line=line_of(element),
        )


def _end(context: CsdlContext, element: etree._Element) -> AssociationEnd:
    text = (element.get("Multiplicity") or "").strip()
    if text not in _MULTIPLICITIES:
        message = f"Multiplicity={text!r} is none of 0..1, 1, *; taken as *"
        context.report(Defect.BAD_FACET, line_of(element), f"End {element.get('Role')}", message)
    type_name = context.qualify(element.get("Type") or "", line_of(element))
    on_delete = first_child(element, "OnDelete")
    return AssociationEnd(
        # Without Role the end is named by the simple name of its type (MS-CSDL 2.1.21).
        role=element.get("Role") or type_name.rpartition(".")[2],
        type=type_name,
        multiplicity=_MULTIPLICITIES.get(text, "*"),
        on_delete="" if on_delete is None else on_delete.get("Action", ""),
    )


def _constraint(element: etree._Element) -> tuple[str, str, tuple[tuple[str, str], ...]] | None:
    constraint = first_child(element, "ReferentialConstraint")
    principal = first_child(constraint, "Principal") if constraint is not None else None
    dependent = first_child(constraint, "Dependent") if constraint is not None else None
    if principal is None or dependent is None:
        return None
    left = [ref.get("Name", "") for ref in children(principal, "PropertyRef")]
    right = [ref.get("Name", "") for ref in children(dependent, "PropertyRef")]
    return principal.get("Role", ""), dependent.get("Role", ""), tuple(zip(left, right, strict=False))


def _pairs(association: Association, to_role: str, *, target_dependent: bool) -> tuple[tuple[str, str], ...]:
    """Pairs (own property, property of the target), if the dependent end is the one asked for."""
    if association.constraint is None:
        return ()
    principal_role, dependent_role, pairs = association.constraint
    if target_dependent:
        return pairs if dependent_role == to_role != principal_role else ()
    return tuple((dependent, principal) for principal, dependent in pairs) if principal_role == to_role else ()


def read_association_set(context: CsdlContext, element: etree._Element, container: str) -> AssociationSet | None:
    """An AssociationSet of a container."""
    name = context.name_of(element)
    if not name:
        return None
    return AssociationSet(
        name=name,
        association=context.qualify(element.get("Association") or "", line_of(element)),
        container=container,
        ends=tuple((end.get("Role") or "", end.get("EntitySet") or "") for end in children(element, "End")),
        sap=sap_attributes(element),
        line=line_of(element),
    )


def read_entity_set(context: CsdlContext, element: etree._Element, container: str) -> EntitySet | None:
    """An EntitySet; its bindings come later from the association sets (``bind_sets``)."""
    name = context.name_of(element)
    if not name or not context.name_of(element, "EntityType"):
        return None
    context.annotate(f"{container}/{name}", element)
    return EntitySet(
        kind="EntitySet",
        name=name,
        container=container,
        entity_type=context.qualify(element.get("EntityType") or "", line_of(element)),
        in_service_document=context.boolean(element, "IncludeInServiceDocument", True),
        sap=sap_attributes(element),
        line=line_of(element),
    )


def bind_sets(
    sets: Sequence[EntitySet],
    association_sets: Sequence[AssociationSet],
    navigations: Mapping[str, Sequence[NavigationProperty]],
) -> tuple[EntitySet, ...]:
    """Give each set its navigation bindings; ``navigations`` holds the effective ones per type name."""
    targets: dict[tuple[str, str, str], str] = {}
    for item in association_sets:
        if len(item.ends) == 2:
            (role_a, set_a), (role_b, set_b) = item.ends
            targets[item.association, role_b, set_a] = set_b
            targets[item.association, role_a, set_b] = set_a
    bound = []
    for entity_set in sets:
        found = (
            (navigation.name, targets.get((navigation.association, navigation.role, entity_set.name)))
            for navigation in navigations.get(entity_set.entity_type, ())
        )
        bound.append(replace(entity_set, bindings=tuple((name, target) for name, target in found if target)))
    return tuple(bound)


def read_import(
    context: CsdlContext, element: etree._Element, container: str, v3: bool = False
) -> OperationImport | None:
    """A FunctionImport of V2 or V3. V3 states side effects instead of a method; V2 without a method is a GET."""
    name = context.name_of(element)
    if not name:
        return None
    target = f"{container}/{name}"
    context.annotate(target, element)
    parameters = context.named(element, "Parameter")
    for part, parameter in parameters:
        context.annotate(f"{target}/{parameter}", part)
    return OperationImport(
        kind="FunctionImport",
        name=name,
        container=container,
        entity_set=element.get("EntitySet") or "",
        http_method=_http_method(context, element, name, effects=v3),
        bindable=context.boolean(element, "IsBindable", False),
        # Gateways write Nullable="true" for optional parameters only; an unmarked one must be given.
        parameters=tuple(context.property(part, text, part.get("Type"), False) for part, text in parameters),
        returns=_returns(context, element),
        sap=sap_attributes(element),
        line=line_of(element),
    )


def _returns(context: CsdlContext, element: etree._Element) -> Property | None:
    child = first_child(element, "ReturnType")
    if child is not None:
        return context.property(child, "", child.get("Type"))
    stated = element.get("ReturnType")
    if not stated:
        return None
    # The element's own attributes are those of the import, no facets of what it returns.
    name, collection = context.type_ref(stated, line_of(element))
    return Property("", name, collection, line=line_of(element))


def _http_method(context: CsdlContext, element: etree._Element, name: str, *, effects: bool) -> str:
    """``effects``: whether a call may change something where nothing is said of it (V3: yes, MS-CSDL IsSideEffecting)."""
    method = attribute(element, "HttpMethod", METADATA)
    if method is None:
        return "POST" if context.boolean(element, "IsSideEffecting", effects) else "GET"
    if method.upper() in _METHODS:
        return method.upper()
    # The careful reading: what might have effects needs an approval.
    context.report(
        Defect.BAD_FACET, line_of(element), f"FunctionImport {name}", f"HttpMethod={method!r}, taken as POST"
    )
    return "POST"
