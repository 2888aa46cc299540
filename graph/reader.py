"""A snapshot as retrieval, contexts and validation see it: ``GraphView`` over a read-only store."""

import difflib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from graph.context_chain import layer_of
from graph.contract_source import ContractFile, ContractSource, FromFacts, full_name
from graph.errors import UnknownService
from graph.facts import Facts
from graph.live_metadata import facts_of_metadata
from graph.process_reader import read_bindings, read_carries, read_follows, read_process_nodes
from graph.service_facts import CATALOG, CURATED, Catalog, Curated, graphs_of, read_catalog
from graph.service_model import ServiceModel
from graph.snapshot import open_contracts, open_store, read_summaries_file, read_times
from graph.store import EmbeddedStore, Triples
from graph.summaries import load_summaries, read_summaries
from graph.views import Binding, EndpointSummary, Follows, ProcessLayer, ProcessNode
from wire.context import CarryOver, EndpointView, Link
from wire.endpoint import EndpointContract, Verb

_SERVICES_KEPT = 64
_CONTRACTS_KEPT = 1024


def open_snapshot(root: Path, graph_hash: str | None = None) -> "SnapshotReader":
    """Open a snapshot under ``root``, the current one by default. Raises ``SnapshotMissing``.

    Any number of processes may have the same snapshot open.
    """
    store, digest = open_store(root, graph_hash)
    times = read_times(root, digest)
    contracts = open_contracts(root, digest, times)
    return SnapshotReader(EmbeddedStore(store), digest, read_summaries_file(root, digest), times, contracts)


class SnapshotReader:
    """Implements ``graph.views.GraphView``. Reads lazily and keeps what it has read."""

    def __init__(
        self,
        store: Triples,
        graph_hash: str,
        summaries: str = "",
        times: Mapping[str, str] | None = None,
        contracts: ContractFile | None = None,
    ) -> None:
        """``summaries``: text of ``endpoints.json``, empty to read the store; ``times``: named graph -> when it was read;
        ``contracts``: of a snapshot on disk, None to build them from the store's triples."""
        self._store = store
        self._file = contracts
        self._summaries = summaries
        self._times = dict(times or {})
        self._hash = graph_hash
        # Activities of one worker share a reader between threads.
        self._lock = threading.RLock()
        self._services: OrderedDict[str, ContractSource] = OrderedDict()
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
    def _catalog(self) -> Catalog:
        return read_catalog(Facts.of_graphs(self._store, [CATALOG]))

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
        return Facts.of_graphs(self._store, graphs_of(self._catalog, "process", "bindings", "carryover", "derived"))

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
    def _layer(self) -> ProcessLayer:
        return layer_of(self)

    def layer(self) -> ProcessLayer:
        """The process side, indexed."""
        return self._layer

    @cached_property
    def _curated(self) -> Curated:
        tables = ((graph, Facts.of_graphs(self._store, [graph])) for graph in graphs_of(self._catalog, *CURATED))
        return Curated(tables, self._times.get)

    def read_at(self, service: str) -> dict[str, str]:
        """When what the graph holds of a service was read live: ``service`` (its metadata) and ``valuehelp`` (its codes),
        as ISO 8601. A kind that came from files, or not at all, is not there."""
        return {
            kind: self._times[graph]
            for kind in ("service", "valuehelp")
            for graph in self._catalog.get(kind, {}).get(service, ())
            if graph in self._times
        }

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """The uncut contract. Raises ``UnknownEndpoint`` naming the nearest endpoints."""
        with self._lock:
            key = (service, endpoint, verb)
            found = self._contracts.get(key)
            if found is None:
                source = self._source(service)
                found = self._contracts[key] = source.contract(full_name(service, source, endpoint), verb)
                while len(self._contracts) > _CONTRACTS_KEPT:
                    self._contracts.popitem(last=False)
            self._contracts.move_to_end(key)
            return found

    def metadata_digest(self, service: str) -> str:
        """SHA-256 (hex) of the ``$metadata`` that was ingested. Raises ``UnknownService``."""
        with self._lock:
            return self._source(service).digest

    def contract_over(self, metadata: bytes, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """As ``contract``, with this ``$metadata`` in place of the snapshot's; the tables of the snapshot still hold.

        Raises ``UnknownEndpoint``, ``odata.errors.MetadataError``.
        """
        with self._lock:
            key = f"{service}@{sha256(metadata).hexdigest()}"
            source = self._kept(key, lambda: self._built(service, facts_of_metadata(service, metadata)))
            return source.contract(full_name(service, source, endpoint), verb)

    def uncut(self, service: str, endpoint: str, verb: Verb) -> EndpointView:
        """What the contract has to show, before a goal ranks and a budget cuts it. Raises ``UnknownEndpoint``."""
        with self._lock:
            source = self._source(service)
            return source.uncut(full_name(service, source, endpoint), verb)

    def links(self, service: str, endpoint: str) -> Sequence[Link]:
        """Where the navigations of a set lead. Raises ``UnknownEndpoint``."""
        with self._lock:
            source = self._source(service)
            return source.links(full_name(service, source, endpoint))

    def _source(self, service: str) -> ContractSource:
        return self._kept(service, lambda: self._opened(service))

    def _kept(self, key: str, make: Callable[[], ContractSource]) -> ContractSource:
        """The source kept under ``key``, made when there is none; the one that was not asked for longest goes."""
        found = self._services.get(key)
        if found is None:
            found = self._services[key] = make()
            while len(self._services) > _SERVICES_KEPT:
                self._services.popitem(last=False)
        self._services.move_to_end(key)
        return found

    def _opened(self, service: str) -> ContractSource:
        found = self._file.source(service) if self._file is not None else None
        if found is not None:
            return found
        graphs = self._catalog.get("service", {}).get(service)
        if not graphs:
            raise UnknownService(service, difflib.get_close_matches(service, self.services(), 5, 0.4))
        return self._built(service, Facts.of_graphs(self._store, graphs))

    def _built(self, service: str, facts: Facts) -> ContractSource:
        self._curated.merge_into(facts, service)
        return FromFacts(ServiceModel(service, facts), self._hash)
