"""What readers of a graph snapshot see: plain values, so that retrieval and contexts never write SPARQL.

``GraphView`` is the port between the store and retrieval; ``graph.reader`` implements it over a snapshot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wire.context import CarryOver, EndpointView, Link
from wire.endpoint import EndpointContract, EndpointKind, ODataVersion, Verb


@dataclass(frozen=True)
class EndpointSummary:
    """One EntitySet, Singleton or operation. ``properties`` are (name, label) of the entity type, or the parameters;
    ``targets`` the entity types that ``navigations`` lead to, one for each."""

    iri: str
    service: str
    endpoint: str
    kind: EndpointKind
    version: ODataVersion
    label: str
    description: str
    service_title: str
    entity_type: str | None
    properties: tuple[tuple[str, str], ...]
    navigations: tuple[tuple[str, str], ...]
    verbs: tuple[Verb, ...]
    http_method: str | None = None
    bound_to: str | None = None
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessNode:
    """One BPMN flow node other than a gateway. ``position`` counts along the main path of its process from 0."""

    iri: str
    process_id: str
    process: str
    node_id: str
    kind: str
    label: str
    documentation: str
    lane: str
    position: int
    process_documentation: str = ""


@dataclass(frozen=True)
class Follows:
    """A directed edge between process nodes; gateways are collapsed and their condition kept."""

    source: str
    target: str
    condition: str = ""


@dataclass(frozen=True)
class Binding:
    """Process node -> endpoint with its mode."""

    node: str
    endpoint: str
    verb: Verb
    note: str = ""
    reference_property: str = ""
    author: str = ""
    reviewed_by: str = ""
    confidence: float | None = None


@dataclass(frozen=True)
class ProcessLayer:
    """The process side of a view, and its endpoints by IRI and by (service, name), indexed for contexts."""

    nodes: Mapping[str, ProcessNode]
    bindings: Mapping[str, tuple[Binding, ...]]
    before: Mapping[str, tuple[tuple[str, str], ...]]
    endpoints: Mapping[str, EndpointSummary]
    by_name: Mapping[tuple[str, str], EndpointSummary]

    def bound_in(self, process: str) -> dict[str, tuple[Binding, ...]]:
        """Bindings of one process by endpoint IRI, in the order of the process."""
        found: dict[str, tuple[Binding, ...]] = {}
        for node in self.ordered(process):
            for binding in self.bindings.get(node.iri, ()):
                found[binding.endpoint] = (*found.get(binding.endpoint, ()), binding)
        return found

    def ordered(self, process: str) -> list[ProcessNode]:
        """Nodes of one process along its main path."""
        own = (node for node in self.nodes.values() if node.process_id == process)
        return sorted(own, key=lambda node: (node.position, node.iri))


class GraphView(Protocol):
    """A read-only snapshot as retrieval and contexts use it. Sequences are sorted by IRI, so results are deterministic."""

    @property
    def graph_hash(self) -> str:
        """SHA-256 of the snapshot (hex)."""
        ...

    def endpoints(self) -> Sequence[EndpointSummary]:
        """All endpoints."""
        ...

    def process_nodes(self) -> Sequence[ProcessNode]:
        """All process nodes."""
        ...

    def follows(self) -> Sequence[Follows]:
        """All sequence edges."""
        ...

    def bindings(self) -> Sequence[Binding]:
        """All bindings that resolve."""
        ...

    def carries(self) -> Sequence[CarryOver]:
        """All ``refersTo`` edges, declared and derived."""
        ...

    def layer(self) -> ProcessLayer:
        """The process side, indexed (``graph.context_chain.layer_of``): a snapshot has tens of thousands of endpoints."""
        ...

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """The uncut contract. Raises ``graph.errors.UnknownEndpoint`` naming the nearest endpoints."""
        ...

    def metadata_digest(self, service: str) -> str:
        """SHA-256 (hex) of the ``$metadata`` that was ingested. Raises ``UnknownService``."""
        ...

    def contract_over(self, metadata: bytes, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """The contract over other metadata than the snapshot's. Raises ``UnknownEndpoint``, ``odata.errors.MetadataError``."""
        ...

    def uncut(self, service: str, endpoint: str, verb: Verb) -> EndpointView:
        """The contract as an agent may see it, uncut and unranked. Raises ``graph.errors.UnknownEndpoint``."""
        ...

    def links(self, service: str, endpoint: str) -> Sequence[Link]:
        """Where the navigations of a set lead, as declared; none of an operation. Raises ``UnknownEndpoint``."""
        ...
