"""What a change is bound to, and by whose metadata a call is judged."""

from typing import Any

import httpx
import pytest

from activities.judging import bind, contract_at, is_drifted, judge_call
from activities.live_metadata import LiveMetadata, MetadataShelf
from odata.client import Metadata
from odata.errors import NoAnswer
from tests.unit.activities.parts import Graph, Services, parts
from tests.unit.odata.contracts import people
from wire.call import ProposedCall
from wire.endpoint import Verb

SHARE = {"endpoint": "People", "key": {"User": "ann"}, "path": ("P.Share",), "payload": {"with": "bo"}}


def call(method: Any, **parts: Any) -> ProposedCall:
    return ProposedCall(method=method, **{"service": "PEOPLE", "endpoint": "People", **parts})


def answering(*answers: httpx.Response) -> Services:
    left = list(answers)
    return Services(lambda request: left.pop(0))


async def bound(services: Services, proposed: ProposedCall) -> Any:
    given = parts(services, Graph(people))
    judged = judge_call(given, proposed, "g")
    assert judged.unbound, judged.verdict
    return await bind(given, judged)


ANN = httpx.Response(200, headers={"etag": 'W/"7"'}, json={"User": "ann"})
PLAIN = httpx.Response(200, json={"User": "ann"})


@pytest.mark.parametrize(
    ("proposed", "answer", "if_match"),
    [
        (call("PATCH", key={"User": "ann"}, payload={"First": "Ann"}), ANN, 'W/"7"'),
        (call("PATCH", key={"User": "ann"}, payload={"First": "Ann"}), PLAIN, "*"),
        (call("ACTION", **SHARE), ANN, 'W/"7"'),
        (call("ACTION", **SHARE), PLAIN, None),
        (call("ACTION", **SHARE), httpx.Response(403), None),
    ],
)
async def test_a_change_is_bound_to_its_entity_as_it_is_now(
    proposed: ProposedCall, answer: httpx.Response, if_match: str | None
) -> None:
    judged = await bound(answering(answer), proposed)
    assert dict(judged.validated.request.headers).get("If-Match") == if_match


async def test_an_entity_that_is_not_there_is_a_finding() -> None:
    judged = await bound(answering(httpx.Response(404)), call("ACTION", **SHARE))
    assert [(f.rule, f.pointer) for f in judged.verdict.findings] == [("R44", "/key")]


async def test_a_service_that_does_not_answer_decides_nothing() -> None:
    def silent(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow")

    with pytest.raises(NoAnswer):
        await bound(Services(silent), call("ACTION", **SHARE))


def test_the_service_has_the_last_word_on_its_metadata() -> None:
    services = answering()
    given = parts(services, Graph(people))
    before = contract_at(given, "PEOPLE", "People", Verb.CREATE, "g")
    services.known = LiveMetadata(b"<other/>", "other")
    after = contract_at(given, "PEOPLE", "People", Verb.CREATE, "g")
    services.known = LiveMetadata(b"<same/>", before.metadata_digest)
    same = contract_at(given, "PEOPLE", "People", Verb.CREATE, "g")
    assert (after.metadata_digest, same) == ("live", before)


def test_a_service_that_was_never_asked_has_not_drifted() -> None:
    assert not is_drifted(parts(answering(), Graph(people)), "PEOPLE", "g")


def test_an_endpoint_that_does_not_exist_is_named_with_what_was_meant() -> None:
    (finding,) = judge_call(parts(answering(), Graph(people)), call("POST", endpoint="Peopel"), "g").verdict.findings
    assert (finding.rule, finding.pointer, finding.suggestion) == ("R01", "/endpoint", "People")


async def test_metadata_is_kept_by_its_etag() -> None:
    shelf, asked = MetadataShelf(), list[str | None]()
    answers = [Metadata(b"one", '"1"'), None, Metadata(b"two", '"2"')]

    async def fetch(etag: str | None) -> Metadata | None:
        asked.append(etag)
        return answers.pop(0)

    seen = [(await shelf.refreshed("S", fetch)).data for _ in range(3)]
    assert (seen, asked) == ([b"one", b"one", b"two"], [None, '"1"', '"1"'])
    assert shelf.known("S") is not None
