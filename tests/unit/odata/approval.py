"""A request as the client takes it: validated, and approved to the byte."""

from odata.approved import ApprovedCall
from odata.prepare import call_digest
from tests.unit.odata.contracts import orders
from wire.call import PreparedRequest, ProposedCall, ValidatedCall
from wire.endpoint import EndpointContract


def validated(request: PreparedRequest, call: ProposedCall | None = None) -> ValidatedCall:
    """The call that a request was made from."""
    made = call or ProposedCall(method="POST", service=request.service, endpoint="Orders", payload={})
    return ValidatedCall(call=made, kind="EntitySet", request=request, digest=call_digest(request))


def approved(request: PreparedRequest, contract: EndpointContract | None = None) -> ApprovedCall:
    """Approved exactly as it is."""
    return ApprovedCall(validated(request), contract or orders(), call_digest(request))
