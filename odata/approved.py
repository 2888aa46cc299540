"""The only thing that the client executes: a validated call whose bytes are those that an approval bound (pure)."""

from dataclasses import dataclass

from odata.errors import NotApproved
from odata.prepare import call_digest
from odata.request_rules import check_change_set, check_headers
from wire.call import PreparedRequest, ValidatedCall
from wire.endpoint import EndpointContract


@dataclass(frozen=True)
class ApprovedCall:
    """``digest`` is the one that approvers said yes to; ``contract`` the one that the call was validated against.

    Raises ``NotApproved`` when the bytes have another digest, or when the request breaks a rule of requests (R53, R55, R57).
    """

    call: ValidatedCall
    contract: EndpointContract
    digest: str

    def __post_init__(self) -> None:
        request = self.call.request
        name = f"{request.method} {request.path.split('?', 1)[0]}"
        if call_digest(request) != self.digest:
            raise NotApproved(name, "its bytes are not the ones that were approved")
        if self.call.digest != self.digest:
            raise NotApproved(name, "it was validated under another digest than the approved one")
        findings = (*check_headers(request, self.contract), *check_change_set((request,)))
        if findings:
            raise NotApproved(name, "; ".join(f"{f.rule} {f.pointer}: {f.message}" for f in findings))

    @property
    def request(self) -> PreparedRequest:
        """What is sent, to the byte."""
        return self.call.request
