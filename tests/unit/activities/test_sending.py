"""One write on the wire against a scripted service: what is repeated, what is looked up, and what stays unknown."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from activities.reference import with_reference
from activities.sending import Sending, look_up, send_once
from odata.approved import ApprovedCall
from odata.prepare import call_digest, prepare
from tests.unit.activities.parts import Graph, Services, parts
from tests.unit.odata.contracts import orders, people
from wire.call import ProposedCall, ValidatedCall
from wire.endpoint import EndpointContract

RUN = "run-abcdefghijklmnopqrstuvwxyz"
BUSY = httpx.Response(503, headers={"retry-after": "0"})


def sending(contract: EndpointContract, payload: dict[str, Any]) -> Sending:
    call = ProposedCall(method="POST", service=contract.service, endpoint=contract.endpoint, payload=payload)
    request = prepare(contract, call)
    digest = call_digest(request)
    validated = ValidatedCall(call=call, kind="EntitySet", request=request, digest=digest, graph_hash="g")
    return Sending(ApprovedCall(validated, contract, digest), RUN, 2, "key", datetime(2026, 1, 31, tzinfo=UTC))


class Service:
    """Answers in order; a None is an answer that is lost after the effect."""

    def __init__(self, *answers: httpx.Response | None, rows: list[dict[str, Any]] | None = None) -> None:
        self.answers, self.rows, self.posts = list(answers), rows or [], 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"d": {"results": self.rows}})
        self.posts += 1
        answer = self.answers.pop(0)
        if answer is None:
            self.rows = [*self.rows, {"Order": "1", "Kind": "OR", "Org": "1", "Reference": "R-1"}]
            raise httpx.ReadTimeout("slow")
        return answer


PAYLOAD = {"Kind": "OR", "Org": "1"}
CREATED = httpx.Response(201, json={"d": {"Order": "1"}})


async def test_a_busy_service_is_asked_again_when_it_says_so() -> None:
    service = Service(BUSY, BUSY, CREATED)
    sent = await send_once(parts(Services(service), Graph(orders)), sending(orders(), PAYLOAD))
    assert (sent.outcome, service.posts) == ("executed", 3)


async def test_one_that_asks_for_more_time_than_there_is_gets_no_second_request() -> None:
    service = Service(httpx.Response(429, headers={"retry-after": "3600"}))
    sent = await send_once(parts(Services(service), Graph(orders)), sending(orders(), PAYLOAD))
    assert (sent.outcome, "retry after 3600 s" in sent.detail, service.posts) == ("failed", True, 1)


async def test_a_lost_answer_is_looked_up_by_a_reference_that_nothing_carried() -> None:
    service = Service(None)
    sent = await send_once(
        parts(Services(service), Graph(orders, "Reference")), sending(orders(), {**PAYLOAD, "Reference": "R-1"})
    )
    assert (sent.outcome, sent.looked_up, service.posts) == ("executed", "Reference", 1)


async def test_a_reference_that_something_carried_before_proves_nothing() -> None:
    service = Service(None, rows=[{"Order": "0", "Kind": "OR", "Org": "1", "Reference": "R-1"}])
    sent = await send_once(
        parts(Services(service), Graph(orders, "Reference")), sending(orders(), {**PAYLOAD, "Reference": "R-1"})
    )
    assert (sent.outcome, service.posts) == ("unknown", 1)


async def test_after_a_crash_a_foreign_reference_counts_only_with_its_note() -> None:
    service = Service(rows=[{"Order": "1", "Kind": "OR", "Org": "1", "Reference": "R-1"}])
    given = parts(Services(service), Graph(orders, "Reference"))
    wanted = sending(orders(), {**PAYLOAD, "Reference": "R-1"})
    before = await look_up(given, wanted)
    given.ledger.note(RUN, "reference_unused", {"step": 2}, {}, given.now())
    after = await look_up(given, wanted)
    assert (before.outcome, after.outcome, service.posts) == ("unknown", "executed", 0)


async def test_without_a_name_the_outcome_stays_unknown() -> None:
    sent = await send_once(parts(Services(Service(None)), Graph(orders)), sending(orders(), PAYLOAD))
    assert (sent.outcome, "nothing in the call names" in sent.detail) == ("unknown", True)


async def test_a_key_of_the_call_names_what_it_made() -> None:
    def service(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"User": "ann", "First": "Ann"})
        raise httpx.ReadError("closed")

    services = Services(service)
    sent = await send_once(parts(services, Graph(people)), sending(people(), {"User": "ann", "First": "Ann"}))
    assert (sent.outcome, sent.looked_up, len(services.asked)) == ("executed", "its key", 2)


async def test_a_service_that_keeps_ids_is_asked_by_the_same_request() -> None:
    service = Service(None, CREATED)
    services = Services(service, repeatable=True)
    sent = await send_once(parts(services, Graph(orders)), sending(orders(), PAYLOAD))
    first, second = (r.headers["repeatability-request-id"] for r in services.asked)
    assert (sent.outcome, sent.replayed, first == second) == ("executed", True, True)


def referred(payload: dict[str, Any], *, repeatable: bool = False, reference: str = "Note") -> Any:
    call = ProposedCall(method="POST", service="ORDERS", endpoint="Orders", payload=payload)
    given = parts(Services(Service(), repeatable=repeatable), Graph(orders, reference))
    return (with_reference(given, call, RUN, "g").payload or {}).get(reference)


def test_our_reference_names_run_and_call() -> None:
    one, same, other = referred({"Kind": "OR"}), referred({"Kind": "OR"}), referred({"Kind": "RO"})
    assert (one.startswith(RUN), one == same, one == other) == (True, True, False)


@pytest.mark.parametrize(
    ("options", "payload"),
    [
        ({"repeatable": True}, {}),
        ({"reference": "Reference"}, {}),
        ({"reference": "Kind"}, {}),
        ({"reference": "Nope"}, {}),
    ],
)
def test_it_stands_only_where_it_is_needed_and_has_room(options: dict[str, Any], payload: dict[str, Any]) -> None:
    assert referred(payload, **options) is None


def test_what_somebody_wrote_stays() -> None:
    assert referred({"Note": "mine"}) == "mine"


def test_other_verbs_get_none() -> None:
    call = ProposedCall(method="PATCH", service="ORDERS", endpoint="Orders", key={"Order": "1"}, payload={})
    assert with_reference(parts(Services(Service()), Graph(orders, "Note")), call, RUN, "g") is call
