"""Which verbs of an endpoint matter for a goal, and the uncut view of each with what the goal adds."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.views import EndpointSummary, GraphView
from wire.context import EndpointView, Reason
from wire.endpoint import Verb


@dataclass(frozen=True)
class Wanted:
    """An endpoint that belongs in the context.

    ``leads``: it is the first hit of the goal or of a clause. ``bound``: the verbs with which the chosen processes bind it;
    ``asked``: the verbs that its clause, or the goal, asks for.
    """

    summary: EndpointSummary
    rank: int
    score: float
    clause: int | None
    reasons: tuple[Reason, ...]
    leads: bool = False
    bound: tuple[Verb, ...] = ()
    asked: frozenset[Verb] = frozenset()
    reference_property: str = ""


def views_of(view: GraphView, wanted: Wanted) -> list[EndpointView]:
    """One uncut view for each verb that matters, bound verbs first; what metadata denies is no verb of a summary."""
    return [_view(view, wanted, verb) for verb in _verbs(wanted)]


def _verbs(wanted: Wanted) -> Sequence[Verb]:
    possible = wanted.summary.verbs
    if Verb.ACTION in possible:
        return (Verb.ACTION,)
    usual = (Verb.READ, Verb.CREATE, Verb.UPDATE, *((Verb.DELETE,) if Verb.DELETE in wanted.asked else ()))
    return tuple(dict.fromkeys((*wanted.bound, *(verb for verb in usual if verb in possible))))


def _view(view: GraphView, wanted: Wanted, verb: Verb) -> EndpointView:
    summary = wanted.summary
    found = view.uncut(summary.service, summary.endpoint, verb)
    return found.model_copy(
        update={
            "label": found.label or summary.label,
            "description": found.description or summary.description,
            "rank": wanted.rank,
            "score": wanted.score,
            "clause": wanted.clause,
            "reasons": wanted.reasons,
            "reference_property": wanted.reference_property,
        }
    )
