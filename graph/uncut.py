"""A view of a typed context before the token budget cut it: all fields, all codes, everything that can be nested."""

from graph.views import GraphView
from wire.context import EndpointView


def uncut(graph: GraphView, view: EndpointView) -> EndpointView:
    """The same endpoint and verb as its contract states them. Raises ``UnknownEndpoint``."""
    found = graph.uncut(view.service, view.endpoint, view.verb)
    return view.model_copy(update={"fields": found.fields, "nested": found.nested})
