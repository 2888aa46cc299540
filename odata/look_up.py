"""Requests that find out what became of a write whose answer was lost (pure)."""

from typing import Any

from odata.model import Model
from odata.prepare import prepare
from odata.url_literals import format_literal
from wire.call import PreparedRequest, ProposedCall
from wire.endpoint import EndpointContract

# Two are enough to tell "it" from "several".
_ENOUGH = "2"


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
    if entity is None or not entity.keys or any(payload.get(name) is None for name in entity.keys):
        return None
    return prepare(contract, _read(contract, key={name: payload[name] for name in entity.keys}))


def _read(contract: EndpointContract, **more: Any) -> ProposedCall:
    return ProposedCall(method="GET", service=contract.service, endpoint=contract.endpoint, **more)
