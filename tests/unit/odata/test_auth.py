"""Authentication flows against a scripted service."""

import asyncio
import base64

import httpx
import pytest

from odata.auth import BasicAuth, BearerAuth, ClientCredentials
from odata.client import ODataClient
from odata.errors import LoginRequired
from wire.call import PreparedRequest

READ = PreparedRequest(method="GET", service="S", path="Orders")


class TokenService:
    """Hands out numbered tokens that last a minute, and remembers what the service was shown."""

    def __init__(self, status: int = 200) -> None:
        self.issued, self.shown, self.status = 0, list[str](), status
        self.refused: set[str] = set()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            self.issued += 1
            if self.status != 200:
                return httpx.Response(self.status, json={"error": "invalid_client"})
            return httpx.Response(200, json={"access_token": f"t{self.issued}", "expires_in": 60})
        shown = request.headers["authorization"]
        self.shown.append(shown)
        return httpx.Response(401 if shown in self.refused else 200, json={"value": []})


def client(service: TokenService, auth: httpx.Auth) -> ODataClient:
    return ODataClient("https://erp.test/srv", "S", "4.0", transport=httpx.MockTransport(service), auth=auth)


async def test_static_credentials() -> None:
    service = TokenService()
    await client(service, BasicAuth("a", "ü")).read(READ)
    await client(service, BearerAuth("xyz")).read(READ)
    assert service.shown == ["Basic YTrDvA==", "Bearer xyz"]


async def test_token_is_kept_until_it_is_about_to_expire() -> None:
    service, now = TokenService(), [0.0]
    one = client(service, ClientCredentials("https://id.test/token", "id", "secret", clock=lambda: now[0]))
    await one.read(READ)
    await one.read(READ)
    now[0] = 31.0
    await one.read(READ)
    assert service.shown == ["Bearer t1", "Bearer t1", "Bearer t2"]


async def test_refused_token_is_replaced_once() -> None:
    service = TokenService()
    service.refused = {"Bearer t1", "Bearer t2"}
    with pytest.raises(LoginRequired):
        await client(service, ClientCredentials("https://id.test/token", "id", "secret")).read(READ)
    assert service.shown == ["Bearer t1", "Bearer t2"]


async def test_one_token_serves_all_who_wait_for_it() -> None:
    service = TokenService()
    one = client(service, ClientCredentials("https://id.test/token", "id", "secret"))
    await asyncio.gather(*(one.read(READ) for _ in range(8)))
    assert (service.issued, set(service.shown)) == (1, {"Bearer t1"})


async def test_a_token_that_was_refused_to_many_is_replaced_once() -> None:
    service = TokenService()
    one = client(service, ClientCredentials("https://id.test/token", "id", "secret"))
    await one.read(READ)
    service.refused = {"Bearer t1"}
    await asyncio.gather(*(one.read(READ) for _ in range(4)))
    assert service.issued == 2


async def test_the_token_request_is_as_rfc_6749_says() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"access_token": "t", "value": []})

    auth = ClientCredentials("https://id.test/token", "id:1", "p w", "read write")
    await ODataClient("https://erp.test/srv", "S", "4.0", transport=httpx.MockTransport(handler), auth=auth).read(READ)
    assert base64.b64decode(seen[0].headers["authorization"][6:]) == b"id%3A1:p+w"
    assert (seen[0].content, seen[1].headers["authorization"]) == (
        b"grant_type=client_credentials&scope=read+write",
        "Bearer t",
    )


async def test_token_service_that_refuses_is_named() -> None:
    service = TokenService(400)
    with pytest.raises(LoginRequired, match="invalid_client"):
        await client(service, ClientCredentials("https://id.test/token", "id", "hunter2")).read(READ)
    assert service.shown == []
