"""Authentication as httpx auth flows: basic, bearer, OAuth 2.0 client credentials (RFC 6749 section 4.4).

Secrets are held here only; no ``repr`` shows them.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, Callable, Generator
from time import monotonic
from urllib.parse import quote_plus

import httpx

from odata.error_body import parse_error_body
from odata.errors import LoginRequired

# Seconds: a token is renewed this long before it expires, so that it does not expire under way.
_EARLY = 30.0


class BasicAuth(httpx.Auth):
    """RFC 7617, UTF-8."""

    def __init__(self, user: str, password: str) -> None:
        self._value = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the header."""
        request.headers["Authorization"] = self._value
        yield request


class BearerAuth(httpx.Auth):
    """RFC 6750, with a token that somebody else keeps fresh."""

    def __init__(self, token: str) -> None:
        self._value = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the header."""
        request.headers["Authorization"] = self._value
        yield request


class ClientCredentials(httpx.Auth):
    """Fetches a token when there is none or it is about to expire, and once more when the service answers 401.

    One token serves all requests: whoever comes while it is fetched waits for it.
    """

    requires_response_body = False

    def __init__(
        self, token_url: str, client_id: str, secret: str, scope: str = "", clock: Callable[[], float] = monotonic
    ) -> None:
        self._token_url, self._client_id, self._secret, self._scope = token_url, client_id, secret, scope
        self._clock = clock
        self._token, self._until = "", 0.0
        self._fetching = asyncio.Lock()

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Add a token that holds."""
        async with self._fetching:
            if not self._token or self._clock() >= self._until:
                answer = yield self._token_request(request)
                await answer.aread()
                self._keep(answer)
        used = self._token
        request.headers["Authorization"] = f"Bearer {used}"
        response = yield request
        if response.status_code != 401:
            return
        # The service refused before it did anything, so sending again repeats nothing.
        async with self._fetching:
            if self._token == used:
                answer = yield self._token_request(request)
                await answer.aread()
                self._keep(answer)
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request

    def _token_request(self, request: httpx.Request) -> httpx.Request:
        """RFC 6749 section 4.4.2, under the time limits of the request that needs the token."""
        fields = {"grant_type": "client_credentials"} | ({"scope": self._scope} if self._scope else {})
        # Section 2.3.1: both are form-encoded before they are joined.
        pair = f"{quote_plus(self._client_id)}:{quote_plus(self._secret)}"
        basic = base64.b64encode(pair.encode()).decode("ascii")
        headers = {"Authorization": f"Basic {basic}", "Accept": "application/json"}
        limits = {"timeout": request.extensions["timeout"]} if "timeout" in request.extensions else {}
        return httpx.Request("POST", self._token_url, data=fields, headers=headers, extensions=limits)

    def _keep(self, answer: httpx.Response) -> None:
        name = f"POST {httpx.URL(self._token_url).path}"
        if answer.status_code != 200:
            said = parse_error_body(answer.text).summary()
            raise LoginRequired(name, f"no token ({answer.status_code}): {said}")
        try:
            fields = answer.json()
            token, lasts = str(fields["access_token"]), float(fields.get("expires_in", 300))
        except (ValueError, KeyError, TypeError, AttributeError):
            # Not chained: the answer may hold a secret.
            raise LoginRequired(name, "the answer holds no access_token") from None
        self._token, self._until = token, self._clock() + lasts - min(_EARLY, lasts / 2)
