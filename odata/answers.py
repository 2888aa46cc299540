"""What an HTTP answer means: a result, or the error that names its cause (pure; status, headers and bytes in)."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from odata.error_body import parse_error_body
from odata.errors import (
    Busy,
    CallError,
    LoginRequired,
    NotFound,
    OutcomeUnknown,
    PreconditionFailed,
    PreconditionRequired,
    ServiceError,
    UnreadableAnswer,
)
from odata.wire_v2 import Page
from wire.call import CallResult

# A gateway in between gave up waiting: the service behind it may have committed.
_GATEWAY = frozenset({408, 502, 504})
_LOGIN_PAGE = ("text/html", "application/xhtml+xml")


class Answer(NamedTuple):
    """One HTTP answer. Header names are lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; what is no UTF-8 is replaced."""
        return self.body.decode("utf-8-sig", "replace")

    @property
    def media_type(self) -> str:
        """The media type without parameters."""
        return self.headers.get("content-type", "").split(";", 1)[0].strip().lower()


def wants_token(answer: Answer) -> bool:
    """Whether the service refused the write for its CSRF token."""
    return answer.status == 403 and answer.headers.get("x-csrf-token", "").casefold() == "required"


def is_login(answer: Answer) -> bool:
    """Whether a login stands in place of an answer. A redirect is one: OData does not redirect calls."""
    return answer.status in (301, 302, 303, 307, 308, 401) or (answer.status < 400 and answer.media_type in _LOGIN_PAGE)


def error_of(answer: Answer, request: str, write: bool) -> CallError | None:
    """The error that an answer is, or None for success."""
    status = answer.status
    if is_login(answer):
        what = "an HTML page in place of an answer" if status < 300 else f"status {status}"
        return LoginRequired(request, f"{what}: log on again or check the credentials")
    if status < 400:
        return None
    if status in (429, 503):
        return Busy(request, status, retry_after(answer.headers.get("retry-after"), answer.headers.get("date")))
    if status in _GATEWAY and write:
        return OutcomeUnknown(request, f"a gateway answered {status}", status)
    body = parse_error_body(answer.text, answer.media_type)
    kind = {404: NotFound, 410: NotFound, 412: PreconditionFailed, 428: PreconditionRequired}.get(status, ServiceError)
    return kind(request, status, body)


def retry_after(value: str | None, date: str | None) -> float | None:
    """Seconds of a Retry-After header: a number, or an HTTP date (RFC 9110 section 10.2.3) seen from the answer's Date.

    The service's own clock is the one that its date means; ours plays no part.
    """
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    until, since = _http_date(value), _http_date(date)
    return None if until is None or since is None else max((until - since).total_seconds(), 0.0)


def _http_date(value: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def page_of(answer: Answer, request: str, read_page: Callable[[Any], Page]) -> Page:
    """The page in a successful answer. Raises UnreadableAnswer."""
    if answer.status == 204 or not answer.body.strip():
        return Page(None)
    if answer.media_type == "text/plain":
        return Page(answer.text)
    try:
        return read_page(json.loads(answer.text))
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(
            request, f"the answer ({answer.media_type or 'no media type'}) is no OData: {error}"
        ) from error


def result_of(answer: Answer, page: Page, data: Any = None, truncated: bool = False) -> CallResult:
    """The result of an answer and its page; ``data`` replaces the page's data when several pages were read."""
    return CallResult(
        status=answer.status,
        data=page.data if data is None else data,
        truncated=truncated,
        etag=answer.headers.get("etag") or page.etag,
        location=answer.headers.get("location") or answer.headers.get("odata-entityid"),
        body_digest=hashlib.sha256(answer.body).hexdigest(),
    )
