"""What a nested entity takes from the entity above it: keys and foreign keys (ReferentialConstraint, weak entities)."""

from typing import NamedTuple

from odata.model import Model
from wire.endpoint import Cardinality, NavigationProperty, StructuredType


class Link(NamedTuple):
    """``supplied``: properties that the parent fills in; ``pairs``: (of the child, of the parent), equal when both are
    sent; ``back``: navigations of the child that lead to the parent."""

    supplied: frozenset[str]
    pairs: tuple[tuple[str, str], ...]
    back: frozenset[str]


def link_to_child(model: Model, parent: StructuredType, navigation: NavigationProperty) -> Link:
    """The link that a navigation makes from its type to the nested type."""
    child = model.types.get(navigation.target_type)
    if child is None:
        return Link(frozenset(), (), frozenset())
    back = [n for n in child.navigations if _leads_back(model, n, parent, navigation)]
    pairs = {(c.dependent, c.principal) for n in back for c in n.constraints}
    pairs.update((c.dependent, c.principal) for c in navigation.target_constraints)
    if not pairs:
        pairs.update((name, name) for name in _shared_keys(model, parent, child, navigation))
    supplied = frozenset(dependent for dependent, _ in pairs)
    return Link(supplied, tuple(sorted(pairs)), frozenset(n.name for n in back))


def _leads_back(model: Model, back: NavigationProperty, parent: StructuredType, there: NavigationProperty) -> bool:
    if back.cardinality is Cardinality.MANY:
        return False
    if there.partner is not None:
        return back.name == there.partner
    if back.partner is not None:
        return back.partner == there.name
    return model.derives(parent.name, back.target_type)


def _shared_keys(
    model: Model, parent: StructuredType, child: StructuredType, navigation: NavigationProperty
) -> tuple[str, ...]:
    """Keys of a weak entity: the child's key holds the parent's whole key and more (an order's number in its items).

    Much metadata leaves the constraint out. Equal keys mean that only in V2 and to one (a facet of the same object, as a
    product's sales data): two types that merely both call their key ``ID`` share nothing, and V4 states its constraints.
    """
    mine, theirs = set(child.keys), set(parent.keys)
    if not theirs or child.name == parent.name:
        return ()
    if theirs < mine:
        return parent.keys
    facet = not model.v4 and not navigation.constraints and navigation.cardinality is not Cardinality.MANY
    return parent.keys if theirs == mine and facet else ()
