"""The client against a scripted service: one error per cause, nothing sent twice, tokens and cookies as one unit."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx
import pytest

from odata.auth import BasicAuth, ClientCredentials
from odata.client import ODataClient
from odata.errors import (
    AmbiguousLookUp,
    AnswerTooLarge,
    Busy,
    CallError,
    ForeignLink,
    LoginRequired,
    NoAnswer,
    NotFound,
    NotSent,
    OutcomeUnknown,
    PreconditionFailed,
    PreconditionRequired,
    ServiceError,
    TokenRefused,
    UnreadableAnswer,
)
from tests.unit.odata.approval import approved
from wire.call import PreparedRequest
from wire.endpoint import ODataVersion

Handler = Callable[[httpx.Request], httpx.Response]
WRITE = PreparedRequest(
    method="POST", service="S", path="Orders", headers=(("Content-Type", "application/json"),), body='{"Kind":"OR"}'
)
APPROVED = approved(WRITE)
READ = PreparedRequest(method="GET", service="S", path="Orders?$filter=Name%20eq%20'O''Neil'")
REPEAT: dict[str, Any] = {"repeatability_id": UUID(int=7), "first_sent": datetime(2026, 1, 31, tzinfo=UTC)}


def client(handler: Handler, version: ODataVersion = "2.0", **more: Any) -> ODataClient:
    return ODataClient("https://erp.test/srv", "S", version, transport=httpx.MockTransport(handler), **more)


class Gateway:
    """Issues tokens with sessions, and takes a write only when both fit together."""

    def __init__(self, answer: Handler | None = None) -> None:
        self.sessions, self.writes, self.answer = 0, list[httpx.Request](), answer
        self.expired: set[str] = set()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("x-csrf-token") == "fetch":
            self.sessions += 1
            headers = {"x-csrf-token": f"t{self.sessions}", "set-cookie": f"SID=s{self.sessions}; path=/; secure"}
            return httpx.Response(200, headers=headers, json={"d": {}})
        self.writes.append(request)
        token, cookie = request.headers.get("x-csrf-token", ""), request.headers.get("cookie", "")
        if token in self.expired or cookie != f"SID=s{token[1:]}":
            return httpx.Response(403, headers={"x-csrf-token": "Required"})
        return self.answer(request) if self.answer else httpx.Response(201, json={"d": {"Order": "1"}})


async def test_write_carries_token_of_its_session_and_repeatability() -> None:
    gateway = Gateway()
    result = await client(gateway).execute(APPROVED, **REPEAT)
    sent = gateway.writes[0]
    assert result.data == {"Order": "1"}
    assert sent.headers["Repeatability-Request-ID"] == str(UUID(int=7))
    assert sent.headers["Repeatability-First-Sent"] == "Sat, 31 Jan 2026 00:00:00 GMT"
    assert sent.content == b'{"Kind":"OR"}'


async def test_concurrent_writes_share_one_session() -> None:
    gateway = Gateway()
    one = client(gateway)
    await asyncio.gather(*(one.execute(APPROVED, **REPEAT) for _ in range(8)))
    assert (gateway.sessions, len(gateway.writes)) == (1, 8)


async def test_expired_token_is_renewed_once_for_all() -> None:
    gateway = Gateway()
    one = client(gateway)
    await one.execute(APPROVED, **REPEAT)
    gateway.expired.add("t1")
    await asyncio.gather(*(one.execute(APPROVED, **REPEAT) for _ in range(4)))
    assert gateway.sessions == 2


async def test_token_refused_twice_is_an_error() -> None:
    gateway = Gateway()
    gateway.expired.update({"t1", "t2"})
    with pytest.raises(TokenRefused):
        await client(gateway).execute(APPROVED, **REPEAT)
    assert len(gateway.writes) == 2


async def test_ended_session_is_replaced_once() -> None:
    answers = [httpx.Response(401), httpx.Response(204)]
    gateway = Gateway(lambda request: answers.pop(0))
    assert (await client(gateway).execute(APPROVED, **REPEAT)).status == 204
    assert gateway.sessions == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(401), LoginRequired),
        (httpx.Response(302, headers={"location": "https://login.test"}), LoginRequired),
        (httpx.Response(200, html="<html><title>Logon</title></html>"), LoginRequired),
        (httpx.Response(404, json={"error": {"code": "x", "message": "gone"}}), NotFound),
        (httpx.Response(412), PreconditionFailed),
        (httpx.Response(428), PreconditionRequired),
        (httpx.Response(400, json={"error": {"code": "x", "message": {"value": "bad"}}}), ServiceError),
        (httpx.Response(429, headers={"retry-after": "7"}), Busy),
    ],
)
async def test_each_cause_has_its_error_for_reads_and_writes(answer: httpx.Response, error: type[CallError]) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    with pytest.raises(error) as read:
        await client(handler).read(READ)
    with pytest.raises(error) as written:
        await client(handler, csrf=False).execute(APPROVED, **REPEAT)
    assert type(read.value) is type(written.value) is error


async def test_busy_tells_the_seconds_of_a_date() -> None:
    headers = {"retry-after": "Sat, 31 Jan 2026 00:01:30 GMT", "date": "Sat, 31 Jan 2026 00:00:00 GMT"}
    with pytest.raises(Busy) as busy:
        await client(lambda request: httpx.Response(503, headers=headers)).read(READ)
    assert busy.value.retry_after == 90.0


@pytest.mark.parametrize(
    ("raised", "for_write", "for_read"),
    [
        (httpx.ConnectError("refused"), NotSent, NotSent),
        (httpx.ConnectTimeout("slow"), NotSent, NotSent),
        (httpx.ReadTimeout("slow"), OutcomeUnknown, NoAnswer),
        (httpx.RemoteProtocolError("closed"), OutcomeUnknown, NoAnswer),
        (httpx.WriteError("reset"), OutcomeUnknown, NoAnswer),
    ],
)
async def test_what_was_lost_decides_what_may_be_repeated(
    raised: httpx.TransportError, for_write: type[CallError], for_read: type[CallError]
) -> None:
    attempts: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        attempts.append(request)
        raise raised

    with pytest.raises(for_write):
        await client(handler, csrf=False).execute(APPROVED, **REPEAT)
    assert len(attempts) == 1
    with pytest.raises(for_read):
        await client(handler).read(READ)


async def test_an_answer_that_cannot_be_decoded_is_no_answer() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        broken = httpx.ByteStream(b"no gzip")
        return httpx.Response(200, headers={"content-encoding": "gzip"}, stream=broken)

    with pytest.raises(NoAnswer):
        await client(handler).read(READ)
    with pytest.raises(OutcomeUnknown):
        await client(handler, csrf=False).execute(APPROVED, **REPEAT)


async def test_gateway_timeout_of_a_write_is_unknown_of_a_read_is_not() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(504)

    with pytest.raises(OutcomeUnknown):
        await client(handler, csrf=False).execute(APPROVED, **REPEAT)
    with pytest.raises(ServiceError):
        await client(handler).read(READ)


async def test_token_that_cannot_be_fetched_means_not_sent() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow")

    with pytest.raises(NotSent):
        await client(handler).execute(APPROVED, **REPEAT)


async def test_busy_service_root_means_not_sent() -> None:
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        return httpx.Response(503, headers={"retry-after": "4"})

    with pytest.raises(Busy):
        await client(handler).execute(APPROVED, **REPEAT)
    assert asked == ["GET"]


async def test_an_access_token_that_does_not_come_means_not_sent() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            raise httpx.ReadTimeout("slow", request=request)
        return httpx.Response(201)

    auth = ClientCredentials("https://id.test/token", "id", "secret")
    with pytest.raises(NotSent, match="no token: no answer in time"):
        await client(handler, csrf=False, auth=auth).execute(APPROVED, **REPEAT)


async def test_approved_path_is_sent_byte_by_byte() -> None:
    seen: list[bytes] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        return httpx.Response(200, json={"d": {"results": []}})

    await client(handler, sap_client="100").read(READ)
    assert seen == [b"/srv/Orders?$filter=Name%20eq%20'O''Neil'&sap-client=100"]


def paged(version: ODataVersion) -> Handler:
    """Three pages of two rows each."""

    def handler(request: httpx.Request) -> httpx.Response:
        page = int(request.url.params.get("$skiptoken", "0"))
        rows = [{"Id": page * 2}, {"Id": page * 2 + 1}]
        link = f"https://erp.test/srv/Orders?$skiptoken={page + 1}" if page < 2 else None
        if version == "2.0":
            return httpx.Response(200, json={"d": {"results": rows} | ({"__next": link} if link else {})})
        return httpx.Response(200, json={"value": rows} | ({"@odata.nextLink": link and link[22:]} if link else {}))

    return handler


@pytest.mark.parametrize("version", ["2.0", "4.0"])
async def test_pages_are_followed(version: ODataVersion) -> None:
    result = await client(paged(version), version).read(READ)
    assert [row["Id"] for row in result.data] == [0, 1, 2, 3, 4, 5]
    assert not result.truncated


async def test_limits_say_truncated() -> None:
    result = await client(paged("2.0")).read(READ, max_pages=2)
    assert (len(result.data), result.truncated) == (4, True)
    assert (await client(paged("2.0")).read(READ, max_bytes=130)).truncated


async def test_first_page_too_large_is_an_error() -> None:
    with pytest.raises(AnswerTooLarge):
        await client(paged("2.0")).read(READ, max_bytes=10)


async def test_link_to_another_origin_is_not_followed() -> None:
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(200, json={"value": [], "@odata.nextLink": "https://evil.test/steal"})

    with pytest.raises(ForeignLink):
        await client(handler, "4.0").read(READ)
    assert asked == ["erp.test"]


async def test_answer_that_is_no_odata() -> None:
    with pytest.raises(UnreadableAnswer):
        await client(lambda request: httpx.Response(200, json={"value": []})).read(READ)


async def test_unreadable_answer_of_a_write_is_still_a_success() -> None:
    gateway = Gateway(lambda request: httpx.Response(201, text="created", headers={"content-type": "application/x"}))
    assert (await client(gateway).execute(APPROVED, **REPEAT)).status == 201


async def test_look_up_names_one_none_or_several() -> None:
    def found(*ids: int) -> ODataClient:
        return client(lambda request: httpx.Response(200, json={"d": {"results": [{"Id": i} for i in ids]}}))

    one = await found(5).look_up(READ)
    assert one is not None
    assert one.data == {"Id": 5}
    assert await found().look_up(READ) is None
    with pytest.raises(AmbiguousLookUp):
        await found(1, 2).look_up(READ)


async def test_secrets_stand_in_no_error() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("closed")

    auth = BasicAuth("clerk", "hunter2")
    with pytest.raises(OutcomeUnknown) as error:
        await client(handler, auth=auth, csrf=False).execute(APPROVED, **REPEAT)
    assert "hunter2" not in f"{error.value!r} {auth!r} {error.value.__context__!r}"
    assert "OR" not in str(error.value)


async def test_read_takes_no_write() -> None:
    with pytest.raises(ValueError, match="execute"):
        await client(Gateway()).read(WRITE)


async def test_metadata_is_fetched_as_bytes() -> None:
    one = client(lambda request: httpx.Response(200, content=b"<edmx/>", headers={"content-type": "application/xml"}))
    assert await one.fetch_metadata() == b"<edmx/>"


async def test_etag_and_location_of_a_create() -> None:
    answer = httpx.Response(201, json={"d": {"__metadata": {"etag": 'W/"1"'}, "Id": 1}}, headers={"location": "x"})
    result = await client(Gateway(lambda request: answer)).execute(APPROVED, **REPEAT)
    assert (result.etag, result.location, result.data) == ('W/"1"', "x", {"Id": 1})
    assert json.dumps(result.model_dump(mode="json"))
