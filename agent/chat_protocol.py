"""Chat completions without sockets: request bodies, what an answer means, and what an error status means.

The subset that OpenAI, Azure, vLLM, Ollama, LM Studio and llama.cpp share: ``POST {base}/chat/completions``, not streamed,
plain text messages, no tools. Nothing of an answer is trusted because of its HTTP status alone.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.errors import ChatConfigError, ChatError, ChatMalformed, ChatRefused, ChatTruncated, ChatUnavailable

Capability = Literal["json_schema", "json_object", "prompt"]
Message = Mapping[str, str]
RETRY_CAP_SECONDS = 3600.0
_RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_EXHAUSTED = re.compile(r"insufficient_quota|billing|credit balance|exceeded your current quota", re.IGNORECASE)
_WAIT_IN_TEXT = re.compile(
    r"(?:retry|try again) (?:after|in) (\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?|m|minutes?)?", re.IGNORECASE
)
_CHARACTERS_PER_TOKEN_AT_MOST = 12
_SMALLEST_WINDOW = 1024


@dataclass(frozen=True)
class ChatConfig:
    """How an endpoint is reached and which of its dialect it speaks. The key never shows in ``repr``."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    api_key_header: Literal["authorization", "api-key"] = "authorization"
    extra_query: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    token_limit_field: Literal["max_tokens", "max_completion_tokens", "none"] = "max_tokens"
    max_output_tokens: int = 1024
    send_temperature: bool = True
    timeout_seconds: float = 120.0
    capability: Capability | None = None

    @property
    def url(self) -> str:
        """Where completions are posted. Raises ``ChatConfigError`` for a base URL that cannot be one."""
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ChatConfigError(f"model.base_url {self.base_url!r} is no http(s) URL; give it up to and with /v1")
        if not self.model:
            raise ChatConfigError("model.name is empty; name the model that the endpoint should use")
        return self.base_url.rstrip("/") + "/chat/completions"

    @property
    def headers(self) -> dict[str, str]:
        """Headers with the key."""
        if not self.api_key:
            return {}
        if self.api_key_header == "api-key":
            return {"api-key": self.api_key}
        return {"Authorization": f"Bearer {self.api_key}"}


@dataclass(frozen=True)
class ChatReply:
    """An answer with content. Missing token counts are None, never 0."""

    content: str
    raw: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    model: str = ""
    fingerprint: str = ""


class _Details(BaseModel):
    model_config = ConfigDict(extra="ignore")
    cached_tokens: int | None = None


class _Usage(BaseModel):
    model_config = ConfigDict(extra="ignore")
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")
    content: str | None = None


class _Choice(BaseModel):
    model_config = ConfigDict(extra="ignore")
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    model_config = ConfigDict(extra="ignore")
    choices: list[_Choice]
    usage: _Usage | None = None
    model: str | None = None
    system_fingerprint: str | None = None


def request_body(
    config: ChatConfig, messages: Sequence[Message], schema: Mapping[str, Any] | None, name: str, capability: Capability
) -> str:
    """The JSON body. Under ``json_object`` and ``prompt`` the schema stands in the last message, as text."""
    body: dict[str, Any] = {"model": config.model, "messages": [dict(m) for m in messages], "stream": False}
    if config.send_temperature:
        body["temperature"] = 0
    if config.token_limit_field != "none":
        body[config.token_limit_field] = config.max_output_tokens
    if schema is not None and capability == "json_schema":
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": name, "strict": True, "schema": schema},
        }
    elif schema is not None:
        if capability == "json_object":
            body["response_format"] = {"type": "json_object"}
        text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        last = body["messages"][-1]
        last["content"] += f"\n\nAnswer with one JSON object and nothing else. JSON Schema of the object:\n{text}"
    body.update(config.extra_body)
    return json.dumps(body, ensure_ascii=False)


