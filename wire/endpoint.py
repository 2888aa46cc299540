"""What the metadata says of one endpoint and one verb: the contract that validation is compiled from.

Names follow OData CSDL 4.01 (EntitySet, NavigationProperty, ReferentialConstraint …). ``EndpointContract`` is uncut; the
agent's ``wire.context.EndpointView`` is a view of it cut to a token budget.
"""

from enum import StrEnum
from typing import Literal

from wire.base import Wire

EndpointKind = Literal["EntitySet", "Singleton", "FunctionImport", "Action", "Function"]
ODataVersion = Literal["2.0", "3.0", "4.0", "4.01"]


class Verb(StrEnum):
    """What a call does to its endpoint."""

    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    ACTION = "action"


class Permission(StrEnum):
    """Three-valued: absence of a statement in metadata is no permission (odata.md 0.6)."""

    DENIED = "denied"
    UNDECLARED = "undeclared"
    VERIFIED = "verified"


class Cardinality(StrEnum):
    """How many entities stand at the far end of a NavigationProperty."""

    ZERO_OR_ONE = "0..1"
    ONE = "1"
    MANY = "*"


class Code(Wire):
    """One value of a code list with its text."""

    code: str
    text: str = ""


class CodeList(Wire):
    """Codes of one property. ``fixed``: values outside are invalid; else the list is advisory."""

    codes: tuple[Code, ...]
    fixed: bool
    source: str
    read_at: str | None = None


class Property(Wire):
    """A structural property with all facets. ``type`` is a primitive (``Edm.String``) or a qualified type name.

    ``value_list_inputs`` are local properties that the value list depends on (ValueListParameterIn and InOut of others).
    ``computed_default``: the service fills in what is left out; ``filter_restriction``: by which comparisons a filter may
    use it (``single-value``, ``multi-value``, ``interval``).
    """

    name: str
    type: str
    label: str = ""
    description: str = ""
    collection: bool = False
    key: bool = False
    nullable: bool = True
    max_length: int | None = None
    precision: int | None = None
    scale: int | Literal["variable", "floating"] | None = None
    default: str | None = None
    creatable: Permission = Permission.UNDECLARED
    updatable: Permission = Permission.UNDECLARED
    computed: bool = False
    computed_default: bool = False
    immutable: bool = False
    required: bool = False
    required_source: str = ""
    required_unless: str = ""
    filterable: bool = True
    sortable: bool = True
    required_in_filter: bool = False
    filter_restriction: str = ""
    dynamic_control: str | None = None
    code_list: CodeList | None = None
    value_list: str | None = None
    value_list_inputs: tuple[str, ...] = ()
    allowed: tuple[Code, ...] = ()
    minimum: str | None = None
    maximum: str | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    pattern: str | None = None
    multiple_of: str | None = None
    min_items: int | None = None
    max_items: int | None = None
    unit_property: str | None = None
    display_format: str | None = None
    srid: str | None = None


class ReferentialConstraint(Wire):
    """``dependent`` (this type) takes the value of ``principal`` (the navigation's target)."""

    dependent: str
    principal: str


class NavigationProperty(Wire):
    """A navigation. ``nesting`` tells how a nested entity is written in a deep insert, ``reference`` how an existing one is
    named instead: V4 ``Nav@odata.bind``, V2 ``__metadata.uri``; None where the target has no set of its own to name it by.

    ``target_constraints`` are those where the target is the dependent (an order's items), when no partner states them.
    """

    name: str
    target_type: str
    cardinality: Cardinality
    label: str = ""
    target_set: str | None = None
    nesting: Literal["results", "array", "object"] = "array"
    reference: Literal["@odata.bind", "__metadata.uri"] | None = None
    contained: bool = False
    nullable: bool = True
    partner: str | None = None
    deep_insert: Permission = Permission.UNDECLARED
    constraints: tuple[ReferentialConstraint, ...] = ()
    target_constraints: tuple[ReferentialConstraint, ...] = ()


