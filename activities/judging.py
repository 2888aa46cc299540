"""A call against its contract: verdict, request, and what a change replaces.

The contract is the graph snapshot's, or, where the service has said of itself that it has changed since, that of its own
``$metadata`` with the snapshot's tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from activities.ports import Parts
from activities.unknown_endpoints import verdict_on_unknown
from graph.errors import UnknownEndpoint
from odata.errors import CallError, MetadataError, NotFound, Retryable
from odata.prepare import call_digest, prepare, with_if_match
from odata.validation import Validator, compile_validator
from odata.verbs import verb_of
from wire.call import Finding, PreparedRequest, ProposedCall, ValidatedCall, Verdict
from wire.endpoint import EndpointContract, Verb

_CHANGES = frozenset({"PATCH", "PUT", "DELETE"})


@dataclass(frozen=True)
class Judged:
    """What validation came to. ``before`` is the entity as it stood when the call was judged, for calls that change one."""

    call: ProposedCall
    verdict: Verdict
    contract: EndpointContract | None = None
    validated: ValidatedCall | None = None
    before: Mapping[str, Any] | None = None

    @property
    def unbound(self) -> bool:
        """Nothing speaks against the call, but it is a change that ``bind`` has not bound to its entity yet."""
        return self.validated is None and self.verdict.request is not None


def judge_call(parts: Parts, call: ProposedCall, graph_hash: str) -> Judged:
    """Validate the call on that snapshot (blocking: the first look at a contract reads the graph). A change stays unbound."""
    try:
        contract = _contract_now(parts, call.service, call.endpoint, verb_of(call.method), graph_hash)
    except UnknownEndpoint as error:
        return Judged(call, verdict_on_unknown(parts.graphs.at(graph_hash), call, error))
    validator = _compiled(_Key(contract))
    verdict = validator.validate(call)
    if verdict.request is None:
        return Judged(call, verdict, contract)
    if call.key and (call.method in _CHANGES or _is_bound_action(call)):
        return Judged(call, verdict, contract)
    return Judged(call, verdict, contract, _validated(call, contract, verdict, verdict.request))


def is_drifted(parts: Parts, service: str, graph_hash: str) -> bool:
    """Whether the service's ``$metadata``, as it was read last, is another than the snapshot's (blocking)."""
    live = parts.services.known_metadata(service)
    if live is None:
        return False
    try:
        return parts.graphs.at(graph_hash).metadata_digest(service) != live.digest
    except UnknownEndpoint:
        return False


async def bind(parts: Parts, judged: Judged) -> Judged:
    """A change, or an action on one entity, is bound to the entity's ETag as it is now."""
    call, contract, verdict = judged.call, judged.contract, judged.verdict
    if contract is None or verdict.request is None:
        return judged
    try:
        before, etag = await _as_it_stands(parts, call, contract.graph_hash)
    except CallError as error:
        if isinstance(error, Retryable) or not _is_bound_action(call):
            raise
        # What cannot be read can still be acted on; then the action is bound to nothing.
        return Judged(call, verdict, contract, _validated(call, contract, verdict, verdict.request))
    if before is None:
        finding = Finding(rule="R44", pointer="/key", message="no entity has this key", value=call.key)
        missing = {"kind": "invalid", "findings": (finding,), "request": None}
        return Judged(call, verdict.model_copy(update=missing), contract)
    if _is_bound_action(call):
        # Its parameters are no fields, so there is nothing old to show; without an ETag it is bound to nothing.
        request = with_if_match(verdict.request, etag) if etag else verdict.request
        return Judged(call, verdict, contract, _validated(call, contract, verdict, request))
    request = with_if_match(verdict.request, etag)
    return Judged(call, verdict, contract, _validated(call, contract, verdict, request), before)


def _is_bound_action(call: ProposedCall) -> bool:
    """An action on one entity: its key, and the operation last in the path."""
    return call.method == "ACTION" and bool(call.key) and len(call.path or ()) == 1


def _validated(
    call: ProposedCall, contract: EndpointContract, verdict: Verdict, request: PreparedRequest
) -> ValidatedCall:
    return ValidatedCall(
        call=call,
        kind=contract.kind,
        request=request,
        digest=call_digest(request),
        undecided=verdict.undecided,
        metadata_digest=contract.metadata_digest,
        graph_hash=contract.graph_hash,
    )


def contract_at(parts: Parts, service: str, endpoint: str, verb: Verb, graph_hash: str) -> EndpointContract:
    """The contract by which an endpoint is called and read (blocking): one that the service no longer shows is as it was
    ingested. Raises ``UnknownEndpoint``.
    """
    try:
        return _contract_now(parts, service, endpoint, verb, graph_hash)
    except UnknownEndpoint:
        return parts.graphs.at(graph_hash).contract(service, endpoint, verb)


def contract_of(parts: Parts, call: ProposedCall, graph_hash: str) -> EndpointContract:
    """``contract_at`` for the call's endpoint and verb."""
    return contract_at(parts, call.service, call.endpoint, verb_of(call.method), graph_hash)


def _contract_now(parts: Parts, service: str, endpoint: str, verb: Verb, graph_hash: str) -> EndpointContract:
    """The contract as far as this process knows the service's metadata. Raises ``UnknownEndpoint``."""
    view, live = parts.graphs.at(graph_hash), parts.services.known_metadata(service)
    if live is None:
        return view.contract(service, endpoint, verb)
    try:
        ingested = view.contract(service, endpoint, verb)
    except UnknownEndpoint:
        ingested = None
    if ingested is not None and ingested.metadata_digest == live.digest:
        return ingested
    try:
        return view.contract_over(live.data, service, endpoint, verb)
    except MetadataError:
        # What cannot be read says nothing; what was ingested stays the last word.
        return view.contract(service, endpoint, verb)


async def _as_it_stands(
    parts: Parts, call: ProposedCall, graph_hash: str
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The entity that the call names, and its ETag; (None, None) when there is none."""
    entity = ProposedCall(method="GET", service=call.service, endpoint=call.endpoint, key=call.key)
    contract = contract_at(parts, call.service, call.endpoint, Verb.READ, graph_hash)
    try:
        found = await parts.services.client(call.service, contract.version).read(prepare(contract, entity))
    except NotFound:
        return None, None
    return (found.data if isinstance(found.data, dict) else None), found.etag


class _Key:
    """Makes a contract cacheable by what identifies it."""

    def __init__(self, contract: EndpointContract) -> None:
        self.contract = contract
        self._key = (contract.graph_hash, contract.metadata_digest, contract.service, contract.endpoint, contract.verb)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._key == other._key


@lru_cache(maxsize=512)
def _compiled(key: _Key) -> Validator:
    return compile_validator(key.contract)
