"""What the loaded services and processes hold, as tables refer to it: the check of every row against the graph."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from graph.from_csdl_endpoints import address_of
from graph.iris import endpoint_iri, member_iri, node_iri, operation_iri, type_iri
from odata.csdl_checks import ancestry
from odata.csdl_model import Property, ServiceDocument


@dataclass(frozen=True)
class KnownProperty:
    """A property or parameter with the IRI of the type or operation that declares it."""

    iri: str
    property: Property
    key: bool = False


@dataclass
class KnownEndpoint:
    """An endpoint with the properties of its entity type, or its parameters (and the key it is bound to).

    ``parts`` are the sets of its service that its to-many navigations lead to.
    """

    iri: str
    service: str
    name: str
    kind: str
    type_name: str = ""
    http_method: str = ""
    creatable: bool = True
    nested: bool = False
    properties: dict[str, KnownProperty] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def writable(self) -> bool:
        """Whether a create can reach it: by itself, or nested in another set that can be created (``nested``)."""
        return self.creatable or self.nested


@dataclass(frozen=True)
class Step:
    """An endpoint as a step of a process uses it."""

    position: int
    endpoint: KnownEndpoint
    mode: str


class Known:
    """Filled while sources are read; then asked by the tables."""

    def __init__(self) -> None:
        self._endpoints: dict[str, dict[str, KnownEndpoint]] = {}
        self._types: dict[str, dict[str, dict[str, KnownProperty]]] = {}
        self._nodes: dict[tuple[str, str], list[str]] = {}
        self._positions: dict[str, int] = {}
        # Bindings that resolve, by the IRI of their process.
        self.steps: dict[str, list[Step]] = {}

    def add_node(self, stem: str, process: str, node: str, position: int = 0) -> None:
        """A flow node that bindings may name; ``position`` is its place in the order of its process."""
        iri = node_iri(stem, process, node)
        self._nodes.setdefault((process, node), []).append(iri)
        self._positions[iri] = position

    def bind(self, node: str, endpoint: KnownEndpoint, mode: str) -> None:
        """A binding that resolves; ``node`` is the IRI of a flow node."""
        step = Step(self._positions.get(node, 0), endpoint, mode)
        self.steps.setdefault(node.rpartition("/")[0], []).append(step)

    def nodes(self, process: str, node: str) -> list[str]:
        """IRIs of the nodes with these ids; more than one when two files hold the same process id."""
        return self._nodes.get((process, node), [])

    def has_service(self, service: str) -> bool:
        """Whether a service of that id is loaded."""
        return service in self._endpoints

    def endpoint(self, service: str, name: str) -> KnownEndpoint | None:
        """The endpoint of that name; bound operations also by their simple name."""
        return self._endpoints.get(service, {}).get(name)

    def endpoints(self) -> Iterator[KnownEndpoint]:
        """Each endpoint once, by service and name."""
        for service in sorted(self._endpoints):
            seen: set[str] = set()
            for name, item in sorted(self._endpoints[service].items()):
                if item.name == name and item.iri not in seen:
                    seen.add(item.iri)
                    yield item

    def type_properties(self, service: str, name: str) -> Mapping[str, KnownProperty] | None:
        """Effective properties of a type by qualified or (when it is the only one) simple name."""
        types = self._types.get(service, {})
        if name in types:
            return types[name]
        matches = [found for known, found in types.items() if known.rpartition(".")[2] == name]
        return matches[0] if len(matches) == 1 else None

    def add_service(self, service: str, document: ServiceDocument) -> None:
        """Take in one metadata document."""
        types = {name: _effective(service, document, name) for name in document.types}
        self._types[service] = types
        table: dict[str, KnownEndpoint] = {}
        for item in document.entity_sets:
            name = address_of(document, item.container, item.name)
            keys = next((part.keys for part in reversed(ancestry(document.types, item.entity_type)) if part.keys), ())
            table[name] = KnownEndpoint(
                iri=endpoint_iri(service, name),
                service=service,
                name=name,
                kind=item.kind,
                type_name=item.entity_type,
                creatable=item.sap.get("creatable") != "false",
                properties=types.get(item.entity_type, {}),
                keys=tuple(path for path, _ in keys),
            )
        for item in document.entity_sets:
            parent = table[address_of(document, item.container, item.name)]
            lineage = ancestry(document.types, item.entity_type)
            many = {
                navigation.name for part in lineage for navigation in part.navigations if navigation.multiplicity == "*"
            }
            parent.parts = tuple(target for path, target in item.bindings if path in many and target in table)
            for _, target in item.bindings:
                if parent.creatable and target in table:
                    table[target].nested = True
        self._add_operations(service, document, table)
        self._endpoints[service] = table

    def _add_operations(self, service: str, document: ServiceDocument, table: dict[str, KnownEndpoint]) -> None:
        for item in document.imports:
            name = address_of(document, item.container, item.name)
            iri = endpoint_iri(service, name)
            known = KnownEndpoint(iri, service, name, item.kind, http_method=item.http_method)
            known.properties.update(_parameters(iri, item.parameters))
            for overload in document.operations:
                if overload.name == item.operation and not overload.bound:
                    known.properties.update(
                        _parameters(operation_iri(service, overload.signature), overload.parameters)
                    )
            table[name] = known
        for overload in document.operations:
            if overload.bound:
                iri = endpoint_iri(service, overload.name)
                method = "POST" if overload.kind == "Action" else "GET"
                known = table.setdefault(
                    overload.name, KnownEndpoint(iri, service, overload.name, overload.kind, "", method)
                )
                bound_type = self._types[service].get(overload.parameters[0].type, {}) if overload.parameters else {}
                known.properties.update({name: item for name, item in bound_type.items() if item.key})
                known.properties.update(
                    _parameters(operation_iri(service, overload.signature), overload.parameters[1:])
                )
                table.setdefault(overload.name.rpartition(".")[2], known)


def _effective(service: str, document: ServiceDocument, name: str) -> dict[str, KnownProperty]:
    lineage = ancestry(document.types, name)
    keys = {path for part in lineage for path, _ in part.keys}
    return {
        item.name: KnownProperty(member_iri(type_iri(service, part.name), item.name), item, item.name in keys)
        for part in lineage
        for item in part.properties
    }


def _parameters(owner: str, parameters: tuple[Property, ...]) -> dict[str, KnownProperty]:
    return {item.name: KnownProperty(member_iri(owner, item.name), item) for item in parameters}
