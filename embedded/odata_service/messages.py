"""Requests and replies as values, and error bodies. No sockets: `app` reads and writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embedded.odata_service.errors import ODataError


@dataclass(frozen=True, slots=True)
class Request:
    """`path` is raw (percent-encoded) below the server root; header names are lower case."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    base_url: str = ""

    def header(self, name: str) -> str:
        return self.headers.get(name, "")


@dataclass(slots=True)
class Reply:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def json_reply(status: int, content: Any, headers: Mapping[str, str] | None = None) -> Reply:
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return Reply(status, body, {"content-type": "application/json;charset=utf-8", **(headers or {})})


def error_reply(error: ODataError, v4: bool) -> Reply:
    """SAP's V2 form (message object, innererror.errordetails) or the V4 form (target, details)."""
    details = [{"code": item.code, "message": item.message, "target": item.target} for item in error.details]
    content: dict[str, Any] = {"code": error.code, "message": error.message}
    if v4:
        content |= {"target": error.target} if error.target else {}
        content |= {"details": details} if details else {}
    else:
        content["message"] = {"lang": "en", "value": error.message}
        content["innererror"] = {
            "errordetails": [
                item | {"propertyref": str(item["target"]).rpartition("/")[2], "severity": "error"}
                for item in details or [{"code": error.code, "message": error.message, "target": error.target}]
            ]
        }
    return json_reply(error.status, {"error": content}, error.headers)
