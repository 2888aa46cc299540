"""Structured types, enumerations and operations of a contract, read from the triples of one service."""

from dataclasses import dataclass, field
from typing import Literal, cast

from graph.facts import Facts
from graph.vocabulary import DCTERMS, OD, SKOS
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
    return _PERMISSIONS.get(facts.text(iri, predicate), Permission.UNDECLARED)


def read_property(facts: Facts, iri: str, key: bool, requirements: Requirements, version: str) -> Property:
    """A structural property with what the set requires of it."""
    name, edm_type = facts.text(iri, OD.name), facts.text(iri, OD.edmType)
    creatable, computed = permission(facts, iri, OD.creatable), facts.flag(iri, OD.computed)
    default = facts.one(iri, OD.default)
    key_needed = (
        key and creatable is not Permission.DENIED and default is None and not facts.flag(iri, OD.computedDefault)
    )
    required, source, unless = requirements.of(name, key_needed=key_needed, mandatory=facts.flag(iri, OD.mandatory))
    allowed = _codes(facts, iri, "codes-allowed")
    return Property(
        name=name,
        type=edm_type,
        label=facts.label(iri),
        description=facts.text(iri, DCTERMS.description),
        collection=facts.flag(iri, OD.collection),
        key=key,
        nullable=facts.flag(iri, OD.nullable, True),
        max_length=facts.integer(iri, OD.maxLength),
        precision=facts.integer(iri, OD.precision),
        scale=_scale(facts, iri, edm_type, version),
        default=default,
        creatable=creatable,
        updatable=permission(facts, iri, OD.updatable),
        computed=computed,
        computed_default=facts.flag(iri, OD.computedDefault),
        immutable=facts.flag(iri, OD.immutable),
        required=required,
        required_source=source,
        required_unless=unless,
        filterable=facts.flag(iri, OD.filterable, True),
        sortable=facts.flag(iri, OD.sortable, True),
        required_in_filter=facts.flag(iri, OD.requiredInFilter),
        filter_restriction=facts.text(iri, OD.filterRestriction),
        dynamic_control=facts.one(iri, OD.dynamicControl),
        code_list=_codes(facts, iri, "codes-curated") or _codes(facts, iri, "codes-read"),
        value_list=_value_list(facts, iri),
        value_list_inputs=_value_list_inputs(facts, iri, name),
        allowed=() if allowed is None else allowed.codes,
        minimum=facts.one(iri, OD.minimum),
        maximum=facts.one(iri, OD.maximum),
        exclusive_minimum=facts.flag(iri, OD.exclusiveMinimum),
        exclusive_maximum=facts.flag(iri, OD.exclusiveMaximum),
        pattern=facts.one(iri, OD.pattern),
        multiple_of=facts.one(iri, OD.multipleOf),
        min_items=facts.integer(iri, OD.minItems),
        max_items=facts.integer(iri, OD.maxItems),
        unit_property=facts.one(iri, OD.unitProperty),
        display_format=facts.one(iri, OD.displayFormat),
        srid=facts.one(iri, OD.srid),
    )


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