class StructuredType(Wire):
    """An EntityType or ComplexType with its effective members (BaseType resolved).

    ``alternate_keys``: each a list of (name in the key predicate, path of the property).
    """

    name: str
    kind: Literal["entity", "complex"]
    label: str = ""
    base: str | None = None
    derived: tuple[str, ...] = ()
    abstract: bool = False
    open: bool = False
    has_stream: bool = False
    keys: tuple[str, ...] = ()
    alternate_keys: tuple[tuple[tuple[str, str], ...], ...] = ()
    properties: tuple[Property, ...] = ()
    navigations: tuple[NavigationProperty, ...] = ()

    def property(self, name: str) -> Property | None:
        """The structural property of that name, or None."""
        return next((p for p in self.properties if p.name == name), None)

    def navigation(self, name: str) -> NavigationProperty | None:
        """The navigation property of that name, or None."""
        return next((n for n in self.navigations if n.name == name), None)


class EnumType(Wire):
    """An enumeration; ``members`` as (name, value)."""

    name: str
    underlying: str = "Edm.Int32"
    flags: bool = False
    members: tuple[tuple[str, int], ...] = ()


class TypeDefinition(Wire):
    """A named primitive with facets of its own (CSDL 4.01 section 11)."""

    name: str
    underlying: str
    max_length: int | None = None
    precision: int | None = None
    scale: int | Literal["variable", "floating"] | None = None
    allowed: tuple[Code, ...] = ()


class Operation(Wire):
    """A V2 FunctionImport or V4 Action/Function. ``overloads`` share the name, each with its own binding."""

    name: str
    qualified_name: str
    kind: Literal["FunctionImport", "Action", "Function"]
    http_method: Literal["GET", "POST", "PUT", "DELETE", "PATCH", "MERGE"]
    label: str = ""
    bound_to: str | None = None
    bound_collection: bool = False
    parameters: tuple[Property, ...] = ()
    return_type: str | None = None
    return_collection: bool = False
    return_set: str | None = None


class Restrictions(Wire):
    """Capabilities of the set, as far as metadata states them (``source`` per statement in ``sources``).

    ``filter_expressions``: (property path, AllowedExpressions of ``FilterExpressionRestrictions``).
    """

    addressable: bool = True
    allowed: Permission = Permission.UNDECLARED
    update_method: Literal["PATCH", "MERGE", "PUT"] | None = None
    non_insertable: tuple[str, ...] = ()
    non_updatable: tuple[str, ...] = ()
    non_insertable_navigations: tuple[str, ...] = ()
    required_filters: tuple[str, ...] = ()
    non_filterable: tuple[str, ...] = ()
    non_sortable: tuple[str, ...] = ()
    non_expandable: tuple[str, ...] = ()
    filter_expressions: tuple[tuple[str, str], ...] = ()
    requires_filter: bool = False
    filterable: bool = True
    sortable: bool = True
    searchable: bool = True
    top: bool = True
    skip: bool = True
    count: bool = True
    draft: bool = False
    concurrency: bool = False
    repeatability: bool = False
    sources: tuple[tuple[str, str], ...] = ()


class EndpointContract(Wire):
    """All that metadata, code lists and the curated layer say of one endpoint and verb, uncut.

    ``types`` holds the entity type and every type reachable from it through complex properties and navigations;
    ``target_sets`` maps a navigation path ``Set/Nav`` to the set that it ends in; ``operations`` lists the overloads when
    the endpoint is an operation, and the bound operations of the entity type when it is a set; ``path_operations`` are those
    bound to the other types, which a path of navigations or casts may end in; ``aliases`` maps schema alias to namespace.
    """

    service: str
    endpoint: str
    kind: EndpointKind
    verb: Verb
    version: ODataVersion
    graph_hash: str
    metadata_digest: str
    label: str = ""
    description: str = ""
    entity_type: str | None = None
    restrictions: Restrictions = Restrictions()
    types: tuple[StructuredType, ...] = ()
    enums: tuple[EnumType, ...] = ()
    type_definitions: tuple[TypeDefinition, ...] = ()
    operations: tuple[Operation, ...] = ()
    sets: tuple[tuple[str, str], ...] = ()
    target_sets: tuple[tuple[str, str], ...] = ()
    set_restrictions: tuple[tuple[str, Restrictions], ...] = ()
    path_operations: tuple[Operation, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    def type(self, name: str | None) -> StructuredType | None:
        """The structured type of that qualified name, or None."""
        return next((t for t in self.types if t.name == name), None)
