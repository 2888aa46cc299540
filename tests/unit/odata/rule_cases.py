"""One case a rule that breaks it and one that does not: (rule, pointer, contract, breaking call, passing call)."""

from typing import Any, NamedTuple

from tests.unit.odata.contracts import NEAREST, RELEASE, orders, people, restricted, things
from wire.endpoint import EndpointContract, Permission, Property, StructuredType, Verb

Call = dict[str, Any]


class Case(NamedTuple):
    """``breaks`` yields a finding of the rule at the pointer; ``passes`` is valid."""

    rule: str
    pointer: str
    contract: EndpointContract
    breaks: Call
    passes: Call


ORDER = {"Kind": "OR", "Org": "1710"}
PERSON = {"User": "ann", "First": "Ann", "Mails": [], "Club@odata.bind": "Things(1)"}


def order(**members: Any) -> Call:
    """A create of an order."""
    return {"method": "POST", "payload": {**ORDER, **members}}


def person(**members: Any) -> Call:
    """A create of a person."""
    return {"method": "POST", "payload": {**PERSON, **members}}


def without(name: str, payload: Call) -> Call:
    """A create that lacks one member."""
    return {"method": "POST", "payload": {n: v for n, v in payload.items() if n != name}}


def get(**query: str) -> Call:
    """A read of a collection."""
    return {"method": "GET", "query": {f"${name}": value for name, value in query.items()}}


def change(key: Call, **members: Any) -> Call:
    """A partial update."""
    return {"method": "PATCH", "key": key, "payload": members}


S, P = orders(), people()
READ_S, READ_P = orders(Verb.READ), people(Verb.READ)
EDIT_S, EDIT_P = orders(Verb.UPDATE), people(Verb.UPDATE)
ME = people(Verb.CREATE, endpoint="Me", kind="Singleton")
MEDIA = orders(endpoint="Pictures", entity_type="S.Picture")
ONE = {"User": "ann"}
DRAFT = people(
    Verb.UPDATE,
    entity_type="D.Doc",
    types=(
        StructuredType(
            name="D.Doc",
            kind="entity",
            keys=("Id", "IsActiveEntity"),
            properties=(
                Property(name="Id", type="Edm.Int32", key=True),
                Property(name="IsActiveEntity", type="Edm.Boolean", key=True),
                Property(name="Text", type="Edm.String"),
            ),
        ),
    ),
    **restricted(draft=True),
)
FILTERED = orders(Verb.READ, **restricted(required_filters=("Kind",)))

