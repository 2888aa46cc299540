"""Sets that own a key which a wanted write needs: a goal names the supplier, the order needs its number.

Dense search cannot find them, since the goal says nothing of business partners; the graph's ``refersTo`` edges do.
"""

from collections.abc import Sequence

from graph.context_views import Wanted
from graph.views import GraphView
from wire.context import EndpointView, Reason
from wire.endpoint import Verb

MOST = 4
WRITES = frozenset({Verb.CREATE, Verb.UPDATE, Verb.ACTION})


def owners_of(view: GraphView, views: Sequence[EndpointView], rank: int) -> list[Wanted]:
    """Read-only wants for the sets whose single key is a required field of a wanted write, declared edges first.

    A set of the write's own service wins nothing over one elsewhere: ownership is what counts. ``rank``: of the last hit.
    """
    present = {(each.service, each.endpoint) for each in views}
    needed = _needed(views)
    by_name = view.layer().by_name
    found: dict[tuple[str, str], Wanted] = {}
    for row in sorted(view.carries(), key=lambda row: row.source != "declared"):
        owner, target = (row.from_service, row.from_endpoint), (row.to_service, row.to_endpoint, row.to_property)
        summary = by_name.get(owner)
        if summary is None or owner in present or owner in found or target not in needed:
            continue
        # An operation owns no key, whatever it is bound to.
        if not summary.entity_type or view.uncut(*owner, Verb.READ).keys != (row.from_property,):
            continue
        text = f"holds {row.from_property}, which {row.to_service}/{row.to_endpoint} needs"
        reason = Reason(kind="refers_to", text=text)
        found[owner] = Wanted(summary, rank + len(found) + 1, 0.0, needed[target], (reason,), bound=(Verb.READ,))
        if len(found) == MOST:
            break
    return list(found.values())


def _needed(views: Sequence[EndpointView]) -> dict[tuple[str, str, str], int | None]:
    """(service, endpoint, required field without codes) of every wanted write -> the clause that it answers."""
    return {
        (each.service, each.endpoint, field.name): each.clause
        for each in reversed(views)
        if each.verb in WRITES
        for field in each.fields
        if field.required and not field.codes
    }
