"""A snapshot as retrieval, contexts and validation see it: ``GraphView`` over a read-only store."""

import difflib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from graph.contracts import build_contract
from graph.errors import UnknownEndpoint, UnknownService
from graph.facts import Facts
from graph.iris import GRAPH
from graph.live_metadata import facts_of_metadata
from graph.process_reader import read_bindings, read_carries, read_follows, read_process_nodes
from graph.service_model import ServiceModel
from graph.snapshot import open_store, read_summaries_file, read_times
from graph.store import EmbeddedStore, Triples
from graph.summaries import load_summaries, read_summaries
from graph.views import Binding, EndpointSummary, Follows, ProcessNode
from graph.vocabulary import OD, RDF, SKOS
from wire.context import CarryOver
from wire.endpoint import EndpointContract, Verb

_CURATED = ("codes", "required", "valuehelp")
_MODELS_KEPT = 64
_CONTRACTS_KEPT = 1024


def open_snapshot(root: Path, graph_hash: str | None = None) -> "SnapshotReader":
    """Open a snapshot under ``root``, the current one by default. Raises ``SnapshotMissing``.

    Any number of processes may have the same snapshot open.
    """
    store, digest = open_store(root, graph_hash)
    return SnapshotReader(EmbeddedStore(store), digest, read_summaries_file(root, digest), read_times(root, digest))