CASES = (
    Case("R01", "/path/0", READ_S, {"method": "GET", "key": {"Order": "1"}, "path": ("Item",)},
         {"method": "GET", "key": {"Order": "1"}, "path": ("Items",)}),
    Case("R02", "/method", orders(**restricted(allowed=Permission.DENIED)), order(), order()),
    Case("R03", "/endpoint", orders(Verb.READ, **restricted(addressable=False)), get(top="1"), get(top="1")),
    Case("R04", "/payload/Nope", S, order(Nope=1), order()),
    Case("R05", "", things(), {}, {"method": "POST", "payload": {"Id": 1, "Extra": True}}),
    Case("R06", "/payload/Trips/0/Id", people(), person(Trips=[{}]), person(Trips=[{"Id": 1}])),
    Case("R07", "/payload/First", P, without("First", PERSON), person()),
    Case("R08", "/payload/First", EDIT_P, change(ONE, First=None), change(ONE, BossUser=None)),
    Case("R09", "/payload/Org", S, without("Org", ORDER), order(Org="1")),
    Case("R10", "/payload/Status", S, order(Status="A"), order(Reference="A")),
    Case("R11", "/payload/Born", EDIT_P, change(ONE, Born="x"), change(ONE, User="ann")),
    Case("R13", "/payload/Org", S, order(Org=1710), order(Org="1710")),
    Case("R14", "/payload/Org", S, order(Org="éééé5"), order(Org="éééé")),
    Case("R15", "/payload/Amount", S, order(Amount="123456.00"), order(Amount="12345.67", Currency="EUR")),
    Case("R16", "/payload/Amount", S, order(Amount=5), order(Amount="5", Currency="EUR")),
    Case("R17", "/payload/Age", P, person(Age=256), person(Age=255)),
    Case("R18", "/payload/Ratio", S, order(Ratio="x"), order(Ratio="-INF")),
    Case("R19", "/payload/Done", S, order(Done="true"), order(Done=True)),
    Case("R20", "/payload/Ordered", S, order(Ordered="2023-02-29T00:00:00"), order(Ordered="/Date(0)/")),
    Case("R21", "/payload/At", S, order(At="12:30"), order(At="PT12H30M")),
    Case("R22", "/payload/Moment", P, person(Moment="2026-01-31T10:00:00"), person(Moment="2026-01-31T10:00:00Z")),
    Case("R23", "/payload/Uid", S, order(Uid="1234"), order(Uid="6d3b3f0e-6d5c-4a0e-9a42-7b8c7a9f1e01")),
    Case("R24", "/payload/Gender", P, person(Gender="Alien"), person(Gender="Female", Likes="Tea,Rum")),
    Case("R25", "/payload/Level", P, person(Level=3), person(Level=2)),
    Case("R26", "/payload/Kind", S, order(Kind="XX"), order(Kind="RO")),
    Case("R29", "/payload/Score", P, person(Score=101), person(Score=100, Phone="12")),
    Case("R31", "/payload/Mails", P, person(Mails="a@b"), person(Mails=["a@b"])),
    Case("R32", "/payload/Home", P, person(Home="Boise"), person(Home={"Name": "Boise"})),
    Case("R33", "/payload/Items", S, order(Items={"Material": "A"}),
         order(Items={"results": [{"Item": "10", "Material": "A"}]})),
    Case("R34", "/payload/Header", S, order(Header=[{"Id": 1}]), order(Header={"Id": 1})),
    Case("R35", "/payload/Club", P, without("Club@odata.bind", PERSON), person(Club={"Id": 3})),
    Case("R36", "/payload/Logs", S, order(Logs=[{"Id": 1}]), order(Logs=[])),
    Case("R37", "/payload/Items/0/Order", S,
         order(Order="1", Items=[{"Order": "2", "Item": "10", "Material": "A"}]),
         order(Order="1", Items=[{"Order": "1", "Item": "10", "Material": "A"}])),
    Case("R39", "/payload/Boss@odata.bind", P, person(**{"Boss@odata.bind": "Things(1)"}),
         person(**{"Boss@odata.bind": "People('bob')", "Friends@odata.bind": ["People('bob')"]})),
    Case("R40", "/payload/Header@odata.bind", S, order(**{"Header@odata.bind": "Headers(1)"}),
         order(Header={"__metadata": {"uri": "Headers(1)"}})),
    Case("R41", "", P, {},
         {"method": "POST", "key": ONE, "path": ("Trips",), "payload": {"Id": 1}}),
    Case("R42", "/method", ME, {"method": "POST", "payload": PERSON}, {"method": "GET"}),
    Case("R43", "/payload/@odata.type", P, person(**{"@odata.type": "#P.Thing"}),
         person(**{"@odata.type": "#P.Manager", "Budget": 5})),
    Case("R44", "/key/Item", orders(Verb.READ, endpoint="Items", entity_type="S.Item"),
         {"method": "GET", "key": {"Order": "1"}}, {"method": "GET", "key": {"Item": "10", "Order": "1"}}),
    Case("R45", "/query/$filter", READ_P, get(filter="Day ge datetime'2026-01-31T00:00:00'"),
         get(filter="Day ge 2026-01-31")),
    Case("R46", "/query/$filter", READ_S, get(filter="contains(Org,'1')"), get(filter="substringof('1',Org)")),
    Case("R47", "/query/$filter", FILTERED, get(top="1"), get(filter="Kind eq 'OR'")),
    Case("R48", "/query/$expand", READ_P, get(expand="First"), get(expand="Boss($select=First)")),
    Case("R49", "/query/$inlinecount", READ_P, get(inlinecount="allpages"), get(count="true")),
    Case("R50", "/query/$top", READ_S, get(top="-1"), get(top="0")),
    Case("R51", "/payload/lat",
         people(Verb.READ, endpoint="Nearest", kind="Function", entity_type=None, operations=(NEAREST,)),
         {"method": "GET", "payload": {}}, {"method": "GET", "payload": {"lat": 1.5}}),
    Case("R51", "/method",
         orders(Verb.ACTION, endpoint="Release", kind="FunctionImport", entity_type=None, operations=(RELEASE,)),
         {"method": "GET", "payload": {"Order": "1"}}, {"method": "ACTION", "payload": {"Order": "1"}}),
    Case("R52", "/path/0", people(Verb.ACTION),
         {"method": "ACTION", "key": ONE, "path": ("Share",), "payload": {"with": "bob"}},
         {"method": "ACTION", "key": ONE, "path": ("P.Share",), "payload": {"with": "bob"}}),
    Case("R56", "/method", people(Verb.UPDATE, **restricted(update_method="PATCH")),
         {"method": "PUT", "key": ONE, "payload": {"First": "A"}}, change(ONE, First="A")),
    Case("R58", "", S, {}, order(__metadata={"uri": "Orders('1')"}, Items={"__deferred": {"uri": "x"}})),
    Case("R59", "/payload", MEDIA, {"method": "POST", "payload": {"Id": "1"}},
         {"method": "PATCH", "key": {"Id": "1"}, "payload": {}}),
    Case("R60", "/key/IsActiveEntity", DRAFT, change({"Id": 1, "IsActiveEntity": True}, Text="x"),
         change({"Id": 1, "IsActiveEntity": False}, Text="x")),
)  # fmt: skip
