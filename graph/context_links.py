"""Navigations between endpoints that one context shows: which leads to which, and to how many."""

from collections.abc import Sequence

from graph.views import GraphView
from wire.context import EndpointView, Link
from wire.endpoint import Verb

_SETS = ("EntitySet", "Singleton")


def links_of(view: GraphView, views: Sequence[EndpointView]) -> tuple[Link, ...]:
    """Links in the order of ``views``, then as declared. A view alone names only what it nests in a create."""
    shown = dict.fromkeys((each.service, each.endpoint) for each in views if each.kind in _SETS)
    found: list[Link] = []
    for service, endpoint in shown:
        contract = view.contract(service, endpoint, Verb.READ)
        owner, targets = contract.type(contract.entity_type), dict(contract.target_sets)
        for item in owner.navigations if owner else ():
            target = targets.get(f"{endpoint}/{item.name}") or item.target_set
            if target and (service, target) in shown:
                found.append(
                    Link(
                        service=service,
                        endpoint=endpoint,
                        navigation=item.name,
                        target=target,
                        cardinality=item.cardinality,
                    )
                )
    return tuple(found)
