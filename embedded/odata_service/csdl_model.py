"""CSDL as values: one class per CSDL element, named as the element is (CSDL XML 4.01 and MC-CSDL V2).

Names that can be referred to (types, operations, associations) are kept namespace-qualified, aliases resolved.
Nothing here interprets a service; `schema.Service` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Annotations = dict[str, Any]
"""Qualified term (with `#qualifier` when there is one) -> value; see `csdl_annotations` for the form of values."""

SapAttributes = dict[str, str]
"""Local names of `sap:` and `m:` attributes (`sap:label` -> `label`, `m:HttpMethod` -> `m:HttpMethod`)."""


PRIMITIVES = frozenset(
    (
        "Binary",
        "Boolean",
        "Byte",
        "Date",
        "DateTime",
        "DateTimeOffset",
        "Decimal",
        "Double",
        "Duration",
        "Guid",
        "Int16",
    )
    + ("Int32", "Int64", "SByte", "Single", "Stream", "String", "Time", "TimeOfDay")
)


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as it stands in a Type attribute: `Collection(NS.T)` is `TypeRef("NS.T", True)`."""

    name: str
    collection: bool = False

    def __str__(self) -> str:
        return f"Collection({self.name})" if self.collection else self.name


@dataclass(frozen=True, slots=True)
class Facets:
    """Facets of a property, parameter, return type or type definition. `None` = not stated.

    `max_length` is None for `Max`. `scale` is an int, `variable` or `floating`.
    """

    max_length: int | None = None
    precision: int | None = None
    scale: int | str | None = None
    unicode: bool | None = None
    srid: str | None = None
    fixed_length: bool | None = None
    collation: str | None = None


@dataclass(slots=True)
class Property:
    """`nullable` follows the default of the version: true unless `Nullable="false"`."""

    name: str
    type: TypeRef
    nullable: bool = True
    facets: Facets = field(default_factory=Facets)
    default: str | None = None
    concurrency_mode: str | None = None
    store_generated: str | None = None
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class NavigationProperty:
    """One navigation. For V2 `type`, `multiplicity` and `constraints` come from the Association.

    `constraints` are pairs (property here, property there), read from this side, whichever side is dependent.
    `constraint_declared_here` says that this side is the dependent one (V4: always when stated).
    `on_delete` is what happens to the entities there when the one here is deleted.
    """

    name: str
    type: TypeRef
    nullable: bool = True
    partner: str | None = None
    contains_target: bool = False
    constraints: list[tuple[str, str]] = field(default_factory=list)
    constraint_declared_here: bool = True
    multiplicity: str = ""
    relationship: str | None = None
    from_role: str | None = None
    to_role: str | None = None
    on_delete: str | None = None
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class StructuredType:
    """EntityType or ComplexType with its *own* members; `Document.all_properties` adds the inherited ones.

    `refined`: annotations that stand on inherited properties for entities of this type only.
    """

    kind: Literal["EntityType", "ComplexType"]
    name: str
    base: str | None = None
    abstract: bool = False
    open: bool = False
    has_stream: bool = False
    key: list[str] = field(default_factory=list)
    key_aliases: dict[str, str] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    navigations: dict[str, NavigationProperty] = field(default_factory=dict)
    refined: dict[str, Annotations] = field(default_factory=dict)
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class EnumType:
    """`members` keep document order; `values` are computed where the document leaves them out."""

    name: str
    underlying: str = "Edm.Int32"
    is_flags: bool = False
    members: dict[str, int] = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)
    member_annotations: dict[str, Annotations] = field(default_factory=dict)


@dataclass(slots=True)
class TypeDefinition:
    name: str
    underlying: str
    facets: Facets = field(default_factory=Facets)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class Term:
    """A vocabulary term that the document itself defines."""

    name: str
    type: TypeRef
    nullable: bool = True
    facets: Facets = field(default_factory=Facets)
    applies_to: tuple[str, ...] = ()
    default: str | None = None
    annotations: Annotations = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AssociationEnd:
    role: str
    type: str
    multiplicity: str
    on_delete: str | None = None


@dataclass(slots=True)
class Association:
    """V2 association; `principal` and `dependent` are (role, properties) of its ReferentialConstraint."""

    name: str
    ends: list[AssociationEnd] = field(default_factory=list)
    principal: tuple[str, list[str]] | None = None
    dependent: tuple[str, list[str]] | None = None
    sap: SapAttributes = field(default_factory=dict)


@dataclass(slots=True)
class AssociationSet:
    """`ends` are (role, entity set)."""

    name: str
    association: str
    ends: list[tuple[str, str]] = field(default_factory=list)
    sap: SapAttributes = field(default_factory=dict)


@dataclass(slots=True)
class Parameter:
    name: str
    type: TypeRef
    nullable: bool = True
    facets: Facets = field(default_factory=Facets)
    mode: str | None = None
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class ReturnType:
    type: TypeRef
    nullable: bool = True
    facets: Facets = field(default_factory=Facets)


