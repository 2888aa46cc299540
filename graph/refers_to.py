"""``refersTo``: what a step needs from an earlier one. Declared in ``carryover.csv``, or derived from equal keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from graph.iris import GRAPH, member_iri
from graph.known import Known, KnownEndpoint, KnownProperty
from graph.nquads import GraphWriter
from graph.process_references import Handed, reference_edges, repeated_edges
from graph.tables import Row, service_of
from graph.vocabulary import OD

# (service, endpoint), key, (service, endpoint), property that takes it
_Edge = tuple[tuple[str, str], str, tuple[str, str], str]
_SHORTEST_NUMBER = 5
_GENERIC = frozenset(("a", "c", "i", "type", "set", "srv", "header", "item", "id", "number", "no", "tp", "vh"))
COLUMNS = (
    *("process_id", "from_node", "from_service", "from_entity", "from_property"),
    *("to_node", "to_service", "to_entity_or_operation", "to_property_or_parameter"),
)


@dataclass(frozen=True)
class Owner:
    """A set with the keys that it hands out. ``named`` are those it is called after, ``keys`` also their companions
    (a fiscal year beside an invoice number)."""

    endpoint: KnownEndpoint
    keys: tuple[str, ...]
    named: frozenset[str]


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

    Within a service operations take keys, and those parts of a set that a process step addresses by itself (navigation
    joins the others). A service that owns the key itself takes it from no other: an inbound delivery's number is no
    outbound one's, though both are called alike. What the order of a process says comes on top.
    """
    endpoints = list(known.endpoints())
    bound = frozenset(step.endpoint.iri for steps in known.steps.values() for step in steps)
    found = owners(endpoints, bound)
    equal = _equal_keys(found, endpoints, bound)
    for number, (source, name, target, taken) in enumerate(dict.fromkeys((*equal, *_by_process(known, found)))):
        ends = (known.endpoint(*source), known.endpoint(*target))
        if ends[0] is not None and ends[1] is not None:
            iri = member_iri(writer.graph, str(number))
            _write(writer, iri, (ends[0], ends[0].properties[name]), (ends[1], ends[1].properties[taken]), "derived")


def _equal_keys(found: Sequence[Owner], endpoints: Sequence[KnownEndpoint], bound: AbstractSet[str]) -> Iterator[_Edge]:
    at_home = {(owner.endpoint.service, name) for owner in found for name in owner.named}
    for owner in found:
        for endpoint in endpoints:
            abroad = endpoint.service != owner.endpoint.service
            if abroad and any((endpoint.service, name) in at_home for name in owner.named):
                continue
            for name in _taken_keys(owner, endpoint, bound):
                yield _address(owner.endpoint), name, _address(endpoint), name


def _by_process(known: Known, found: Sequence[Owner]) -> Iterator[_Edge]:
    """What the order of a process says beyond equal names."""
    keys = {owner.endpoint.iri: next(iter(owner.named)) for owner in found if len(owner.named) == 1}
    for steps in known.steps.values():
        parts = {step.endpoint.iri: _parts(known, step.endpoint) for step in steps}
        handed = {
            step.endpoint.iri: _handed(step.endpoint, keys, parts[step.endpoint.iri])
            for step in steps
            if step.endpoint.iri in keys
        }
        for source, key, target, taken in (*reference_edges(steps, handed, parts), *repeated_edges(steps, handed)):
            yield _address(source), key.property.name, _address(target), taken.property.name


def _parts(known: Known, endpoint: KnownEndpoint) -> list[KnownEndpoint]:
    found = (known.endpoint(endpoint.service, name) for name in endpoint.parts)
    return [part for part in found if part is not None]


def _handed(endpoint: KnownEndpoint, keys: Mapping[str, str], parts: Sequence[KnownEndpoint]) -> Handed:
    """Items are the parts whose key is called after the whole: ``SalesOrderItem``, not ``PaymentPlanItem``."""
    key = keys[endpoint.iri]
    items = tuple((part, keys[part.iri]) for part in parts if keys.get(part.iri, "").startswith(key))
    return Handed(endpoint, key, items)


def _address(endpoint: KnownEndpoint) -> tuple[str, str]:
    return endpoint.service, endpoint.name


def owners(endpoints: Sequence[KnownEndpoint], bound: AbstractSet[str] = frozenset()) -> list[Owner]:
    """Sets that own keys: they can be created or a process step uses them, the key is not their parent's, and they share a
    word with it. ``bound``: IRIs of the endpoints that process steps use.

    ``SalesOrder`` is owned by a set of sales orders, not by its items (whose own key is the item number), nor by a
    read-only view, nor by a set of customers that happens to carry it.
    """
    by_service: dict[str, list[KnownEndpoint]] = {}
    for endpoint in endpoints:
        if endpoint.kind == "EntitySet" and (endpoint.creatable or endpoint.iri in bound) and endpoint.keys:
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


def _taken_keys(owner: Owner, endpoint: KnownEndpoint, bound: AbstractSet[str]) -> list[str]:
    """Keys of the owner that a call to the endpoint can carry; all of one document or none."""
    if endpoint.service == owner.endpoint.service and endpoint.kind in ("EntitySet", "Singleton"):
        return _inherited_keys(owner, endpoint) if endpoint.iri in bound else []
    shared = [name for name in owner.keys if name in endpoint.properties and _takes(owner, endpoint, name)]
    return shared if owner.named & set(shared) else []


def _inherited_keys(owner: Owner, endpoint: KnownEndpoint) -> list[str]:
    """Keys of a set in the keys of its parts: a schedule line is addressed by its order's number, too."""
    if not set(owner.endpoint.keys) < set(endpoint.keys):
        return []
    return [name for name in owner.keys if name in endpoint.properties and _alike(owner, endpoint, name)]


def _alike(owner: Owner, endpoint: KnownEndpoint, name: str) -> bool:
    source, target = owner.endpoint.properties[name].property, endpoint.properties[name].property
    return (source.type, source.max_length) == (target.type, target.max_length)


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
