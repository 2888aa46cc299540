"""Error answers of every shape as one value: OData 2.0, 3.0 and 4 JSON, XML, HTML and plain text."""

import json
import re
from typing import Any

from wire.base import Wire

_TAG = re.compile(r"<[^>]*>")
_MOST = 500


class ErrorDetail(Wire):
    """One further message. ``target`` names the property, as the service wrote it."""

    code: str = ""
    message: str = ""
    target: str = ""


class ErrorBody(Wire):
    """What a service says about a failure."""

    code: str = ""
    message: str = ""
    target: str = ""
    details: tuple[ErrorDetail, ...] = ()

    def summary(self) -> str:
        """One line: code and messages."""
        texts = [self.message, *(d.message for d in self.details if d.message and d.message != self.message)]
        said = "; ".join(t for t in texts if t) or "no message"
        return f"{self.code}: {said}" if self.code else said


def parse_error_body(text: str, content_type: str = "") -> ErrorBody:
    """The error in a body. Never raises: what cannot be read becomes the message, cut."""
    stripped = text.lstrip("\ufeff \r\n\t")
    if stripped.startswith("{"):
        try:
            return _from_json(json.loads(stripped))
        except (json.JSONDecodeError, RecursionError):
            return ErrorBody(message=stripped[:_MOST])
    if stripped.startswith("<"):
        return _from_markup(stripped)
    return ErrorBody(message=stripped[:_MOST].strip())


def _from_json(document: Any) -> ErrorBody:
    error = document.get("error", document.get("odata.error")) if isinstance(document, dict) else None
    if isinstance(error, str):
        # OAuth 2.0 token endpoints: {"error": "invalid_client", "error_description": "..."}
        return ErrorBody(code=error, message=_text(document.get("error_description")))
    if not isinstance(error, dict):
        return ErrorBody(message=json.dumps(document, ensure_ascii=False)[:_MOST])
    inner = error.get("innererror")
    details = [*_list(error.get("details"))]
    if isinstance(inner, dict):
        nested = inner.get("errordetails")
        # SAP Gateway lists them bare, older releases below "errordetail".
        details += _list(nested.get("errordetail") if isinstance(nested, dict) else nested)
    return ErrorBody(
        code=_text(error.get("code")),
        message=_text(error.get("message")),
        target=_text(error.get("target")),
        details=tuple(_detail(d) for d in details if isinstance(d, dict)),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _detail(value: dict[str, Any]) -> ErrorDetail:
    target = value.get("target") or value.get("propertyref")
    return ErrorDetail(code=_text(value.get("code")), message=_text(value.get("message")), target=_text(target))


def _text(value: Any) -> str:
    """A message is a string, or in 2.0 an object with language and value (which adapters nest once more)."""
    if isinstance(value, dict):
        return _text(value.get("value"))
    return "" if value is None else str(value)[:_MOST]


def _from_markup(text: str) -> ErrorBody:
    """Code and message elements of an XML error, or the title of an HTML page. Markup is never handed on."""
    code = _element(text, "code")
    message = _element(text, "message") or _element(text, "title")
    return ErrorBody(code=code, message=message or " ".join(_TAG.sub(" ", text).split())[:_MOST])


def _element(text: str, name: str) -> str:
    match = re.search(rf"<(?:\w+:)?{name}\b[^>]*>(.{{0,2000}}?)</(?:\w+:)?{name}>", text, re.DOTALL | re.IGNORECASE)
    return " ".join(_TAG.sub(" ", match[1]).split())[:_MOST] if match else ""
