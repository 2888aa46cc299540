"""After a write: read the entity back and compare it with what was approved, because success without effect exists."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from activities.judging import contract_at, contract_of
from activities.ports import Parts
from graph.errors import UnknownEndpoint
from odata.errors import CallError, NotFound
from odata.prepare import prepare
from odata.written import compare_written
from wire.call import CallResult, Difference, ExecutedCall, ProposedCall, ValidatedCall
from wire.endpoint import Cardinality, EndpointContract, StructuredType, Verb


@dataclass(frozen=True)
class ReadBack:
    """What reading back came to; ``result`` is None where there is nothing to read or the service does not show it."""

    summary: str
    result: CallResult | None = None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class Reading:
    """How what a write named or made is read."""

    call: ProposedCall
    key: Mapping[str, Any]
    entity: ProposedCall
    contract: EndpointContract
    found_by: str = ""


def plan_reading(parts: Parts, call: ValidatedCall, executed: ExecutedCall) -> Reading | ReadBack:
    """What to read back (blocking: contracts come from the graph), or what is to be said where there is nothing to read."""
    contract = contract_of(parts, call.call, call.graph_hash)
    kind = contract.type(contract.entity_type)
    key = _key_of(call.call, executed.result, kind)
    if kind is None or key is None or call.call.path:
        return ReadBack(f"{_summary(call.call, None)}{_found_by(executed)}")
    entity = ProposedCall(
        method="GET", service=call.call.service, endpoint=call.call.endpoint, key=key, query=_expand(call.call, kind)
    )
    try:
        reading = contract_at(parts, call.call.service, call.call.endpoint, Verb.READ, call.graph_hash)
    except UnknownEndpoint as error:
        return ReadBack(f"{_summary(call.call, key)}; reading it back failed: {error}")
    return Reading(call.call, key, entity, reading, _found_by(executed))


async def read_back(parts: Parts, reading: Reading) -> ReadBack:
    """Read what the write named or made. A read that fails undoes nothing: it is said, and the write stands.

    An entity that should be there and is not is a difference: success without effect.
    """
    call, contract = reading.call, reading.contract
    summary = f"{_summary(reading.call, reading.key)}{reading.found_by}"
    try:
        request = prepare(contract, reading.entity)
        found = await parts.services.client(call.service, contract.version).read(request)
    except NotFound:
        return _absent(call, summary)
    except CallError as error:
        return ReadBack(f"{summary}; reading it back failed: {error}")
    if call.method == "DELETE":
        return ReadBack(f"{summary}; it can still be read: some services only mark what they delete", found)
    differences = compare_written(call.payload or {}, found.data) if isinstance(found.data, dict) else ()
    if differences:
        shown = ", ".join(f"{d.pointer}: sent {d.sent!r}, reads {d.read!r}" for d in differences[:5])
        return ReadBack(f"{summary}, but it reads back otherwise: {shown}", found, differences)
    return ReadBack(f"{summary}, read back the same", found)


def _absent(call: ProposedCall, summary: str) -> ReadBack:
    if call.method == "DELETE":
        return ReadBack(f"{summary}, and it is gone")
    if call.method == "ACTION":
        # What an action does to the entity that it is called on is its own affair.
        return ReadBack(f"{summary}; the entity is not there any more")
    return ReadBack(f"{summary}, but it is not there", None, (Difference(pointer="", sent=call.payload, read=None),))


def _key_of(call: ProposedCall, result: CallResult, kind: StructuredType | None) -> dict[str, Any] | None:
    if call.key:
        return dict(call.key)
    if kind is None or call.method != "POST" or not isinstance(result.data, Mapping):
        return None
    key = {name: result.data[name] for name in kind.keys if name in result.data}
    return key if len(key) == len(kind.keys) and key else None


def _expand(call: ProposedCall, kind: StructuredType) -> dict[str, str] | None:
    """Navigations that the payload nested, so that the items are compared as well."""
    nested = [n.name for n in kind.navigations if n.name in (call.payload or {})]
    many = [n.name for n in kind.navigations if n.name in nested and n.cardinality is Cardinality.MANY]
    names = many or nested
    return {"$expand": ",".join(names)} if names else None


def _found_by(executed: ExecutedCall) -> str:
    """Said wherever the write is told of: nobody has seen the service's own answer."""
    return f" (its answer was lost; found by {executed.looked_up})" if executed.looked_up else ""


def _summary(call: ProposedCall, key: Mapping[str, Any] | None) -> str:
    target = call.path[-1].rpartition(".")[2] if call.path else call.endpoint
    shown = ", ".join(
        f"{name} {value}" for name, value in (key or call.payload or {}).items() if not isinstance(value, list | dict)
    )
    verb = {"POST": "created", "PATCH": "changed", "PUT": "replaced", "DELETE": "deleted", "ACTION": "carried out"}
    return f"{verb.get(call.method, call.method)} {target} {shown}".strip()
