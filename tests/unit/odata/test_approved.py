"""What the client executes: only the bytes that were validated and approved, and only what rules of requests allow."""

import pytest

from odata.approved import ApprovedCall
from odata.errors import NotApproved
from odata.prepare import call_digest
from tests.unit.odata.approval import approved, validated
from tests.unit.odata.contracts import orders, restricted
from wire.call import PreparedRequest, ProposedCall
from wire.endpoint import Verb

JSON = (("Content-Type", "application/json"),)
WRITE = PreparedRequest(method="POST", service="S", path="Orders", headers=JSON, body='{"Kind":"OR"}')


def test_the_approved_bytes_pass() -> None:
    assert approved(WRITE).request is not None


@pytest.mark.parametrize("changed", [{"body": '{"Kind":"RO"}'}, {"path": "Items"}, {"headers": ()}, {"method": "PUT"}])
def test_one_changed_byte_does_not(changed: dict[str, object]) -> None:
    call = validated(WRITE)
    other = call.model_copy(update={"request": WRITE.model_copy(update=changed)})
    with pytest.raises(NotApproved, match="not the ones that were approved"):
        ApprovedCall(other, orders(), call.digest)


def test_nor_does_a_call_that_was_validated_under_another_digest() -> None:
    call = validated(WRITE).model_copy(update={"digest": "0" * 64})
    with pytest.raises(NotApproved, match="validated under another digest"):
        ApprovedCall(call, orders(), call_digest(WRITE))


def test_a_read_is_no_approved_call() -> None:
    with pytest.raises(NotApproved, match="R57"):
        approved(PreparedRequest(method="GET", service="S", path="Orders"))


def test_a_change_without_if_match_does_not_leave_where_concurrency_is_controlled() -> None:
    request = PreparedRequest(method="DELETE", service="S", path="Orders('1')")
    with pytest.raises(NotApproved, match="R53 /headers/If-Match"):
        approved(request, orders(Verb.DELETE, **restricted(concurrency=True)))


def test_a_body_of_another_media_type_does_not_leave() -> None:
    call = ProposedCall(method="POST", service="S", endpoint="Orders", payload={})
    request = WRITE.model_copy(update={"headers": (("Content-Type", "text/plain"),)})
    with pytest.raises(NotApproved, match="R55 /headers/Content-Type"):
        ApprovedCall(validated(request, call), orders(), call_digest(request))
