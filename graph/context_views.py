"""Uncut endpoint views: which verbs of an endpoint matter for a goal, and what a contract shows for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graph.context_fields import fields_of, keys_of, main_operation, nested_of
from graph.views import EndpointSummary, GraphView
from wire.context import EndpointView, Reason
from wire.endpoint import EndpointContract, Permission, Verb

Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE", "ACTION"]


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
    """One uncut view for each verb that matters, bound verbs first; verbs that metadata denies are left out."""
    found = []
    for verb in _verbs(wanted):
        contract = view.contract(wanted.summary.service, wanted.summary.endpoint, verb)
        if contract.restrictions.allowed is not Permission.DENIED or verb in wanted.bound:
            found.append(_view(view, wanted, contract))
    return found


def _verbs(wanted: Wanted) -> Sequence[Verb]:
    possible = wanted.summary.verbs
    if Verb.ACTION in possible:
        return (Verb.ACTION,)
    usual = (Verb.READ, Verb.CREATE, Verb.UPDATE, *((Verb.DELETE,) if Verb.DELETE in wanted.asked else ()))
    return tuple(dict.fromkeys((*wanted.bound, *(verb for verb in usual if verb in possible))))


def _view(view: GraphView, wanted: Wanted, contract: EndpointContract) -> EndpointView:
    return EndpointView(
        service=contract.service,
        endpoint=contract.endpoint,
        kind=contract.kind,
        verb=contract.verb,
        version=contract.version,
        label=contract.label or wanted.summary.label,
        description=contract.description or wanted.summary.description,
        method=_method(contract),
        rank=wanted.rank,
        score=wanted.score,
        clause=wanted.clause,
        reasons=wanted.reasons,
        keys=keys_of(contract),
        fields=fields_of(contract),
        nested=nested_of(contract),
        bound_path=_bound_path(view, contract),
        reference_property=wanted.reference_property,
    )


def _method(contract: EndpointContract) -> Method:
    operation = main_operation(contract)
    if operation is not None:
        return "GET" if contract.verb is Verb.READ or operation.http_method == "GET" else "ACTION"
    match contract.verb:
        case Verb.READ:
            return "GET"
        case Verb.CREATE:
            return "POST"
        case Verb.UPDATE:
            return "PUT" if contract.restrictions.update_method == "PUT" else "PATCH"
        case Verb.DELETE:
            return "DELETE"
    return "ACTION"


def _bound_path(view: GraphView, contract: EndpointContract) -> str | None:
    """``Set/Namespace.Operation`` of a V4 operation bound to the entity type of that set: a call goes by way of the set."""
    operation = main_operation(contract)
    if operation is None or operation.bound_to is None or operation.kind == "FunctionImport":
        return None
    sets = sorted(
        item.endpoint
        for item in view.endpoints()
        if item.service == contract.service
        and item.entity_type == operation.bound_to
        and item.kind in ("EntitySet", "Singleton")
    )
    return f"{sets[0]}/{operation.qualified_name}" if sets else None
