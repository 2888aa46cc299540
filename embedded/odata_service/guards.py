"""What stands before a write: CSRF token with its session, If-Match, repeatable requests (OASIS, 1.0)."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import OrderedDict
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from http.cookies import CookieError, SimpleCookie

from embedded.odata_service.errors import BadRequest, Conflict, ODataError, Precondition
from embedded.odata_service.messages import Reply, Request
from embedded.odata_service.store import Row, Store

SESSION_COOKIE = "SAP_SESSIONID"
_MAX_SESSIONS = 10_000


class Sessions:
    """CSRF tokens, one per session cookie, in memory: a restart ends every session, as with a real server."""

    def __init__(self, new_token: Callable[[], str]) -> None:
        self._new_token = new_token
        self._tokens: OrderedDict[str, str] = OrderedDict()

    @staticmethod
    def _session_id(request: Request) -> str:
        try:
            cookie = SimpleCookie(request.header("cookie")).get(SESSION_COOKIE)
        except CookieError:
            return ""
        return cookie.value if cookie is not None else ""

    def fetch(self, request: Request) -> dict[str, str]:
        """Headers that answer `X-CSRF-Token: Fetch`; the token of a living session stays the same."""
        session = self._session_id(request)
        headers: dict[str, str] = {}
        if session not in self._tokens:
            session = self._new_token()
            self._tokens[session] = self._new_token()
            headers["set-cookie"] = f"{SESSION_COOKIE}={session}; Path=/; HttpOnly"
            if len(self._tokens) > _MAX_SESSIONS:
                self._tokens.popitem(last=False)
        headers["x-csrf-token"] = self._tokens[session]
        return headers

    def check(self, request: Request) -> None:
        """Raises 403 `x-csrf-token: Required` unless token and session cookie belong together."""
        token = self._tokens.get(self._session_id(request))
        if token is None or request.header("x-csrf-token") != token:
            raise token_required()

    def expire(self, request: Request) -> None:
        self._tokens.pop(self._session_id(request), None)


def token_required() -> ODataError:
    return ODataError(
        "CSRF token validation failed", status=403, code="CsrfTokenRequired", headers={"x-csrf-token": "Required"}
    )


def check_if_match(request: Request, row: Row, required: bool) -> None:
    """412 when the tag is stale, 428 when it is missing and demanded."""
    wanted = request.header("if-match").strip()
    if not wanted:
        if required:
            raise Precondition("If-Match is required", status=428, code="PreconditionRequired")
        return
    tags = {tag.strip().removeprefix("W/") for tag in wanted.split(",")}
    if wanted != "*" and row.etag.removeprefix("W/") not in tags:
        raise Precondition("the entity was changed since it was read", code="PreconditionFailed")


def fingerprint(request: Request) -> str:
    """What has to be the same for a repeated request to be the same request."""
    digest = hashlib.sha256()
    for part in (request.method.encode(), request.path.encode(), request.query.encode(), request.body):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


class Repeatability:
    """`Repeatability-Request-ID` + `Repeatability-First-Sent`: the first answer is kept beside its effect."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @staticmethod
    def request_id(request: Request) -> str | None:
        """The checked id, or None for an ordinary request. Raises BadRequest for a malformed pair."""
        given, first_sent = request.header("repeatability-request-id"), request.header("repeatability-first-sent")
        if not given and not first_sent:
            return None
        rejected = {"repeatability-result": "rejected"}
        if not given or not first_sent:
            raise BadRequest("Repeatability-Request-ID and Repeatability-First-Sent go together", headers=rejected)
        try:
            parsedate_to_datetime(first_sent)
        except ValueError as error:
            raise BadRequest("Repeatability-First-Sent is no HTTP date", headers=rejected) from error
        if not re.fullmatch(r"[!-~]{1,200}", given):
            raise BadRequest("Repeatability-Request-ID is malformed", headers=rejected)
        try:
            return str(uuid.UUID(given))
        except ValueError:
            return given

    def stored(self, request: Request, request_id: str) -> Reply | None:
        """The first answer. Raises Conflict when the id was used for another request."""
        found = self._store.stored_answer(request_id)
        if found is None:
            return None
        known, status, headers, body = found
        if known != fingerprint(request):
            raise Conflict(
                f"Repeatability-Request-ID {request_id} was used for another request",
                code="RepeatabilityConflict",
                headers={"repeatability-result": "rejected"},
            )
        return Reply(status, body, {**headers, "repeatability-result": "accepted"})

    def keep(self, request: Request, request_id: str, reply: Reply) -> None:
        """Inside the transaction of the effect."""
        reply.headers["repeatability-result"] = "accepted"
        first_sent = request.header("repeatability-first-sent")
        self._store.store_answer(
            request_id, first_sent, fingerprint(request), reply.status, dict(reply.headers), reply.body
        )
