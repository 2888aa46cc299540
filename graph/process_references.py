"""What a step of a process needs from the steps before it, where names alone do not say so.

A delivery's ``ReferenceSDDocument`` may be the number of any document; which one, the process says: that of the nearest
step before it which made one. And what one step creates, a later step that works on the same set addresses by its key.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph.known import KnownEndpoint, KnownProperty, Step

Edge = tuple[KnownEndpoint, KnownProperty, KnownEndpoint, KnownProperty]
# ReferenceSDDocument, RefDocNo, ReferenceDocumentItem; qualified further (a category, a year) it is another field.
_REFERENCE = re.compile(r"(Reference|Ref)[A-Z]{0,3}?(Document|Doc)(Number|No)?(?P<item>Item)?(Number|No)?")


@dataclass(frozen=True)
class Handed:
    """Keys that a set hands out: its own, and those of the items that it nests (``SalesOrderItem`` of ``SalesOrder``)."""

    endpoint: KnownEndpoint
    key: str
    items: tuple[tuple[KnownEndpoint, str], ...] = ()


def reference_edges(
    steps: Sequence[Step], handed: Mapping[str, Handed], nested: Mapping[str, Sequence[KnownEndpoint]]
) -> Iterator[Edge]:
    """Edges within one process. ``steps``: its bindings; ``handed`` and ``nested``: by IRI of the endpoint."""
    made = [step for step in steps if step.mode == "create" and step.endpoint.iri in handed]
    for step in (step for step in steps if step.mode == "create"):
        before = [other for other in made if other.position < step.position]
        nearest = max(before, key=lambda other: other.position, default=None)
        if nearest is not None and nearest.endpoint.service != step.endpoint.service:
            yield from _referring(handed[nearest.endpoint.iri], step.endpoint, nested.get(step.endpoint.iri, ()))


def _referring(source: Handed, endpoint: KnownEndpoint, parts: Sequence[KnownEndpoint]) -> Iterator[Edge]:
    """The document stands in the head; only where it has no place there, in the items."""
    whole = ((source.endpoint, source.key),)
    yield from list(_matches(whole, (endpoint,), "")) or _matches(whole, parts, "")
    yield from _matches(source.items, (endpoint, *parts), "Item")


def _matches(
    owners: Sequence[tuple[KnownEndpoint, str]], takers: Sequence[KnownEndpoint], suffix: str
) -> Iterator[Edge]:
    for owner, key in owners:
        given = owner.properties[key]
        for taker in takers:
            for name, item in taker.properties.items():
                match = _REFERENCE.fullmatch(name)
                if match is not None and (match["item"] or "") == suffix and _fits(given, item):
                    yield owner, given, taker, item


def _fits(given: KnownProperty, item: KnownProperty) -> bool:
    same = (given.property.type, given.property.max_length) == (item.property.type, item.property.max_length)
    return same and not item.key and item.property.sap.get("creatable") != "false"


def repeated_edges(steps: Sequence[Step], handed: Mapping[str, Handed]) -> Iterator[Edge]:
    """The key of what one step creates, for the later steps on the same set."""
    for step in steps:
        source = handed.get(step.endpoint.iri)
        earlier = (
            other
            for other in steps
            if other.endpoint.iri == step.endpoint.iri and other.mode == "create" and other.position < step.position
        )
        if source is not None and step.mode != "create" and any(earlier):
            item = source.endpoint.properties[source.key]
            yield source.endpoint, item, source.endpoint, item
