"""Fault injection: what a real service does on a bad day, on demand and for a given number of requests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from embedded.odata_service.errors import BadRequest
from embedded.odata_service.messages import Reply, Request, json_reply

KINDS = (
    "latency",
    "429",
    "503",
    "lost_response",
    "lost_request",
    "no_effect",
    "expired_token",
    "stale_etag",
    "html_login",
)
"""``lost_response``: the effect is committed, no answer comes; ``lost_request``: nothing happened, no answer comes either;
``no_effect``: nothing happened, and the answer says that it did."""
FAULT_HEADER = "x-fault"
_ON_WRITES_ONLY = ("lost_response", "lost_request", "no_effect", "expired_token", "stale_etag")
_LOGIN_PAGE = b"<!DOCTYPE html><html><head><title>Logon</title></head><body><form>Please log on</form></body></html>"


@dataclass(slots=True)
class Fault:
    """`service` empty = any; `seconds` is the delay of `latency` and the Retry-After of 429 and 503."""

    kind: str
    service: str = ""
    times: int = 1
    seconds: float = 1.0

    def applies(self, service: str, is_write: bool) -> bool:
        return self.times > 0 and self.service in ("", service) and (is_write or self.kind not in _ON_WRITES_ONLY)


class Faults:
    """Waiting faults in the order of arrival; each request takes at most one."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, body: bytes) -> Reply:
        """`POST /_faults` with `{"service", "kind", "times", "seconds"}`."""
        try:
            given: Any = json.loads(body)
            fault = Fault(
                str(given["kind"]),
                str(given.get("service", "")),
                int(given.get("times", 1)),
                float(given.get("seconds", 1.0)),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadRequest(f'expected {{"kind", "service", "times", "seconds"}}: {error!r}') from error
        if fault.kind not in KINDS:
            raise BadRequest(f"unknown fault {fault.kind!r}: {', '.join(KINDS)}")
        self._waiting.append(fault)
        return json_reply(201, {"kind": fault.kind, "service": fault.service, "times": fault.times})

    def clear(self) -> Reply:
        """`DELETE /_faults`."""
        self._waiting.clear()
        return Reply(204)

    def take(self, request: Request, service: str, is_write: bool) -> Fault | None:
        """The fault for this request: from its header, or the first waiting one that applies."""
        kind = request.header(FAULT_HEADER)
        if kind:
            if kind not in KINDS:
                raise BadRequest(f"{FAULT_HEADER}: unknown fault {kind!r}: {', '.join(KINDS)}")
            return Fault(kind)
        for fault in self._waiting:
            if fault.applies(service, is_write):
                fault.times -= 1
                return fault
        return None


def fault_reply(fault: Fault) -> Reply | None:
    """The answer of faults that answer instead of the service; None for the others."""
    if fault.kind in ("429", "503"):
        message = "too many requests" if fault.kind == "429" else "service unavailable"
        headers = {"retry-after": str(max(1, round(fault.seconds)))}
        return json_reply(int(fault.kind), {"error": {"code": fault.kind, "message": message}}, headers)
    if fault.kind == "html_login":
        return Reply(200, _LOGIN_PAGE, {"content-type": "text/html;charset=utf-8"})
    return None