class SnapshotReader:
    """Implements ``graph.views.GraphView``. Reads lazily and keeps what it has read."""

    def __init__(
        self, store: Triples, graph_hash: str, summaries: str = "", times: Mapping[str, str] | None = None
    ) -> None:
        """``summaries``: text of ``endpoints.json``, empty to read the store; ``times``: named graph -> when it was read."""
        self._store = store
        self._summaries = summaries
        self._times = dict(times or {})
        self._hash = graph_hash
        # Activities of one worker share a reader between threads.
        self._lock = threading.RLock()
        self._models: OrderedDict[str, ServiceModel] = OrderedDict()
        self._contracts: OrderedDict[tuple[str, str, Verb], EndpointContract] = OrderedDict()

    @property
    def graph_hash(self) -> str:
        """SHA-256 of the snapshot (hex)."""
        return self._hash

    @property
    def store(self) -> Triples:
        """The store itself, for SPARQL by people."""
        return self._store

    @cached_property
    def _catalog(self) -> dict[str, dict[str, list[str]]]:
        """Kind -> name -> named graphs."""
        facts = Facts.of_graphs(self._store, [f"{GRAPH}catalog"])
        found: dict[str, dict[str, list[str]]] = {}
        for graph, _ in facts.subjects():
            kind, name = facts.text(graph, OD.kind), facts.text(graph, OD.name)
            found.setdefault(kind, {}).setdefault(name, []).append(graph)
        return found

    def _graphs(self, *kinds: str) -> list[str]:
        return sorted(graph for kind in kinds for graphs in self._catalog.get(kind, {}).values() for graph in graphs)

    def services(self) -> list[str]:
        """Ids of all services, sorted."""
        return sorted(self._catalog.get("service", {}))

    @cached_property
    def _endpoints(self) -> tuple[EndpointSummary, ...]:
        return load_summaries(self._summaries) if self._summaries else read_summaries(self._store)

    def endpoints(self) -> Sequence[EndpointSummary]:
        """All endpoints, by IRI."""
        return self._endpoints

    @cached_property
    def _processes(self) -> Facts:
        return Facts.of_graphs(self._store, self._graphs("process", "bindings", "carryover", "derived"))

    @cached_property
    def _nodes(self) -> tuple[ProcessNode, ...]:
        return read_process_nodes(self._processes)

    def process_nodes(self) -> Sequence[ProcessNode]:
        """All process nodes, by IRI."""
        return self._nodes

    @cached_property
    def _follows(self) -> tuple[Follows, ...]:
        return read_follows(self._processes)

    def follows(self) -> Sequence[Follows]:
        """All sequence edges."""
        return self._follows

    @cached_property
    def _bindings(self) -> tuple[Binding, ...]:
        return read_bindings(self._processes)

    def bindings(self) -> Sequence[Binding]:
        """All bindings that resolve."""
        return self._bindings

    @cached_property
    def _carries(self) -> tuple[CarryOver, ...]:
        return read_carries(self._processes)

    def carries(self) -> Sequence[CarryOver]:
        """All ``refersTo`` edges, declared first."""
        return self._carries

    @cached_property
    def _curated(self) -> dict[str, list[tuple[str, dict[str, list[str]]]]]:
        """Service IRI -> what the curated tables say of its members."""
        found: dict[str, list[tuple[str, dict[str, list[str]]]]] = {}
        for graph in self._graphs(*_CURATED):
            read_at = self._times.get(graph)
            for subject, members in Facts.of_graphs(self._store, [graph]).subjects():
                service = "/".join(subject.split("/")[:7])
                timed = read_at and SKOS.ConceptScheme in members.get(RDF.type, ())
                told = {**members, OD.readAt: [read_at]} if read_at and timed else dict(members)
                found.setdefault(service, []).append((subject, told))
        return found

    def read_at(self, service: str) -> dict[str, str]:
        """When what the graph holds of a service was read live: ``service`` (its metadata) and ``valuehelp`` (its codes),
        as ISO 8601. A kind that came from files, or not at all, is not there."""
        return {
            kind: self._times[graph]
            for kind in ("service", "valuehelp")
            for graph in self._catalog.get(kind, {}).get(service, ())
            if graph in self._times
        }

    def model(self, service: str) -> ServiceModel:
        """The service as read from the graph, cached. Raises ``UnknownService``."""
        with self._lock:
            return self._model(service)

    def _model(self, service: str) -> ServiceModel:
        found = self._models.get(service)
        if found is None:
            graphs = self._catalog.get("service", {}).get(service)
            if not graphs:
                raise UnknownService(service, difflib.get_close_matches(service, self.services(), 5, 0.4))
            found = self._kept(service, service, Facts.of_graphs(self._store, graphs))
        self._models.move_to_end(service)
        return found

    def _kept(self, key: str, service: str, facts: Facts) -> ServiceModel:
        """A model of these facts and the curated ones, kept under ``key``."""
        for subject, members in self._curated.get(_service_of(facts), ()):
            facts.merge(subject, members)
        found = self._models[key] = ServiceModel(service, facts)
        while len(self._models) > _MODELS_KEPT:
            self._models.popitem(last=False)
        return found

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """The uncut contract. Raises ``UnknownEndpoint`` naming the nearest endpoints."""
        with self._lock:
            return self._contract(service, endpoint, verb)

    def metadata_digest(self, service: str) -> str:
        """SHA-256 (hex) of the ``$metadata`` that was ingested. Raises ``UnknownService``."""
        return self.model(service).digest

    def contract_over(self, metadata: bytes, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """As ``contract``, with this ``$metadata`` in place of the snapshot's; the tables of the snapshot still hold.

        Raises ``UnknownEndpoint``, ``odata.errors.MetadataError``.
        """
        key = f"{service}@{sha256(metadata).hexdigest()}"
        with self._lock:
            model = self._models.get(key) or self._kept(key, service, facts_of_metadata(service, metadata))
            self._models.move_to_end(key)
            return build_contract(model, _endpoint_iri(model, endpoint), verb, self._hash)

    def _contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        key = (service, endpoint, verb)
        found = self._contracts.get(key)
        if found is None:
            model = self._model(service)
            found = self._contracts[key] = build_contract(model, _endpoint_iri(model, endpoint), verb, self._hash)
            while len(self._contracts) > _CONTRACTS_KEPT:
                self._contracts.popitem(last=False)
        self._contracts.move_to_end(key)
        return found


def _endpoint_iri(model: ServiceModel, endpoint: str) -> str:
    iri = model.endpoint(endpoint)
    if iri is None:
        nearest = difflib.get_close_matches(endpoint, sorted(model.endpoints), 5, 0.4)
        raise UnknownEndpoint(f"{model.service}/{endpoint}", [f"{model.service}/{name}" for name in nearest])
    return iri


def _service_of(facts: Facts) -> str:
    return next((subject for subject, _ in facts.subjects() if facts.is_a(subject, OD.Service)), "")
