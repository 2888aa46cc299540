"""The verdict on a call whose endpoint its service does not have: what it may have meant."""

from difflib import get_close_matches

from graph.errors import UnknownEndpoint, UnknownService
from graph.views import GraphView
from odata.validation import unknown_endpoint
from wire.call import Finding, ProposedCall, Verdict
from wire.endpoint import Verb

_MOST = 20
"""Names that a reader, or a model, still looks through."""


def verdict_on_unknown(view: GraphView, call: ProposedCall, error: UnknownEndpoint) -> Verdict:
    """R01, with R52 for a bound operation and R41 for contained entities."""
    if isinstance(error, UnknownService):
        allowed, suggestion = error.nearest, error.nearest[0] if error.nearest else ""
        finding = Finding(
            rule="R01",
            pointer="/service",
            message=str(error),
            value=call.service,
            allowed=allowed,
            suggestion=suggestion,
            source="OData CSDL 4.01",
        )
        return Verdict(kind="invalid", findings=(finding,), graph_hash=view.graph_hash)
    # The service itself may have dropped what was ingested.
    names = [e.endpoint for e in view.endpoints() if e.service == call.service and e.endpoint != call.endpoint]
    sets = sorted(name for name in names if "." not in name)
    near = get_close_matches(call.endpoint, sets, _MOST, 0.4) if len(sets) > _MOST else sets
    bound = [name for name in names if "." in name]
    contracts = (view.contract(call.service, name, Verb.READ) for name in sets)
    verdict = unknown_endpoint(call, near, bound, contracts)
    return verdict.model_copy(update={"graph_hash": view.graph_hash})
