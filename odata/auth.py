"""Authentication as httpx auth flows: basic, bearer, OAuth 2.0 client credentials (RFC 6749 section 4.4).

Secrets are held here only; no ``repr`` shows them.
"""

import base64
from collections.abc import AsyncGenerator, Callable, Generator
from time import monotonic

import httpx

from odata.error_body import parse_error_body
from odata.errors import LoginRequired

# A token is renewed this long before it expires, so that it does not expire under way.
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
    """Fetches a token when there is none or it is about to expire, and once more when the service answers 401."""

    requires_response_body = False

    def __init__(
        self, token_url: str, client_id: str, secret: str, scope: str = "", clock: Callable[[], float] = monotonic
    ) -> None:
        self._token_url, self._client_id, self._secret, self._scope = token_url, client_id, secret, scope
        self._clock = clock
        self._token, self._until = "", 0.0

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Add a token that holds."""
        if not self._token or self._clock() >= self._until:
            answer = yield self._token_request()
            await answer.aread()
            self._keep(answer)
        request.headers["Authorization"] = f"Bearer {self._token}"
        response = yield request
        if response.status_code == 401:
            # The service refused before it did anything, so sending again repeats nothing.
            answer = yield self._token_request()
            await answer.aread()
            self._keep(answer)
            request.headers["Authorization"] = f"Bearer {self._token}"
            yield request

    def _token_request(self) -> httpx.Request:
        fields = {"grant_type": "client_credentials"} | ({"scope": self._scope} if self._scope else {})
        basic = base64.b64encode(f"{self._client_id}:{self._secret}".encode()).decode("ascii")
        headers = {"Authorization": f"Basic {basic}", "Accept": "application/json"}
        return httpx.Request("POST", self._token_url, data=fields, headers=headers)

    def _keep(self, answer: httpx.Response) -> None:
        if answer.status_code != 200:
            said = parse_error_body(answer.text).summary()
            raise LoginRequired(f"POST {httpx.URL(self._token_url).path}", f"no token ({answer.status_code}): {said}")
        try:
            fields = answer.json()
            self._token = str(fields["access_token"])
            self._until = self._clock() + float(fields.get("expires_in", 300)) - _EARLY
        except (ValueError, KeyError, TypeError) as error:
            raise LoginRequired(
                f"POST {httpx.URL(self._token_url).path}", "the answer holds no access_token"
            ) from error
