"""``refersTo``: what a step needs from an earlier one. Declared in ``carryover.csv``, or derived from equal keys."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph.iris import GRAPH, member_iri
from graph.known import Known, KnownEndpoint, KnownProperty
from graph.nquads import GraphWriter
from graph.tables import Row, service_of
from graph.vocabulary import OD

_SHORTEST_NUMBER = 5
_GENERIC = frozenset(("a", "c", "i", "type", "set", "srv", "header", "item", "id", "number", "no", "tp", "vh"))
COLUMNS = (
    *("process_id", "from_node", "from_service", "from_entity", "from_property"),
    *("to_node", "to_service", "to_entity_or_operation", "to_property_or_parameter"),
)


def write_declared(writer: GraphWriter, rows: list[Row], known: Known) -> list[str]:
    """The rows of a carry-over table; returns one line for each that does not resolve."""
    warnings: list[str] = []
    for row in rows:
        ends: list[tuple[KnownEndpoint, KnownProperty]] = []
        for service, endpoint, name in (
            (service_of(row["from_service"]), row["from_entity"], row["from_property"]),
            (service_of(row["to_service"]), row["to_entity_or_operation"], row["to_property_or_parameter"]),
        ):
            found = known.endpoint(service, endpoint)
            if found is None or name not in found.properties:
                warnings.append(f"{row.place}: carry-over: no {service} {endpoint}/{name} is loaded")
            else:
                ends.append((found, found.properties[name]))
        if len(ends) == 2:
            iri = member_iri(writer.graph.replace(GRAPH, f"{GRAPH}row/"), str(row.line))
            _write(writer, iri, ends[0], ends[1], "declared")
            writer.text(iri, OD.processId, row["process_id"])
            writer.text(iri, OD.fromNode, row["from_node"])
            writer.text(iri, OD.toNode, row["to_node"])
    return warnings


def write_derived(writer: GraphWriter, known: Known) -> None:
    """Equal keys: same name, type and length, from the endpoint that owns the key to those that can take it.

    Within a service only operations take keys (its sets are joined by navigation already). A service that owns the
    key itself takes it from no other: an inbound delivery's number is no outbound one's, though both are called alike.
    """
    endpoints = list(known.endpoints())
    found = owners(endpoints)
    at_home = {(owner.endpoint.service, name) for owner in found for name in owner.named}
    number = 0
    for owner in found:
        for endpoint in endpoints:
            abroad = endpoint.service != owner.endpoint.service
            if abroad and any((endpoint.service, name) in at_home for name in owner.named):
                continue
            for name in _taken_keys(owner, endpoint):
                iri = member_iri(writer.graph, str(number))
                number += 1
                source = (owner.endpoint, owner.endpoint.properties[name])
                _write(writer, iri, source, (endpoint, endpoint.properties[name]), "derived")


@dataclass(frozen=True)
class Owner:
    """A set with the keys that it hands out. ``named`` are those it is called after, ``keys`` also their companions
    (a fiscal year beside an invoice number)."""

    endpoint: KnownEndpoint
    keys: tuple[str, ...]
    named: frozenset[str]


def owners(endpoints: Sequence[KnownEndpoint]) -> list[Owner]:
    """Sets that own keys: they can be created, the key is not their parent's, and they share a word with it.

    ``SalesOrder`` is owned by a set of sales orders, not by its items (whose own key is the item number), nor by a
    read-only view, nor by a set of customers that happens to carry it.
    """
    by_service: dict[str, list[KnownEndpoint]] = {}
    for endpoint in endpoints:
        if endpoint.kind == "EntitySet" and endpoint.creatable and endpoint.keys:
            by_service.setdefault(endpoint.service, []).append(endpoint)
    found = (_owner(endpoint, siblings) for siblings in by_service.values() for endpoint in siblings)
    return [owner for owner in found if owner.named]


def _owner(endpoint: KnownEndpoint, siblings: Sequence[KnownEndpoint]) -> Owner:
    mine = set(endpoint.keys)
    inherited = {key for other in siblings if set(other.keys) < mine for key in other.keys}
    own = tuple(key for key in endpoint.keys if key not in inherited and key in endpoint.properties)
    words = _words(endpoint.name) | _words(endpoint.type_name.rpartition(".")[2])
    named = frozenset(key for key in own if _identifies(endpoint.properties[key]) and _words(key) & words)
    return Owner(endpoint, own, named)


def _identifies(item: KnownProperty) -> bool:
    """Short strings are codes (a language, a role, a year), not numbers of documents."""
    length = item.property.max_length
    return item.property.type != "Edm.String" or length is None or length >= _SHORTEST_NUMBER


def _words(name: str) -> set[str]:
    """``A_OutbDeliveryHeaderType`` -> outb, delivery, header (generic words say nothing)."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)} - _GENERIC


def _taken_keys(owner: Owner, endpoint: KnownEndpoint) -> list[str]:
    """Keys of the owner that a call to the endpoint can carry; all of one document or none."""
    if endpoint.service == owner.endpoint.service and endpoint.kind in ("EntitySet", "Singleton"):
        return []
    shared = [name for name in owner.keys if name in endpoint.properties and _takes(owner, endpoint, name)]
    return shared if owner.named & set(shared) else []


def _takes(owner: Owner, endpoint: KnownEndpoint, name: str) -> bool:
    source, target = owner.endpoint.properties[name].property, endpoint.properties[name].property
    if source.type != target.type:
        return False
    if endpoint.kind not in ("EntitySet", "Singleton"):
        # Parameters state no length, or one far beyond the key's; they take it when it fits.
        return target.max_length is None or (source.max_length or target.max_length + 1) <= target.max_length
    if source.max_length != target.max_length:
        return False
    return endpoint.writable and target.sap.get("creatable") != "false"


def _write(
    writer: GraphWriter,
    iri: str,
    source: tuple[KnownEndpoint, KnownProperty],
    target: tuple[KnownEndpoint, KnownProperty],
    origin: str,
) -> None:
    writer.type(iri, OD.CarryOver)
    writer.text(iri, OD.origin, origin)
    writer.iri(iri, OD.fromEndpoint, source[0].iri)
    writer.iri(iri, OD.fromProperty, source[1].iri)
    writer.text(iri, OD.fromPropertyName, source[1].property.name)
    writer.iri(iri, OD.toEndpoint, target[0].iri)
    writer.iri(iri, OD.toProperty, target[1].iri)
    writer.text(iri, OD.toPropertyName, target[1].property.name)
    writer.iri(source[1].iri, OD.refersTo, target[1].iri)
