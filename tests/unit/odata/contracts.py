"""Two small services as contracts: V2 orders in the manner of SAP, V4 people with derived and open types."""

from typing import Any

from wire.endpoint import (
    Cardinality,
    Code,
    CodeList,
    EndpointContract,
    EnumType,
    NavigationProperty,
    Operation,
    Permission,
    Property,
    ReferentialConstraint,
    Restrictions,
    StructuredType,
    TypeDefinition,
    Verb,
)

KINDS = CodeList(codes=(Code(code="OR", text="Standard"), Code(code="RO", text="Rush")), fixed=True, source="codes")
INCOTERMS = CodeList(codes=(Code(code="DAP"),), fixed=False, source="incoterms")

ASSIGNED: dict[str, Any] = {"key": True, "nullable": False, "required": True, "required_source": "key"}


def text(name: str, length: int | None = None, **more: Any) -> Property:
    """An Edm.String property."""
    return Property(name=name, type="Edm.String", max_length=length, **more)


ORDER = StructuredType(
    name="S.Order",
    kind="entity",
    keys=("Order",),
    properties=(
        text("Order", 10, key=True, nullable=False),
        text("Kind", 4, code_list=KINDS, required=True, required_source="expert"),
        text("Org", 4, required=True, required_source="expert", required_unless="Reference"),
        text("Reference", 10),
        text("Terms", 3, code_list=INCOTERMS),
        text("Partner", 10, value_list="standard"),
        text("Region", 3, value_list_inputs=("Country",)),
        text("Country", 3),
        text("Note", dynamic_control="NoteControl"),
        text("Status", 1, creatable=Permission.DENIED, updatable=Permission.DENIED),
        Property(name="Ordered", type="Edm.DateTime", precision=0, filterable=False),
        Property(name="Changed", type="Edm.DateTimeOffset", sortable=False),
        Property(name="At", type="Edm.Time"),
        Property(name="Amount", type="Edm.Decimal", precision=7, scale=2, unit_property="Currency"),
        text("Currency", 5),
        Property(name="Big", type="Edm.Int64"),
        Property(name="Ratio", type="Edm.Double"),
        Property(name="Done", type="Edm.Boolean"),
        Property(name="Uid", type="Edm.Guid"),
        Property(name="Blob", type="Edm.Binary", max_length=4),
    ),
    navigations=(
        NavigationProperty(name="Items", target_type="S.Item", cardinality=Cardinality.MANY, target_set="Items"),
        NavigationProperty(
            name="Header", target_type="S.Header", cardinality=Cardinality.ZERO_OR_ONE, target_set="Headers"
        ),
        NavigationProperty(
            name="Logs",
            target_type="S.Header",
            cardinality=Cardinality.MANY,
            target_set="Headers",
            deep_insert=Permission.DENIED,
        ),
    ),
)
ITEM = StructuredType(
    name="S.Item",
    kind="entity",
    keys=("Order", "Item"),
    properties=(
        text("Order", 10, key=True, nullable=False),
        text("Item", 6, **ASSIGNED),
        text("Material", 40, nullable=False),
        Property(name="Quantity", type="Edm.Decimal", precision=15, scale=3),
    ),
)
HEADER = StructuredType(
    name="S.Header", kind="entity", keys=("Id",), properties=(Property(name="Id", type="Edm.Int32", key=True),)
)
PICTURE = StructuredType(
    name="S.Picture", kind="entity", has_stream=True, keys=("Id",), properties=(text("Id", key=True, nullable=False),)
)
RELEASE = Operation(
    name="Release",
    qualified_name="Release",
    kind="FunctionImport",
    http_method="POST",
    parameters=(text("Order", 10, nullable=False, required=True),),
)


def orders(verb: Verb = Verb.CREATE, **more: Any) -> EndpointContract:
    """The V2 set ``Orders``; more fields replace those of the contract."""
    fields: dict[str, Any] = {
        "service": "ORDERS",
        "endpoint": "Orders",
        "kind": "EntitySet",
        "verb": verb,
        "version": "2.0",
        "graph_hash": "g",
        "metadata_digest": "m",
        "entity_type": "S.Order",
        "types": (ORDER, ITEM, HEADER, PICTURE),
        "sets": (("Orders", "S.Order"), ("Items", "S.Item"), ("Headers", "S.Header")),
        "target_sets": (("Orders/Items", "Items"), ("Orders/Header", "Headers"), ("Orders/Logs", "Headers")),
    }
    return EndpointContract(**{**fields, **more})