@dataclass(slots=True)
class Operation:
    """V4 Action or Function, one overload each; the first parameter of a bound one is the binding parameter."""

    kind: Literal["Action", "Function"]
    name: str
    is_bound: bool = False
    is_composable: bool = False
    entity_set_path: str | None = None
    parameters: list[Parameter] = field(default_factory=list)
    returns: ReturnType | None = None
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class OperationImport:
    """V4 ActionImport/FunctionImport (`operation` set) or V2 FunctionImport (parameters and `http_method` here)."""

    kind: Literal["ActionImport", "FunctionImport"]
    name: str
    operation: str | None = None
    entity_set: str | None = None
    http_method: str | None = None
    parameters: list[Parameter] = field(default_factory=list)
    returns: ReturnType | None = None
    include_in_service_document: bool = False
    side_effecting: bool = False
    bindable: bool = False
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class EntitySet:
    """EntitySet or Singleton; `bindings` maps a navigation path to its target as written."""

    kind: Literal["EntitySet", "Singleton"]
    name: str
    type: str
    bindings: dict[str, str] = field(default_factory=dict)
    include_in_service_document: bool = True
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class EntityContainer:
    name: str
    extends: str | None = None
    is_default: bool = True
    sets: dict[str, EntitySet] = field(default_factory=dict)
    imports: dict[str, OperationImport] = field(default_factory=dict)
    association_sets: dict[str, AssociationSet] = field(default_factory=dict)
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(slots=True)
class Schema:
    namespace: str
    alias: str | None = None
    language: str | None = None
    sap: SapAttributes = field(default_factory=dict)
    annotations: Annotations = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reference:
    """edmx:Reference with its Includes as (namespace, alias)."""

    uri: str
    includes: tuple[tuple[str, str | None], ...] = ()


@dataclass(slots=True)
class Document:
    """One metadata document. `problems` names what the document refers to but does not hold, or says wrongly.

    `protocol` is 2.0, 3.0, 4.0 or 4.01. While it is read, `declared` has the qualified names of each simple name, and
    `namespace` is that of the schema at hand.
    """

    source: str
    version: Literal["V2", "V4"]
    edmx_version: str
    protocol: str = ""
    schemas: list[Schema] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    types: dict[str, StructuredType] = field(default_factory=dict)
    enums: dict[str, EnumType] = field(default_factory=dict)
    type_definitions: dict[str, TypeDefinition] = field(default_factory=dict)
    associations: dict[str, Association] = field(default_factory=dict)
    terms: dict[str, Term] = field(default_factory=dict)
    operations: dict[str, list[Operation]] = field(default_factory=dict)
    containers: dict[str, EntityContainer] = field(default_factory=dict)
    external_annotations: list[tuple[str, str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    declared: dict[str, list[str]] = field(default_factory=dict)
    namespace: str = ""
    uses_sap_protocol: bool = False

    def lineage(self, name: str) -> list[StructuredType]:
        """The type and its base types, most general first; a dangling or circular base ends the list."""
        found: list[StructuredType] = []
        current: str | None = name
        while current is not None and (struct := self.types.get(current)) is not None and struct not in found:
            found.append(struct)
            current = struct.base
        return found[::-1]

    def all_properties(self, name: str) -> dict[str, Property]:
        return {prop: value for struct in self.lineage(name) for prop, value in struct.properties.items()}

    def all_navigations(self, name: str) -> dict[str, NavigationProperty]:
        return {nav: value for struct in self.lineage(name) for nav, value in struct.navigations.items()}

    def key_of(self, name: str) -> list[str]:
        """Key property names of the first type in the lineage that declares a key."""
        return next((list(struct.key) for struct in self.lineage(name) if struct.key), [])

    def is_open(self, name: str) -> bool:
        return any(struct.open for struct in self.lineage(name))

    def is_a(self, name: str, base: str) -> bool:
        return any(struct.name == base for struct in self.lineage(name))

    def derived(self, base: str) -> list[str]:
        return [name for name in self.types if name != base and self.is_a(name, base)]

    def resolve(self, name: str) -> str:
        """Alias-qualified name -> namespace-qualified name; a name without known alias is returned as it is."""
        prefix, dot, local = name.rpartition(".")
        return f"{self.aliases[prefix]}.{local}" if dot and prefix in self.aliases else name

    def qualify(self, name: str) -> str:
        """A type or association by the name used for it. One without a namespace is sought here, then in all schemas."""
        if not name or "." in name:
            return self.resolve(name)
        if name in PRIMITIVES:
            return f"Edm.{name}"
        own, elsewhere = f"{self.namespace}.{name}", self.declared.get(name, [])
        return elsewhere[0] if len(elsewhere) == 1 and own not in elsewhere else own

    def all_sets(self) -> dict[str, EntitySet]:
        return {name: item for container in self.containers.values() for name, item in container.sets.items()}

    def all_imports(self) -> dict[str, OperationImport]:
        return {name: item for container in self.containers.values() for name, item in container.imports.items()}
