"""The OData client: reads, and executes prepared writes once. Never retries by itself; every failure has its own error.

``execute`` is the only way to write, and it takes only an ``ApprovedCall``: the bytes that validation made and an approval
bound.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import NamedTuple
from urllib.parse import quote
from uuid import UUID

import httpx

from odata import wire_v2, wire_v4
from odata.answers import Answer, error_of, is_login, page_of, result_of, wants_token
from odata.approved import ApprovedCall
from odata.errors import (
    AmbiguousLookUp,
    AnswerTooLarge,
    Busy,
    ForeignLink,
    LoginRequired,
    NoAnswer,
    NotFound,
    NotSent,
    OutcomeUnknown,
    TokenRefused,
    UnreadableAnswer,
)
from odata.session import FETCH, Session, TokenPair, no_cookies, pair_of
from odata.wire_v2 import Page
from wire.call import CallResult, PreparedRequest
from wire.endpoint import ODataVersion

# Nothing was written to a connection when one of these is raised.
_BEFORE_SENDING = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
_MAX_BYTES = 8_000_000
_MAX_METADATA = 64_000_000
_MAX_PAGES = 10


class Metadata(NamedTuple):
    """The bytes of ``$metadata``, and the ETag under which the service gave them, if any."""

    data: bytes
    etag: str | None


class ODataClient:
    """One service at one address. Use as an async context manager, or call ``aclose``."""

    def __init__(
        self,
        base_url: str,
        service: str,
        version: ODataVersion,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        auth: httpx.Auth | None = None,
        headers: Mapping[str, str] | None = None,
        sap_client: str | None = None,
        language: str | None = None,
        timeout: float = 60.0,
        proxy: str | None = None,
        csrf: bool = True,
    ) -> None:
        """``base_url`` is the service root; ``csrf`` off for services that never ask for a token."""
        self.service, self.version = service, version
        self._root = httpx.URL(base_url.rstrip("/") + "/")
        self._v4 = version.startswith("4")
        self._sap_client, self._csrf = sap_client, csrf
        self._read_page = wire_v4.read_page if self._v4 else wire_v2.read_page
        common = dict(wire_v4.version_headers(version) if self._v4 else wire_v2.VERSION_HEADERS)
        if language is not None:
            common["Accept-Language"] = language
            common["sap-language"] = language
        self._http = httpx.AsyncClient(
            transport=transport,
            auth=auth,
            headers={**common, **(headers or {})},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            proxy=proxy,
            follow_redirects=False,
            cookies=no_cookies(),
            trust_env=False,
        )
        self._session = Session(self._fetch_pair)

    async def __aenter__(self) -> "ODataClient":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def read(
        self, request: PreparedRequest, *, max_pages: int = _MAX_PAGES, max_bytes: int = _MAX_BYTES
    ) -> CallResult:
        """Send a read and follow its pages within the limits; ``truncated`` says that more was there.

        Raises Retryable, LoginRequired, ServiceError, AnswerTooLarge (the first page alone is too large), ForeignLink.
        """
        if request.method != "GET":
            raise ValueError(f"read takes GET requests, not {request.method}: writes go through execute")
        name = _name(request)
        url = self._url(request.path)
        answer = await self._get(url, dict(request.headers), max_bytes, name)
        page = page_of(answer, name, self._read_page)
        if not page.many:
            return result_of(answer, page)
        rows, spent, pages = list(page.data), len(answer.body), 1
        while page.next_link is not None:
            if pages >= max_pages or spent >= max_bytes:
                return result_of(answer, page, rows, truncated=True)
            url = self._same_origin(url, page.next_link, name)
            try:
                following = await self._get(url, dict(request.headers), max_bytes - spent, name)
            except AnswerTooLarge:
                return result_of(answer, page, rows, truncated=True)
            page = page_of(following, name, self._read_page)
            rows.extend(page.data if page.many else [])
            spent, pages = spent + len(following.body), pages + 1
        return result_of(answer, page, rows)

    async def execute(self, approved: ApprovedCall, *, repeatability_id: UUID, first_sent: datetime) -> CallResult:
        """Send an approved write once. The same id and time on every attempt make a repeat harmless where supported.

        Raises NotSent or Busy when it took no effect, OutcomeUnknown when nobody knows, LoginRequired, TokenRefused,
        PreconditionFailed, PreconditionRequired or another ServiceError when the service refused it.
        """
        request = approved.request
        name = _name(request)
        pair = await self._pair(name)
        repeat = repeatability_headers(repeatability_id, first_sent, self._v4)
        answer = await self._send_write(request, pair, repeat, name)
        if wants_token(answer) or (is_login(answer) and pair.cookies):
            # Refused before anything happened: the session ended. One fresh session, one more attempt.
            pair = await self._renewed(pair, name)
            answer = await self._send_write(request, pair, repeat, name)
            if wants_token(answer):
                raise TokenRefused(name, "the service refuses the CSRF token that it has just issued")
        error = error_of(answer, name, True)
        if error is not None:
            raise error
        try:
            page = page_of(answer, name, self._read_page)
        except UnreadableAnswer:
            # It took effect; what came back only cannot be shown.
            page = Page(None)
        return result_of(answer, page)

    async def look_up(self, request: PreparedRequest) -> CallResult | None:
        """The one entity that a look-up names, or None. Raises AmbiguousLookUp for several, and what ``read`` raises."""
        try:
            result = await self.read(request, max_pages=1)
        except NotFound:
            return None
        if not isinstance(result.data, list):
            return result if result.data is not None else None
        if len(result.data) > 1 or result.truncated:
            raise AmbiguousLookUp(_name(request), f"{len(result.data)} entities fit, one was expected")
        return result.model_copy(update={"data": result.data[0]}) if result.data else None

    async def fetch_metadata(self, path: str = "$metadata", *, max_bytes: int = _MAX_METADATA) -> bytes:
        """The bytes of ``$metadata`` (``path`` may add a query to it). Raises what ``read`` raises."""
        answer = await self._get(self._url(path), {"Accept": "application/xml"}, max_bytes, "GET $metadata")
        return answer.body

    async def metadata_since(self, etag: str | None, path: str = "$metadata") -> Metadata | None:
        """``$metadata`` as it is now; None when it is still the one of ``etag``. Raises what ``read`` raises."""
        headers = {"Accept": "application/xml"} | ({"If-None-Match": etag} if etag else {})
        answer = await self._get(self._url(path), headers, _MAX_METADATA, "GET $metadata")
        if answer.status == 304:
            return None
        return Metadata(answer.body, answer.headers.get("etag"))

    # -- sending

    async def _get(self, url: httpx.URL, headers: dict[str, str], max_bytes: int, name: str) -> Answer:
        try:
            answer = await self._send(self._http.build_request("GET", url, headers=headers), max_bytes, name)
        except _BEFORE_SENDING as error:
            raise NotSent(name, _cause(error)) from None
        except httpx.RequestError as error:
            raise NoAnswer(name, _cause(error)) from None
        failure = error_of(answer, name, False)
        if failure is not None:
            raise failure
        return answer

    async def _send_write(self, request: PreparedRequest, pair: TokenPair, repeat: dict[str, str], name: str) -> Answer:
        headers = {**dict(request.headers), **repeat, **pair.headers()}
        content = None if request.body is None else request.body.encode("utf-8")
        built = self._http.build_request(request.method, self._url(request.path), headers=headers, content=content)
        try:
            return await self._send(built, _MAX_BYTES, name)
        except _BEFORE_SENDING as error:
            raise NotSent(name, _cause(error)) from None
        except httpx.RequestError as error:
            if _is_login(error, built):
                raise NotSent(name, f"no token: {_cause(error)}") from None
            raise OutcomeUnknown(name, _cause(error)) from None
        except AnswerTooLarge:
            raise OutcomeUnknown(name, "the answer is too large") from None

    async def _send(self, request: httpx.Request, max_bytes: int, name: str) -> Answer:
        response = await self._http.send(request, stream=True)
        try:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > max_bytes:
                    raise AnswerTooLarge(name, f"more than {max_bytes} bytes: ask for fewer rows or columns")
        finally:
            await response.aclose()
        return Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, bytes(body))

    # -- session

    async def _pair(self, name: str) -> TokenPair:
        if not self._csrf:
            return TokenPair(None, ())
        try:
            return await self._session.pair()
        except httpx.RequestError as error:
            raise NotSent(name, f"no CSRF token: {_cause(error)}") from None

    async def _renewed(self, refused: TokenPair, name: str) -> TokenPair:
        try:
            return await self._session.renew(refused)
        except httpx.RequestError as error:
            raise NotSent(name, f"no CSRF token: {_cause(error)}") from None

    async def _fetch_pair(self) -> TokenPair:
        """Ask the service root (with its slash: some gateways redirect without) for a token."""
        headers = {**FETCH, "Accept": "application/json"}
        response = await self._http.get(self._url(""), headers=headers)
        answer = Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, response.content)
        if is_login(answer):
            raise LoginRequired("GET service root", f"status {answer.status}: log on again or check the credentials")
        failure = error_of(answer, "GET service root", False)
        if isinstance(failure, Busy):
            raise failure
        return pair_of(response)

    # -- addresses

    def _url(self, path: str) -> httpx.URL:
        """The absolute URL of a prepared path: joined as text, because every byte of it is approved."""
        target = str(self._root) + path
        if self._sap_client is not None and "sap-client=" not in path:
            target += ("&" if "?" in path else "?") + f"sap-client={quote(self._sap_client)}"
        return httpx.URL(target)

    def _same_origin(self, current: httpx.URL, link: str, name: str) -> httpx.URL:
        """The address of the next page. Credentials go with it, so it must lie where the service lies."""
        url = current.join(link)
        if (url.scheme, url.host, url.port) != (self._root.scheme, self._root.host, self._root.port):
            raise ForeignLink(name, f"the next page lies at {url.host}, not at {self._root.host}")
        if self._sap_client is not None and "sap-client" not in url.params:
            url = url.copy_add_param("sap-client", self._sap_client)
        return url


def repeatability_headers(request_id: UUID, first_sent: datetime, v4: bool) -> dict[str, str]:
    """OASIS Repeatable Requests 1.0; for 2.0 services also the older pair of SAP Gateway."""
    moment = first_sent.astimezone(UTC)
    headers = {
        "Repeatability-Request-ID": str(request_id),
        "Repeatability-First-Sent": format_datetime(moment, usegmt=True),
    }
    if not v4:
        headers["RequestID"] = request_id.hex.upper()
        headers["RepeatabilityCreation"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return headers


def _name(request: PreparedRequest) -> str:
    """How errors name a request: no values of its query."""
    return f"{request.method} {request.path.split('?', 1)[0]}"


def _is_login(error: httpx.RequestError, request: httpx.Request) -> bool:
    """Whether what failed was the request for an access token, which an auth flow sends before the call itself."""
    try:
        return error.request.url != request.url
    except RuntimeError:  # it belongs to no request
        return False


def _cause(error: Exception) -> str:
    words: dict[type[Exception], str] = {
        httpx.ConnectTimeout: "no connection in time",
        httpx.ReadTimeout: "no answer in time",
        httpx.WriteTimeout: "the request could not be written in time",
    }
    return words.get(type(error), f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