def read_reply(text: str, prompt_characters: int) -> ChatReply:
    """The reply in an answer of status 200. Raises ``ChatMalformed`` or ``ChatTruncated``; what was cut is never parsed."""
    try:
        completion = _Completion.model_validate_json(text)
    except ValidationError as error:
        where = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3])
        raise ChatMalformed(f"the answer is no chat completion ({where})", raw=text) from error
    if not completion.choices:
        raise ChatMalformed("the answer has no choices", raw=text)
    choice, usage = completion.choices[0], completion.usage or _Usage()
    if choice.finish_reason == "length":
        raise ChatTruncated("the answer was cut at the token limit; raise model.max_output_tokens", raw=text)
    _check_prompt_was_read(usage, prompt_characters, text)
    if not choice.message.content or not choice.message.content.strip():
        raise ChatMalformed(f"the answer is empty (finish_reason {choice.finish_reason})", raw=text)
    details = usage.prompt_tokens_details
    return ChatReply(
        content=choice.message.content,
        raw=text,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=details.cached_tokens if details else None,
        model=completion.model or "",
        fingerprint=completion.system_fingerprint or "",
    )


def _check_prompt_was_read(usage: _Usage, characters: int, text: str) -> None:
    """Some servers silently cut the prompt to their window; what is left looks like a normal answer."""
    read = usage.prompt_tokens
    if read is None or read <= 0:
        return
    total = read + (usage.completion_tokens or 0)
    fills_window = total >= _SMALLEST_WINDOW and total & (total - 1) == 0
    if read * _CHARACTERS_PER_TOKEN_AT_MOST < characters or fills_window:
        told = f"the server read {read} tokens of a prompt of {characters} characters"
        raise ChatTruncated(f"{told}: its context window is too small (Ollama: set num_ctx in the Modelfile)", raw=text)


def error_of(status: int, headers: Mapping[str, str], text: str, now: datetime) -> ChatError:
    """What a status other than 200 means. A wait that the endpoint names is kept, capped at an hour."""
    message = _message_of(text)
    if status == 429 and _EXHAUSTED.search(text):
        return ChatRefused(f"the model endpoint refuses: quota or credit is used up ({message})", raw=text)
    if status in _RETRYABLE:
        wait = _retry_after(headers, text, now)
        return ChatUnavailable(f"the model endpoint answered {status} ({message})", raw=text, retry_after=wait)
    hints = {
        401: "check model.api_key and model.api_key_header",
        403: "the key may not use this model",
        404: "check model.base_url (it ends in /v1 for most servers) and model.name",
    }
    hint = hints.get(status, "the endpoint does not accept this request")
    return ChatRefused(f"the model endpoint answered {status} ({message}); {hint}", raw=text)


def _message_of(text: str) -> str:
    try:
        body = json.loads(text)
    except ValueError:
        return " ".join(text.split())[:200] or "no body"
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(message).split())[:200]


def _retry_after(headers: Mapping[str, str], text: str, now: datetime) -> float | None:
    """Seconds from ``retry-after-ms``, ``retry-after`` (seconds or HTTP date), or the message's own words."""
    lowered = {k.lower(): v.strip() for k, v in headers.items()}
    seconds: float | None = None
    if lowered.get("retry-after-ms", "").isdigit():
        seconds = int(lowered["retry-after-ms"]) / 1000
    elif re.fullmatch(r"\d+(\.\d+)?", lowered.get("retry-after", "")):
        seconds = float(lowered["retry-after"])
    elif "retry-after" in lowered:
        try:
            seconds = (parsedate_to_datetime(lowered["retry-after"]) - now).total_seconds()
        except (ValueError, TypeError):
            seconds = None
    else:
        match = _WAIT_IN_TEXT.search(text)
        if match:
            unit = (match[2] or "s").lower()
            factor = 0.001 if unit == "ms" else 60 if unit.startswith("m") else 1
            seconds = float(match[1]) * factor
    return None if seconds is None else min(max(seconds, 0.0), RETRY_CAP_SECONDS)


def json_of(content: str) -> Any:
    """The JSON value of an answer; a code fence or words around one object are put aside. Raises ``ChatMalformed``."""
    text = content.strip()
    fenced = re.search(r"```(?:json)?\s*(.*?)```", text, re.DOTALL)
    for candidate in (text, fenced[1] if fenced else "", text[text.find("{") : text.rfind("}") + 1]):
        if candidate.strip():
            try:
                return json.loads(candidate)
            except ValueError:
                continue
    raise ChatMalformed("the answer is no JSON", raw=content)