CITY = StructuredType(name="P.City", kind="complex", properties=(text("Name", 20, nullable=False), text("Zip", 5)))
PERSON = StructuredType(
    name="P.Person",
    kind="entity",
    derived=("P.Manager",),
    keys=("User",),
    properties=(
        text("User", 10, **ASSIGNED),
        text("First", 10, nullable=False),
        text("Made", computed=True),
        text("Born", immutable=True),
        Property(name="Gender", type="P.Gender"),
        Property(name="Likes", type="P.Likes"),
        Property(name="Home", type="P.City"),
        Property(name="Mails", type="Edm.String", collection=True, nullable=False),
        Property(name="Age", type="Edm.Byte"),
        Property(name="Score", type="Edm.Decimal", precision=5, scale=2, minimum="0", maximum="100"),
        Property(name="Level", type="Edm.Int32", allowed=(Code(code="1"), Code(code="2"))),
        text("Phone", pattern="^[0-9]+$"),
        Property(name="Day", type="Edm.Date"),
        Property(name="Moment", type="Edm.DateTimeOffset"),
        Property(name="Clock", type="Edm.TimeOfDay"),
        Property(name="Span", type="Edm.Duration"),
        Property(name="Link", type="P.Url"),
        Property(name="Photo", type="Edm.Stream"),
        text("BossUser", 10),
    ),
    navigations=(
        NavigationProperty(
            name="Boss",
            target_type="P.Person",
            cardinality=Cardinality.ZERO_OR_ONE,
            target_set="People",
            constraints=(ReferentialConstraint(dependent="BossUser", principal="User"),),
        ),
        NavigationProperty(name="Friends", target_type="P.Person", cardinality=Cardinality.MANY, target_set="People"),
        NavigationProperty(name="Trips", target_type="P.Trip", cardinality=Cardinality.MANY, contained=True),
        NavigationProperty(
            name="Club", target_type="P.Thing", cardinality=Cardinality.ONE, nullable=False, target_set="Things"
        ),
    ),
)
MANAGER = PERSON.model_copy(
    update={
        "name": "P.Manager",
        "base": "P.Person",
        "derived": (),
        "properties": (*PERSON.properties, Property(name="Budget", type="Edm.Int32")),
    }
)
TRIP = StructuredType(
    name="P.Trip", kind="entity", keys=("Id",), properties=(Property(name="Id", type="Edm.Int32", **ASSIGNED),)
)
THING = StructuredType(
    name="P.Thing",
    kind="entity",
    open=True,
    keys=("Id",),
    properties=(Property(name="Id", type="Edm.Int32", key=True), text("Name", 5)),
)
GENDER = EnumType(name="P.Gender", members=(("Male", 0), ("Female", 1)))
LIKES = EnumType(name="P.Likes", flags=True, members=(("Tea", 1), ("Rum", 2)))
SHARE = Operation(
    name="Share",
    qualified_name="P.Share",
    kind="Action",
    http_method="POST",
    bound_to="P.Person",
    parameters=(text("with", nullable=False, required=True), text("why")),
)
NEAREST = Operation(
    name="Nearest",
    qualified_name="P.Nearest",
    kind="Function",
    http_method="GET",
    parameters=(Property(name="lat", type="Edm.Double", nullable=False, required=True),),
    return_type="P.Thing",
)


def people(verb: Verb = Verb.CREATE, **more: Any) -> EndpointContract:
    """The V4 set ``People``; more fields replace those of the contract."""
    fields: dict[str, Any] = {
        "service": "PEOPLE",
        "endpoint": "People",
        "kind": "EntitySet",
        "verb": verb,
        "version": "4.0",
        "graph_hash": "g",
        "metadata_digest": "m",
        "entity_type": "P.Person",
        "types": (PERSON, MANAGER, CITY, TRIP, THING),
        "enums": (GENDER, LIKES),
        "type_definitions": (TypeDefinition(name="P.Url", underlying="Edm.String", max_length=12),),
        "operations": (SHARE,),
        "sets": (("People", "P.Person"), ("Things", "P.Thing"), ("Me", "P.Person")),
        "target_sets": (("People/Boss", "People"), ("People/Friends", "People"), ("People/Club", "Things")),
    }
    return EndpointContract(**{**fields, **more})


def things(verb: Verb = Verb.CREATE, **more: Any) -> EndpointContract:
    """The V4 set ``Things`` of an open type."""
    return people(verb, endpoint="Things", entity_type="P.Thing", operations=(), **more)


def restricted(**limits: Any) -> dict[str, Any]:
    """The ``restrictions`` field of a contract."""
    return {"restrictions": Restrictions(**limits)}
