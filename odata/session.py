"""The CSRF token and its session cookies as one unit, shared by concurrent writes (SAP Gateway).

A token is worth something only in the session that issued it. So both are fetched together under one lock, sent together,
and thrown away together.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

FETCH = {"x-csrf-token": "fetch"}


@dataclass(frozen=True, repr=False)
class TokenPair:
    """A token (None: the service asks for none) and the cookies of its session."""

    token: str | None
    cookies: tuple[tuple[str, str], ...]

    def headers(self) -> dict[str, str]:
        """What a write sends."""
        found: dict[str, str] = {}
        if self.token is not None:
            found["x-csrf-token"] = self.token
        if self.cookies:
            found["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies)
        return found


def no_cookies() -> CookieJar:
    """A jar that keeps nothing: a shared jar would send one session's cookie with another session's token."""
    return CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))


def pair_of(response: httpx.Response) -> TokenPair:
    """The pair in the answer to a fetch."""
    token = response.headers.get("x-csrf-token")
    if token is not None and token.casefold() in ("required", "fetch", ""):
        token = None
    cookies: dict[str, str] = {}
    for header in response.headers.get_list("set-cookie"):
        name, equals, value = header.split(";", 1)[0].partition("=")
        if equals:
            cookies[name.strip()] = value.strip()
    return TokenPair(token, tuple(cookies.items()))


class Session:
    """Hands out the current pair; ``renew`` replaces a pair that was refused, once for all that hold it."""

    def __init__(self, fetch: Callable[[], Awaitable[TokenPair]]) -> None:
        self._fetch = fetch
        self._lock = asyncio.Lock()
        self._pair: TokenPair | None = None

    async def pair(self) -> TokenPair:
        """The pair in force, fetched when there is none."""
        async with self._lock:
            if self._pair is None:
                self._pair = await self._fetch()
            return self._pair

    async def renew(self, refused: TokenPair) -> TokenPair:
        """Another pair than the refused one. Who comes second gets what the first has fetched."""
        async with self._lock:
            if self._pair is None or self._pair is refused:
                self._pair = None
                self._pair = await self._fetch()
            return self._pair
