"""What the runs know of the service, and the brain that asks for one order each: contracts by hand, a script for turns."""

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

from evaluation.histories.service import PLAIN, SERVICE, WITHOUT_NOTE
from graph.errors import UnknownEndpoint
from graph.views import Binding, EndpointSummary
from wire.agent import Observation, Turn
from wire.call import ProposedCall
from wire.context import EndpointView, TypedContext
from wire.endpoint import EndpointContract, Property, StructuredType, Verb

SNAPSHOT = "a" * 64
_PROPERTIES = (
    Property(name="Order", type="Edm.String", label="Order", key=True, nullable=False, max_length=10),
    Property(name="Amount", type="Edm.Int32", label="Amount"),
    Property(name="Note", type="Edm.String", label="Note", max_length=40),
)


def _contract(verb: Verb, metadata: bytes) -> EndpointContract:
    without = metadata == WITHOUT_NOTE
    kept = tuple(p for p in _PROPERTIES if not (without and p.name == "Note"))
    order = StructuredType(name="sales.Order", kind="entity", label="Order", keys=("Order",), properties=kept)
    return EndpointContract(
        service=SERVICE,
        endpoint="Orders",
        kind="EntitySet",
        verb=verb,
        version="4.0",
        graph_hash=SNAPSHOT,
        metadata_digest=hashlib.sha256(metadata).hexdigest(),
        label="Orders",
        entity_type="sales.Order",
        types=(order,),
        sets=(("Orders", "sales.Order"),),
    )


class Catalogue:
    """Stands for the graph: both ``activities.ports.Graphs`` and the one snapshot's view."""

    graph_hash = SNAPSHOT

    def __init__(self) -> None:
        self._made: dict[tuple[Verb, bytes], EndpointContract] = {}

    def current(self) -> str:
        """The one snapshot."""
        return SNAPSHOT

    def at(self, graph_hash: str) -> Any:
        """The one snapshot."""
        return self

    def warm(self) -> None:
        """Nothing to load."""

    def context(self, goal: str, graph_hash: str, services: tuple[str, ...]) -> TypedContext:
        """The one endpoint."""
        view = EndpointView(
            service=SERVICE, endpoint="Orders", kind="EntitySet", verb=Verb.CREATE, version="4.0", label="Orders"
        )
        return TypedContext(goal=goal, clauses=(goal,), graph_hash=SNAPSHOT, retriever="fixed", endpoints=(view,))

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """As the snapshot has it."""
        return self._known(endpoint, verb, PLAIN)

    def contract_over(self, metadata: bytes, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """As the service says now."""
        return self._known(endpoint, verb, metadata)

    def metadata_digest(self, service: str) -> str:
        """That of the snapshot."""
        return hashlib.sha256(PLAIN).hexdigest()

    def endpoints(self) -> Sequence[EndpointSummary]:
        """None: nothing is searched here."""
        return ()

    def bindings(self) -> Sequence[Binding]:
        """None: no reference property."""
        return ()

    def _known(self, endpoint: str, verb: Verb, metadata: bytes) -> EndpointContract:
        if endpoint != "Orders":
            raise UnknownEndpoint(f"{SERVICE}/{endpoint}", [f"{SERVICE}/Orders"])
        key = (verb, metadata)
        if key not in self._made:
            self._made[key] = _contract(verb, metadata)
        return self._made[key]


class Script:
    """The brain: one order a run, named by the goal; after a rejection another one, once."""

    name: Literal["planner"] = "planner"
    model = "script"
    prompt_version = "1"

    async def next_turn(self, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int) -> Turn:
        """A call first, another after the first rejection, then the end."""
        rejected = sum(1 for seen in observations if seen.kind == "rejected")
        if not observations or (observations[-1].kind == "rejected" and rejected == 1):
            return Turn(action="call", thought="", reason="It is asked for.", call=order_call(goal, rejected))
        return Turn(action="finish", thought="", answer="done")


def order_call(goal: str, attempt: int) -> ProposedCall:
    """The call of a goal ``METHOD NUMBER``; its Note names run and attempt, so that no two calls share their bytes."""
    method, _, number = goal.partition(" ")
    fields = {"Amount": 100 + attempt, "Note": f"T{number}x{attempt}"}
    if method == "PATCH":
        return ProposedCall(
            method="PATCH", service=SERVICE, endpoint="Orders", key={"Order": order_key(int(number), 0)}, payload=fields
        )
    payload = {"Order": order_key(int(number), attempt), **fields}
    return ProposedCall(method="POST", service=SERVICE, endpoint="Orders", payload=payload)


def order_key(run: int, attempt: int) -> str:
    """The key of the order that a run is about."""
    return f"45{run:03d}{attempt}"
