"""Finding out what became of a write whose answer was lost: which read asks, and what its answer proves (pure).

An entity is named by its key, or by the property that carries our reference. What proves nothing stays unknown: a write is
never repeated on a guess.
"""

from dataclasses import dataclass
from typing import Any

from odata.model import Model
from odata.prepare import prepare
from odata.url_literals import format_literal
from odata.written import compare_written
from wire.call import CallResult, PreparedRequest, ProposedCall, ValidatedCall
from wire.endpoint import EndpointContract

# Two are enough to tell "it" from "several".
_ENOUGH = "2"
_CHANGES = frozenset({"PATCH", "PUT", "DELETE"})


@dataclass(frozen=True)
class LookUp:
    """``by`` names what the entity is found by: ``its key``, or the property of the reference."""

    request: PreparedRequest
    by: str


@dataclass(frozen=True)
class Found:
    """``took_effect`` only where the answer proves it; ``why`` says what it shows otherwise."""

    took_effect: bool
    why: str = ""


def plan_look_up(contract: EndpointContract, call: ProposedCall, reference: str | None) -> LookUp | None:
    """How a write can be looked up; None when nothing in it names what it made or changed.

    ``contract`` is the contract for reading of the set that is written, or that an operation returns from; ``reference`` the
    property that the binding names, if any.
    """
    if call.path or contract.entity_type is None:
        return None
    payload = call.payload or {}
    if call.method in _CHANGES and call.key:
        return LookUp(prepare(contract, _read(contract, key=dict(call.key))), "its key")
    if call.method not in ("POST", "ACTION"):
        return None
    by_key = look_up_by_key(contract, payload) if call.method == "POST" else None
    if by_key is not None:
        return LookUp(by_key, "its key")
    if reference is None or payload.get(reference) in (None, ""):
        return None
    return LookUp(look_up_by_reference(contract, reference, payload[reference]), reference)


def judge_look_up(call: ValidatedCall, found: CallResult | None) -> Found:
    """What the entity that was found (None: there is none) proves about the write."""
    method = call.call.method
    if method == "DELETE":
        return Found(True) if found is None else Found(False, "the entity is still there")
    if found is None:
        return Found(False, "no such entity is there")
    if method == "ACTION":
        # Its parameters are no properties: that one entity carries its reference is all that can be seen.
        return Found(True)
    bound = dict(call.request.headers).get("If-Match", "*")
    if method in _CHANGES and bound != "*" and found.etag == bound:
        return Found(False, "the entity is as it was before")
    differences = compare_written(call.call.payload or {}, found.data) if isinstance(found.data, dict) else ()
    if differences:
        shown = ", ".join(f"{d.pointer}: sent {d.sent!r}, reads {d.read!r}" for d in differences[:3])
        return Found(False, f"the entity that is there differs ({shown})")
    return Found(True)


def look_up_by_reference(contract: EndpointContract, name: str, value: Any) -> PreparedRequest:
    """Find the entity by the property that carries our reference. ``contract`` is the set's contract for reading.

    Raises ValueError when the entity type has no such property.
    """
    model = Model(contract)
    prop = model.properties.get(contract.entity_type or "", {}).get(name)
    if prop is None:
        raise ValueError(f"{contract.endpoint} has no property {name} to look a write up by")
    literal = format_literal(model.underlying(prop).type, value, model.v4)
    query = {"$filter": f"{name} eq {literal}", "$top": _ENOUGH}
    return prepare(contract, _read(contract, query=query))


def look_up_by_key(contract: EndpointContract, payload: dict[str, Any]) -> PreparedRequest | None:
    """Read the entity by the key in what was sent; None when the key comes from the service."""
    entity = contract.type(contract.entity_type)
    if entity is None or not entity.keys or any(payload.get(name) in (None, "") for name in entity.keys):
        return None
    return prepare(contract, _read(contract, key={name: payload[name] for name in entity.keys}))


def _read(contract: EndpointContract, **more: Any) -> ProposedCall:
    return ProposedCall(method="GET", service=contract.service, endpoint=contract.endpoint, **more)
