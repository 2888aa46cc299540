"""Navigations of the sets that a context shows: where they lead, and to how many."""

from collections.abc import Sequence

from graph.views import GraphView
from wire.context import EndpointView, Link

_SETS = ("EntitySet", "Singleton")


def links_of(view: GraphView, views: Sequence[EndpointView]) -> tuple[Link, ...]:
    """Those between shown sets first, then in the order of ``views`` and as declared. A view alone names only what it nests
    in a create."""
    shown = dict.fromkeys((each.service, each.endpoint) for each in views if each.kind in _SETS)
    links = [link for service, endpoint in shown for link in view.links(service, endpoint)]
    return tuple(sorted(links, key=lambda link: (link.service, link.target) not in shown))
