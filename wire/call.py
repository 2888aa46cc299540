"""Calls before and after the gates, and what validation says of them.

The form of ``ProposedCall`` is that of the benchmark's call cases: ``method`` ACTION is an operation with effect.
"""

from typing import Any, Literal

from wire.base import Wire
from wire.endpoint import EndpointKind

Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE", "ACTION"]


class ProposedCall(Wire):
    """One call as an agent proposes it. Values are JSON values, never URL literals; query values are unencoded strings."""

    method: Method
    service: str
    endpoint: str
    key: dict[str, Any] | None = None
    path: tuple[str, ...] | None = None
    query: dict[str, str] | None = None
    payload: dict[str, Any] | None = None


class Finding(Wire):
    """One fault. ``rule`` is an id of the rule table (R01 …), ``pointer`` a JSON pointer into the call (RFC 6901)."""

    rule: str
    pointer: str
    message: str
    value: Any = None
    allowed: tuple[str, ...] = ()
    suggestion: str = ""
    source: str = ""


class PreparedRequest(Wire):
    """The HTTP request as it will be sent, short of transport headers (host, tokens, cookies).

    ``path`` is relative to the service root and percent-encoded; ``body`` the exact text (UTF-8 when sent).
    """

    method: Literal["GET", "POST", "PATCH", "MERGE", "PUT", "DELETE"]
    service: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None


class Verdict(Wire):
    """What validation says: all findings at once, and the request when there are none.

    ``undecided`` lists what only data could decide; it counts as valid and is shown to the approver.
    """

    kind: Literal["valid", "invalid", "undecided"]
    findings: tuple[Finding, ...] = ()
    undecided: tuple[Finding, ...] = ()
    request: PreparedRequest | None = None
    metadata_digest: str = ""
    graph_hash: str = ""


class ValidatedCall(Wire):
    """A call that passed validation, with the digest that an approval binds (SHA-256 over RFC 8785 of ``request``)."""

    call: ProposedCall
    kind: EndpointKind
    request: PreparedRequest
    digest: str
    undecided: tuple[Finding, ...] = ()
    metadata_digest: str = ""
    graph_hash: str = ""


class CallResult(Wire):
    """What a service answered. ``data`` is the entity, or the list of entities, without envelope and control information."""

    status: int
    data: Any = None
    truncated: bool = False
    etag: str | None = None
    location: str | None = None
    body_digest: str = ""


class Difference(Wire):
    """A sent field that reads back otherwise."""

    pointer: str
    sent: Any
    read: Any


class ExecutedCall(Wire):
    """A write that took effect, as the ledger records it.

    ``replayed``: the service answered from memory under the same request id. ``looked_up``: the answer was lost, and this is
    what the entity was found by. ``settled_by``: nobody saw an answer; that operator says that it took effect.
    """

    effect_key: str
    digest: str
    result: CallResult
    read_back: CallResult | None = None
    differences: tuple[Difference, ...] = ()
    replayed: bool = False
    looked_up: str = ""
    settled_by: str = ""
