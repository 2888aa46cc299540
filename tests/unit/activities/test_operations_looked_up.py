"""An operation that returns from a set, over the shipped catalogue: its reference, and where it is looked for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from activities import lost_answers
from activities.judging import judge_call
from activities.reference import with_reference
from graph.ingest import ingest
from graph.reader import open_snapshot
from odata.approved import ApprovedCall
from tests.unit.activities.parts import Graph, Services, parts
from tests.unit.odata.contracts import orders
from wire.call import ProposedCall

CATALOGUE = Path(__file__).resolve().parents[3] / "catalogue"
RUN = "run-abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("graph")
    ingest([CATALOGUE], root)
    reader = open_snapshot(root)
    made = parts(Services(lambda request: httpx.Response(500)), Graph(orders))
    made.graphs = SimpleNamespace(at=lambda digest: reader)
    return made


def operation(given: Any, endpoint: str, service: str, payload: dict[str, Any]) -> tuple[Any, str]:
    """The operation's call with our reference, and the path of its look-up."""
    call = with_reference(
        given, ProposedCall(method="ACTION", service=service, endpoint=endpoint, payload=payload), RUN, "g"
    )
    judged = judge_call(given, call, "g")
    assert judged.validated is not None, judged.verdict.findings
    approved = ApprovedCall(judged.validated, judged.contract, judged.validated.digest)
    planned = lost_answers.plan(given, RUN, 1, approved)
    return (call.payload or {}).get("ExternalReference"), planned.request.path if planned else ""


def test_it_is_looked_for_in_the_set_that_it_returns_from(given: Any) -> None:
    reference, path = operation(given, "BillDelivery", "BILLING_DOCUMENT", {"DeliveryDocument": "80000001"})
    assert reference.startswith(RUN)
    assert path == f"BillingDocumentSet?$filter=ExternalReference%20eq%20'{reference}'&$top=2"


def test_one_without_a_reference_cannot_be_looked_up(given: Any) -> None:
    assert operation(given, "ReleaseSalesOrder", "SALES_ORDER", {"SalesOrder": "1"}) == (None, "")
