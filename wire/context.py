"""The typed context: what the agent sees of the graph for one goal, cut to a token budget."""

from typing import Literal

from wire.base import Wire
from wire.endpoint import Cardinality, Code, EndpointKind, ODataVersion, Verb


class Reason(Wire):
    """Why a hit is there: its dense rank, matched words, or its place after another step of a process."""

    kind: Literal["dense", "words", "anchor", "follows", "refers_to", "binding"]
    text: str


class Hit(Wire):
    """One retrieved endpoint. ``score`` falls with ``rank`` (1 = best); ``clause`` = the part of the goal it answers best."""

    service: str
    endpoint: str
    kind: EndpointKind
    rank: int
    score: float
    clause: int | None = None
    reasons: tuple[Reason, ...] = ()


class CarryOver(Wire):
    """A key that a later step takes from an earlier one (``refersTo``), declared or derived."""

    from_service: str
    from_endpoint: str
    from_property: str
    to_service: str
    to_endpoint: str
    to_property: str
    source: Literal["declared", "derived"] = "declared"


class ChainStep(Wire):
    """One process node in chain order with the endpoint bound to it, if any."""

    process_id: str
    process: str
    node_id: str
    label: str
    position: int
    service: str | None = None
    endpoint: str | None = None
    verb: Verb | None = None
    follows: tuple[str, ...] = ()
    condition: str = ""
    reference_property: str = ""


class FieldView(Wire):
    """One property, navigation-free. ``codes`` may be cut; then ``codes_cut`` is true."""

    name: str
    label: str
    type: str
    max_length: int | None = None
    key: bool = False
    required: bool = False
    required_unless: str = ""
    writable: bool = True
    nullable: bool = True
    default: str | None = None
    codes: tuple[Code, ...] = ()
    codes_cut: bool = False
    fields: tuple["FieldView", ...] = ()
    collection: bool = False


class NestedView(Wire):
    """A navigation that can be nested in a create, with the fields of its target."""

    name: str
    target: str
    target_set: str | None
    cardinality: Cardinality
    nesting: Literal["results", "array", "object"]
    fields: tuple[FieldView, ...] = ()
    nested: tuple["NestedView", ...] = ()


class EndpointView(Wire):
    """One endpoint and verb as the agent sees it."""

    service: str
    endpoint: str
    kind: EndpointKind
    verb: Verb
    version: ODataVersion
    label: str
    description: str = ""
    method: Literal["GET", "POST", "PATCH", "PUT", "DELETE", "ACTION"] = "GET"
    rank: int = 0
    score: float = 0.0
    clause: int | None = None
    reasons: tuple[Reason, ...] = ()
    keys: tuple[str, ...] = ()
    fields: tuple[FieldView, ...] = ()
    nested: tuple[NestedView, ...] = ()
    bound_path: str | None = None
    reference_property: str = ""


class Link(Wire):
    """A navigation from a set of the context to a set of the same service, shown or not."""

    service: str
    endpoint: str
    navigation: str
    target: str
    cardinality: Cardinality


class TypedContext(Wire):
    """Everything an agent may use for one goal. ``cut`` says in words what the budget left out."""

    goal: str
    clauses: tuple[str, ...]
    graph_hash: str
    retriever: str
    endpoints: tuple[EndpointView, ...]
    chain: tuple[ChainStep, ...] = ()
    carries: tuple[CarryOver, ...] = ()
    links: tuple[Link, ...] = ()
    out_of_scope: bool = False
    cut: tuple[str, ...] = ()
    tokens: int = 0
