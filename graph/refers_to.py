"""``refersTo``: what a step needs from an earlier one. Declared in ``carryover.csv``, or derived from equal keys."""

from collections.abc import Iterator

from graph.iris import GRAPH, member_iri
from graph.known import Known, KnownEndpoint, KnownProperty
from graph.nquads import GraphWriter
from graph.tables import Row, service_of
from graph.vocabulary import OD

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
    """Equal keys between services: same name, type and length, from the endpoint that owns the key."""
    owners = dict(_owners(known))
    number = 0
    for endpoint in known.endpoints():
        for name, target in sorted(endpoint.properties.items()):
            for owner in owners.get(name, ()):
                if owner.service != endpoint.service and _takes(endpoint, target) and _same(owner, name, target):
                    iri = member_iri(writer.graph, str(number))
                    number += 1
                    _write(writer, iri, (owner, owner.properties[name]), (endpoint, target), "derived")


def _owners(known: Known) -> Iterator[tuple[str, list[KnownEndpoint]]]:
    """Key name -> the sets that own it. A set owns the last key of its type when it can be created and is named for it.

    ``SalesOrder`` is owned by a set of sales orders, not by its items (where it is the first of two keys) nor by a
    read-only view. A name with several owners is kept by all: which of them is meant, a process says.
    """
    found: dict[str, list[KnownEndpoint]] = {}
    for endpoint in known.endpoints():
        if endpoint.kind == "EntitySet" and endpoint.creatable and endpoint.keys:
            name = endpoint.keys[-1]
            if name in endpoint.properties and _named_for(endpoint, name):
                found.setdefault(name, []).append(endpoint)
    yield from found.items()


def _named_for(endpoint: KnownEndpoint, key: str) -> bool:
    """Whether type or set is called like the key, but for the affixes that generators add."""
    wanted = key.lower()
    simple = endpoint.type_name.rpartition(".")[2].lower()
    shapes = {
        simple,
        simple.removesuffix("type").rstrip("_"),
        endpoint.name.lower(),
        endpoint.name.lower().removesuffix("set"),
    }
    shapes |= {shape.removeprefix("a_") for shape in shapes}
    return wanted in shapes


def _takes(endpoint: KnownEndpoint, target: KnownProperty) -> bool:
    """Whether a call can carry the value: a parameter of an operation with effect, or a writable property."""
    if endpoint.kind not in ("EntitySet", "Singleton"):
        return endpoint.http_method == "POST"
    return endpoint.creatable and target.property.sap.get("creatable") != "false"


def _same(owner: KnownEndpoint, name: str, target: KnownProperty) -> bool:
    source = owner.properties[name].property
    return (source.type, source.max_length) == (target.property.type, target.property.max_length)


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
