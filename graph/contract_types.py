"""Structured types, enumerations and operations of a contract, read from the triples of one service."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from graph.facts import Facts
from graph.vocabulary import DCTERMS, OD, RDFS, SKOS
from wire.endpoint import Code, CodeList, EnumType, Permission, Property, TypeDefinition

_INPUTS = ("In", "InOut")
_PERMISSIONS = {OD.Denied: Permission.DENIED, OD.Verified: Permission.VERIFIED}


@dataclass(frozen=True)
class Requirements:
    """Which properties of a set a create must carry. ``curated`` rows, when there are any, replace the key rule:
    a key that they do not list comes from a number range."""

    annotated: frozenset[str] = frozenset()
    curated: dict[str, tuple[str, str]] = field(default_factory=dict)

    def of(self, name: str, *, key_needed: bool, mandatory: bool) -> tuple[bool, str, str]:
        """(required, source, unless) of one property."""
        why, unless = self.curated.get(name, ("", ""))
        if name in self.annotated:
            return True, "Capabilities.InsertRestrictions/RequiredProperties", unless
        if name in self.curated:
            return True, f"curated: {why}", unless
        if mandatory:
            return True, "Common.FieldControl/Mandatory", ""
        if key_needed and not self.curated:
            return True, "key", ""
        return False, "", ""


def requirements_of(facts: Facts, set_iri: str | None, prefix: str = "") -> Requirements:
    """What the annotations and the curated layer require on a create into the set.

    ``prefix`` is the path of complex properties down to the type in question; curated rows know top-level names only.
    """
    if set_iri is None:
        return Requirements()
    paths = facts.all(set_iri, OD.requiredOnCreate)
    annotated = frozenset(path.removeprefix(prefix) for path in paths if path.startswith(prefix))
    if prefix:
        return Requirements(annotated)
    rows = {
        facts.text(node, OD.name): (facts.text(node, OD.why), facts.text(node, OD.unless))
        for node in facts.all(set_iri, OD.requirement)
    }
    return Requirements(annotated, rows)


def permission(facts: Facts, iri: str, predicate: str) -> Permission:
    """Three-valued; what is not stated is undeclared."""
    return permission_of(facts.text(iri, predicate))


def permission_of(value: str) -> Permission:
    """A permission by its IRI."""
    return _PERMISSIONS.get(value, Permission.UNDECLARED)


def is_true(value: str) -> bool:
    """A boolean by its lexical form."""
    return value == "true"


# What a property states in one literal, by predicate: the field and the reader of its lexical form.
_STATED: dict[str, tuple[str, Callable[[str], object]]] = {
    OD.name: ("name", str),
    OD.edmType: ("type", str),
    RDFS.label: ("label", str),
    DCTERMS.description: ("description", str),
    OD.collection: ("collection", is_true),
    OD.nullable: ("nullable", is_true),
    OD.maxLength: ("max_length", int),
    OD.precision: ("precision", int),
    OD.default: ("default", str),
    OD.creatable: ("creatable", permission_of),
    OD.updatable: ("updatable", permission_of),
    OD.computed: ("computed", is_true),
    OD.computedDefault: ("computed_default", is_true),
    OD.immutable: ("immutable", is_true),
    OD.filterable: ("filterable", is_true),
    OD.sortable: ("sortable", is_true),
    OD.requiredInFilter: ("required_in_filter", is_true),
    OD.filterRestriction: ("filter_restriction", str),
    OD.dynamicControl: ("dynamic_control", str),
    OD.minimum: ("minimum", str),
    OD.maximum: ("maximum", str),
    OD.exclusiveMinimum: ("exclusive_minimum", is_true),
    OD.exclusiveMaximum: ("exclusive_maximum", is_true),
    OD.pattern: ("pattern", str),
    OD.multipleOf: ("multiple_of", str),
    OD.minItems: ("min_items", int),
    OD.maxItems: ("max_items", int),
    OD.unitProperty: ("unit_property", str),
    OD.displayFormat: ("display_format", str),
    OD.srid: ("srid", str),
}


def read_property(facts: Facts, iri: str, key: bool, requirements: Requirements, version: str) -> Property:
    """A structural property with what the set requires of it."""
    # A service has tens of thousands of properties with ten statements each: only what is stated is looked at.
    found: dict[str, Any] = {"name": "", "type": ""}
    for predicate, values in facts.members(iri).items():
        stated = _STATED.get(predicate)
        if stated is not None:
            found[stated[0]] = stated[1](values[0] if len(values) == 1 else min(values))
    key_needed = (
        key
        and found.get("creatable") is not Permission.DENIED
        and "default" not in found
        and not found.get("computed_default")
    )
    mandatory = facts.flag(iri, OD.mandatory)
    required, source, unless = requirements.of(found["name"], key_needed=key_needed, mandatory=mandatory)
    if required:
        found.update(required=True, required_source=source, required_unless=unless)
    if facts.one(iri, OD.codeList) is not None:
        allowed = _codes(facts, iri, "codes-allowed")
        found["allowed"] = () if allowed is None else allowed.codes
        found["code_list"] = _codes(facts, iri, "codes-curated") or _codes(facts, iri, "codes-read")
    if facts.one(iri, OD.valueListKind) is not None or facts.one(iri, OD.valueList) is not None:
        found["value_list"] = _value_list(facts, iri)
        found["value_list_inputs"] = _value_list_inputs(facts, iri, found["name"])
    return Property(key=key, scale=_scale(facts, iri, found["type"], version), **found)


def read_parameter(facts: Facts, iri: str, version: str) -> Property:
    """A parameter; it must be given unless it is nullable (V2) or annotated as optional (V4)."""
    found = read_property(facts, iri, False, Requirements(), version)
    optional = facts.flag(iri, OD.optional) or (found.nullable and version in ("2.0", "3.0"))
    return found.model_copy(update={"required": not optional, "required_source": "" if optional else "Parameter"})


def _scale(facts: Facts, iri: str, edm_type: str, version: str) -> int | Literal["variable", "floating"] | None:
    value = facts.one(iri, OD.scale)
    if value in ("variable", "floating"):
        return cast(Literal["variable", "floating"], value)
    if value is not None:
        return int(value)
    # V4 sets an absent Scale to 0 (CSDL 4.01 section 7.2.4); with no Precision either, services mean "any".
    bounded = version.startswith("4") and edm_type == "Edm.Decimal" and facts.one(iri, OD.precision) is not None
    return 0 if bounded else None


def _codes(facts: Facts, iri: str, name: str) -> CodeList | None:
    scheme = next((node for node in facts.all(iri, OD.codeList) if node.endswith(f"/{name}")), None)
    if scheme is None:
        return None
    concepts = facts.ordered(scheme, OD.member, OD.position)
    return CodeList(
        codes=tuple(
            Code(code=facts.text(node, SKOS.notation), text=facts.text(node, SKOS.prefLabel)) for node in concepts
        ),
        fixed=facts.flag(scheme, OD.fixed),
        source=facts.text(scheme, DCTERMS.source),
        read_at=facts.one(scheme, OD.readAt),
    )


def _value_list(facts: Facts, iri: str) -> str | None:
    """The set that lists the values, else what kind of value help exists."""
    paths = (facts.text(node, OD.collectionPath) for node in facts.all(iri, OD.valueList))
    return next((path for path in paths if path), None) or facts.one(iri, OD.valueListKind)


def _value_list_inputs(facts: Facts, iri: str, name: str) -> tuple[str, ...]:
    """Other local properties that narrow the value list."""
    parameters = (
        node for item in facts.all(iri, OD.valueList) for node in facts.ordered(item, OD.parameter, OD.position)
    )
    inputs = (
        facts.text(node, OD.localProperty) for node in parameters if facts.text(node, OD.parameterKind) in _INPUTS
    )
    return tuple(dict.fromkeys(path for path in inputs if path and path != name))


def read_enum(facts: Facts, iri: str) -> EnumType:
    """An enumeration with members in declared order."""
    members = facts.ordered(iri, OD.member, OD.position)
    return EnumType(
        name=facts.text(iri, OD.qualifiedName),
        underlying=facts.text(iri, OD.underlyingType),
        flags=facts.flag(iri, OD.flags),
        members=tuple((facts.text(node, OD.name), int(facts.text(node, OD.value))) for node in members),
    )


def read_definition(facts: Facts, iri: str, version: str) -> TypeDefinition:
    """A type definition with its facets."""
    facets = read_property(facts, iri, False, Requirements(), version)
    return TypeDefinition(
        name=facts.text(iri, OD.qualifiedName),
        underlying=facts.text(iri, OD.underlyingType),
        max_length=facets.max_length,
        precision=facets.precision,
        scale=facets.scale,
        allowed=facets.allowed,
    )
