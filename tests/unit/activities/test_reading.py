"""When a read is tried again, and what reading back says of a write."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from activities.read import later
from activities.read_back import ReadBack, plan_reading, read_back
from odata.errors import Busy, NoAnswer, Retryable
from odata.prepare import call_digest, prepare
from tests.unit.activities.parts import Graph, Services, parts
from tests.unit.odata.contracts import people
from wire.call import CallResult, ExecutedCall, ProposedCall, ValidatedCall
from wire.endpoint import Verb


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (Busy("GET x", 503, 7.0), 7),
        (Busy("GET x", 429, 3600.0), 120),
        (Busy("GET x", 503, None), None),
        (NoAnswer("x", "y"), None),
    ],
)
def test_a_read_comes_again_when_the_service_says_so(error: Retryable, seconds: int | None) -> None:
    assert later(error).next_retry_delay == (None if seconds is None else timedelta(seconds=seconds))


VERBS = {"POST": Verb.CREATE, "PATCH": Verb.UPDATE, "DELETE": Verb.DELETE}


async def told(method: Any, answer: httpx.Response, *, looked_up: str = "", **call: Any) -> ReadBack:
    """What reading back comes to after that write, when the service answers so."""
    proposed = ProposedCall(method=method, service="PEOPLE", endpoint="People", **call)
    request = prepare(people(VERBS[method]), proposed)
    validated = ValidatedCall(
        call=proposed, kind="EntitySet", request=request, digest=call_digest(request), graph_hash="g"
    )
    result = CallResult(status=201, data={"User": "ann"} if method == "POST" else None)
    executed = ExecutedCall(effect_key="k", digest=validated.digest, result=result, looked_up=looked_up)
    given = parts(Services(lambda request: answer), Graph(people))
    reading = plan_reading(given, validated, executed)
    return reading if isinstance(reading, ReadBack) else await read_back(given, reading)


KEY = {"User": "ann"}
SENT = {"User": "ann", "First": "Ann"}


async def test_the_same_is_said_to_be_the_same() -> None:
    back = await told("POST", httpx.Response(200, json=SENT), payload=SENT)
    assert (back.differences, back.summary) == ((), "created People User ann, read back the same")


async def test_another_value_is_a_difference() -> None:
    back = await told("PATCH", httpx.Response(200, json={**SENT, "First": "Bo"}), key=KEY, payload={"First": "Ann"})
    assert [(d.pointer, d.sent, d.read) for d in back.differences] == [("/First", "Ann", "Bo")]


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_an_entity_that_is_not_there_is_one_too(method: str) -> None:
    parts_of = {"payload": SENT} if method == "POST" else {"key": KEY, "payload": {"First": "Ann"}}
    back = await told(method, httpx.Response(404), **parts_of)
    assert (len(back.differences), back.summary.endswith("but it is not there")) == (1, True)


@pytest.mark.parametrize(
    ("answer", "words"),
    [(httpx.Response(404), "and it is gone"), (httpx.Response(200, json=SENT), "it can still be read")],
)
async def test_a_deletion_says_what_is_left(answer: httpx.Response, words: str) -> None:
    back = await told("DELETE", answer, key=KEY)
    assert (back.differences, words in back.summary) == ((), True)


async def test_a_read_that_fails_undoes_nothing() -> None:
    back = await told("POST", httpx.Response(500), payload=SENT)
    assert (back.differences, "reading it back failed" in back.summary) == ((), True)


async def test_what_was_found_without_an_answer_says_so() -> None:
    back = await told("POST", httpx.Response(200, json=SENT), payload=SENT, looked_up="its key")
    assert "(its answer was lost; found by its key)" in back.summary
