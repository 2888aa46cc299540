"""Our reference in what a run creates: the property that a binding names carries it, so that a lost answer can be looked up.

Only where the service keeps no request ids, and only where the call leaves the property empty: what somebody wrote there stays.
"""

from typing import Any

from activities.errors import ServiceUnknown
from activities.judging import contract_of
from activities.ports import Parts
from graph.errors import UnknownEndpoint
from policies.canonical import digest
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, Permission, Property, Verb

_MARK = 4
"""Letters that tell two calls of one run apart."""
_SHORTEST = 16
"""Below this, too little of the run id would be left to tell runs apart."""


def reference_property(parts: Parts, service: str, endpoint: str, graph_hash: str) -> str | None:
    """The property that a binding of this endpoint names for our reference."""
    view = parts.graphs.at(graph_hash)
    iris = {e.iri for e in view.endpoints() if (e.service, e.endpoint) == (service, endpoint)}
    named = {b.reference_property for b in view.bindings() if b.endpoint in iris and b.reference_property}
    return min(named) if named else None


def with_reference(parts: Parts, call: ProposedCall, run_id: str, graph_hash: str) -> ProposedCall:
    """The call with our reference, where the service needs one to be asked by and there is a place for it (blocking)."""
    if call.method not in ("POST", "ACTION") or call.path or repeatable(parts, call.service):
        return call
    name = reference_property(parts, call.service, call.endpoint, graph_hash)
    if name is None or (call.payload or {}).get(name) not in (None, ""):
        return call
    try:
        contract = contract_of(parts, call, graph_hash)
    except UnknownEndpoint:
        return call
    length = _room(contract, name)
    if length is None:
        return call
    return call.model_copy(update={"payload": {**(call.payload or {}), name: reference_of(call, run_id, name, length)}})


def reference_of(call: ProposedCall, run_id: str, name: str, length: int) -> str:
    """The beginning of the run id, and a mark of the call without its reference: the same call again has the same one."""
    bare: dict[str, Any] = {k: v for k, v in (call.payload or {}).items() if k != name}
    mark = digest({"endpoint": call.endpoint, "payload": _plain(bare)})[:_MARK]
    return f"{run_id[: length - _MARK - 1]}-{mark}"


def is_ours(call: ProposedCall, run_id: str, name: str) -> bool:
    """Whether the call carries the reference that we would give it, so that nobody else has used it before."""
    value = (call.payload or {}).get(name)
    return isinstance(value, str) and value == reference_of(call, run_id, name, len(value))


def repeatable(parts: Parts, service: str) -> bool:
    """Whether the service keeps request ids; one without an address is found out about when it is called."""
    try:
        return parts.services.repeatable(service)
    except ServiceUnknown:
        return True


def _room(contract: EndpointContract, name: str) -> int | None:
    """How long a reference may be; None where it has no place."""
    entity = contract.type(contract.entity_type)
    if contract.verb is Verb.CREATE:
        prop = entity.property(name) if entity is not None else None
    else:
        prop = next((p for op in contract.operations for p in op.parameters if p.name == name), None)
    if prop is None or not _is_free_text(prop):
        return None
    length = min(prop.max_length or 64, len("run-") + 26 + 1 + _MARK)
    return length if length >= _SHORTEST else None


def _is_free_text(prop: Property) -> bool:
    closed = prop.computed or prop.creatable is Permission.DENIED or prop.collection or prop.pattern
    return prop.type == "Edm.String" and not (closed or prop.allowed or (prop.code_list and prop.code_list.fixed))


def _plain(value: Any) -> Any:
    """Numbers as texts: canonical JSON has no place for long decimals."""
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, bool | str) else str(value)
