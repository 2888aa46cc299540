"""A view of a typed context before the token budget cut it: all fields, all codes, everything that can be nested."""

from graph.context_fields import fields_of, nested_of
from graph.views import GraphView
from wire.context import EndpointView


def uncut(graph: GraphView, view: EndpointView) -> EndpointView:
    """The same endpoint and verb as its contract states them. Raises ``UnknownEndpoint``."""
    contract = graph.contract(view.service, view.endpoint, view.verb)
    return view.model_copy(update={"fields": fields_of(contract), "nested": nested_of(contract)})
