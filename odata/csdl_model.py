"""CSDL as values: one frozen model for V2, V3, V4 and 4.01 (OData CSDL XML 4.01; MS-CSDL for V2 and V3).

Names are qualified and free of aliases. Annotations are kept beside the elements, in one table by target path
(``Namespace.Type/Property``, ``Namespace.Container/Set``, ``Namespace.Action(BindingType)/Parameter``), because V4 lets
them stand anywhere in the document.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

Version = Literal["2.0", "3.0", "4.0", "4.01"]
Multiplicity = Literal["0..1", "1", "*"]
Scale = int | Literal["variable", "floating"] | None


@dataclass(frozen=True, slots=True)
class Path:
    """A dynamic expression: the value stands in the entity, not in the metadata."""

    path: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record expression; ``annotations`` are those on the record itself."""

    values: Mapping[str, "Value"]
    annotations: tuple["Annotation", ...] = ()
    type: str = ""


Value = str | bool | int | Decimal | Path | Record | tuple["Value", ...] | None


@dataclass(frozen=True, slots=True)
class Annotation:
    """``term`` is qualified without alias; a tagging annotation without expression has the value True."""

    term: str
    value: Value
    qualifier: str = ""
    line: int = 0
    annotations: tuple["Annotation", ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """A structural property, a parameter or (with an empty name) a return type."""

    name: str
    type: str
    collection: bool = False
    nullable: bool = True
    max_length: int | None = None
    precision: int | None = None
    scale: Scale = None
    default: str | None = None
    unicode: bool = True
    fixed_length: bool = False
    srid: str | None = None
    collation: str = ""
    concurrency: bool = False
    store_generated: str = ""
    mode: str = ""
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class NavigationProperty:
    """``constraints`` are pairs (property of this type, property of the target).

    ``target_constraints`` likewise where the target is the dependent one; V4 states those on the partner instead.
    """

    name: str
    target: str
    multiplicity: Multiplicity
    partner: str | None = None
    contained: bool = False
    nullable: bool = True
    constraints: tuple[tuple[str, str], ...] = ()
    target_constraints: tuple[tuple[str, str], ...] = ()
    on_delete: str = ""
    association: str = ""
    role: str = ""
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class StructuredType:
    """An EntityType or ComplexType with its own members only (the base type's are not copied)."""

    kind: Literal["entity", "complex"]
    name: str
    base: str | None = None
    abstract: bool = False
    open: bool = False
    has_stream: bool = False
    keys: tuple[tuple[str, str], ...] = ()
    properties: tuple[Property, ...] = ()
    navigations: tuple[NavigationProperty, ...] = ()
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class EnumType:
    """An enumeration with its members (name, value)."""

    name: str
    underlying: str = "Edm.Int32"
    flags: bool = False
    members: tuple[tuple[str, int], ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """A named primitive type; ``facets`` carries the underlying type and its facets."""

    name: str
    facets: Property
    line: int = 0


@dataclass(frozen=True, slots=True)
class Operation:
    """A V4 Action or Function (one overload). ``parameters`` include the binding parameter, first."""

    kind: Literal["Action", "Function"]
    name: str
    bound: bool = False
    composable: bool = False
    parameters: tuple[Property, ...] = ()
    returns: Property | None = None
    entity_set_path: str = ""
    line: int = 0

    @property
    def signature(self) -> str:
        """Target path of this overload: ``Name(BindingType)`` or ``Name(Type,Type)`` (CSDL 14.2.1)."""
        shown = self.parameters[:1] if self.kind == "Action" and self.bound else self.parameters
        if self.kind == "Action" and not self.bound:
            shown = ()
        types = (f"Collection({p.type})" if p.collection else p.type for p in shown)
        return f"{self.name}({','.join(types)})"


@dataclass(frozen=True, slots=True)
class EntitySet:
    """An EntitySet or Singleton. ``bindings``: navigation path -> set name (with container when it is another one)."""

    kind: Literal["EntitySet", "Singleton"]
    name: str
    container: str
    entity_type: str
    bindings: tuple[tuple[str, str], ...] = ()
    in_service_document: bool = True
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class OperationImport:
    """A V4 import (``operation`` names it) or a V2/V3 FunctionImport (parameters stand here)."""

    kind: Literal["FunctionImport", "ActionImport", "V4FunctionImport"]
    name: str
    container: str
    operation: str = ""
    entity_set: str = ""
    http_method: str = ""
    bindable: bool = False
    in_service_document: bool = False
    parameters: tuple[Property, ...] = ()
    returns: Property | None = None
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class AssociationEnd:
    """One end of a V2/V3 Association."""

    role: str
    type: str
    multiplicity: Multiplicity
    on_delete: str = ""


@dataclass(frozen=True, slots=True)
class Association:
    """A V2/V3 Association. ``constraint``: (principal role, dependent role, ((principal, dependent) …))."""

    name: str
    ends: tuple[AssociationEnd, ...]
    constraint: tuple[str, str, tuple[tuple[str, str], ...]] | None = None
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class AssociationSet:
    """A V2/V3 AssociationSet; ``ends`` are pairs (role, EntitySet)."""

    name: str
    association: str
    container: str
    ends: tuple[tuple[str, str], ...]
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Container:
    """An EntityContainer; ``default`` when its members are addressed without its name."""

    name: str
    default: bool
    extends: str = ""
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema; ``language`` is the ``xml:lang`` of its texts, in lower case."""

    namespace: str
    alias: str = ""
    language: str = ""
    sap: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to another document with the namespaces that it includes (namespace, alias)."""

    uri: str
    includes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was skipped or repaired while reading; the file is loaded all the same."""

    line: int
    element: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.element}: {self.message}"


@dataclass(frozen=True, slots=True)
class ServiceDocument:
    """One metadata document. ``digest`` is the SHA-256 (hex) of its bytes."""

    file: str
    version: Version
    digest: str
    namespaces: tuple[str, ...] = ()
    schemas: tuple[Schema, ...] = ()
    references: tuple[Reference, ...] = ()
    containers: tuple[Container, ...] = ()
    types: Mapping[str, StructuredType] = field(default_factory=dict)
    enums: Mapping[str, EnumType] = field(default_factory=dict)
    type_definitions: Mapping[str, TypeDefinition] = field(default_factory=dict)
    operations: tuple[Operation, ...] = ()
    entity_sets: tuple[EntitySet, ...] = ()
    imports: tuple[OperationImport, ...] = ()
    associations: Mapping[str, Association] = field(default_factory=dict)
    association_sets: tuple[AssociationSet, ...] = ()
    annotations: Mapping[str, tuple[Annotation, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def language_of(self, target: str) -> str:
        """Language of the texts on an annotation target: that of the schema which its name belongs to."""
        head = target.partition("/")[0].partition("(")[0]
        wanted = head if head in self.namespaces else head.rpartition(".")[0]
        return next((schema.language for schema in self.schemas if schema.namespace == wanted), "")
