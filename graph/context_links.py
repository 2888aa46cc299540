"""Navigations between endpoints that one context shows: which leads to which, and to how many."""

from collections.abc import Sequence

from graph.views import GraphView
from wire.context import EndpointView, Link

_SETS = ("EntitySet", "Singleton")


def links_of(view: GraphView, views: Sequence[EndpointView]) -> tuple[Link, ...]:
    """Links in the order of ``views``, then as declared. A view alone names only what it nests in a create."""
    shown = dict.fromkeys((each.service, each.endpoint) for each in views if each.kind in _SETS)
    return tuple(
        link for service, endpoint in shown for link in view.links(service, endpoint) if (service, link.target) in shown
    )
