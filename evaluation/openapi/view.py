"""A catalogue of operations as the ``GraphView`` that retrievers take: endpoints, and no process layer at all."""

import hashlib
from collections.abc import Sequence

from graph.context_chain import layer_of
from graph.errors import UnknownEndpoint, UnknownService
from graph.summaries import vars_of
from graph.views import Binding, EndpointSummary, Follows, ProcessLayer, ProcessNode
from wire.context import CarryOver, EndpointView, Link
from wire.endpoint import EndpointContract, Verb


class CatalogueView:
    """Implements ``graph.views.GraphView``; its hash is over what retrieval sees of every operation."""

    def __init__(self, operations: Sequence[EndpointSummary]) -> None:
        self._endpoints = tuple(sorted(operations, key=lambda item: item.iri))
        text = "\n".join(repr(vars_of(item)) for item in self._endpoints)
        self._hash = hashlib.sha256(text.encode()).hexdigest()

    @property
    def graph_hash(self) -> str:
        """See ``GraphView``."""
        return self._hash

    def endpoints(self) -> Sequence[EndpointSummary]:
        """See ``GraphView``."""
        return self._endpoints

    def process_nodes(self) -> Sequence[ProcessNode]:
        """None."""
        return ()

    def follows(self) -> Sequence[Follows]:
        """None."""
        return ()

    def bindings(self) -> Sequence[Binding]:
        """None."""
        return ()

    def carries(self) -> Sequence[CarryOver]:
        """None."""
        return ()

    def layer(self) -> ProcessLayer:
        """See ``GraphView``."""
        return layer_of(self)

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """Always raises: what retrieval is measured on has no contracts."""
        raise UnknownEndpoint(f"{service}/{endpoint} ({verb}), since an OpenAPI catalogue is searched only,")

    def metadata_digest(self, service: str) -> str:
        """Always raises: there is no ``$metadata``."""
        raise UnknownService(f"{service}, since an OpenAPI catalogue has no $metadata,")

    def contract_over(self, metadata: bytes, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """Always raises, as ``contract``."""
        return self.contract(service, endpoint, verb)

    def uncut(self, service: str, endpoint: str, verb: Verb) -> EndpointView:
        """Always raises, as ``contract`` does."""
        raise UnknownEndpoint(f"{service}/{endpoint} ({verb}), since an OpenAPI catalogue is searched only,")

    def links(self, service: str, endpoint: str) -> Sequence[Link]:
        """None."""
        return ()
