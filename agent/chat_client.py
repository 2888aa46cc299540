"""The chat client: one request, one answer, no retries (waiting belongs to the caller). The only module here with sockets."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import httpx

from agent.chat_protocol import Capability, ChatConfig, ChatReply, Message, error_of, json_of, read_reply, request_body
from agent.errors import ChatAnswerError, ChatError, ChatMalformed, ChatRefused, ChatUnavailable

_LARGEST_ANSWER = 4_000_000
_PROBE_TOKENS = 256
_PROBE_WORD = "q7zk"
# Only an enforced enum could give this word; the other members use the keywords that the real schemas use.
_PROBE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "enum": [_PROBE_WORD]},
        "year": {"anyOf": [{"type": "string", "pattern": "^\\d{4}$", "maxLength": 4}, {"type": "null"}]},
        "rows": {"type": "array", "items": {"type": ["boolean", "null"]}, "maxItems": 1},
    },
    "required": ["word", "year", "rows"],
    "additionalProperties": False,
}
_SCHEMA_PROBE: Sequence[Message] = ({"role": "user", "content": "Say the word blue."},)
_OBJECT_PROBE: Sequence[Message] = ({"role": "user", "content": "Greet me in one plain sentence, do not use JSON."},)


@dataclass(frozen=True)
class Exchange:
    """One request as sent (its body, without headers) with the reply or the error, and the time it took."""

    request: str
    reply: ChatReply | None
    error: ChatError | None
    milliseconds: int


class ChatClient:
    """Speaks to one endpoint. ``transport`` is for tests; ``now`` reads the clock for ``retry-after`` dates."""

    def __init__(
        self,
        config: ChatConfig,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], datetime] | None = None,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.config = config
        self._now = now or (lambda: datetime.fromtimestamp(time.time_ns() / 1e9, UTC))
        self._monotonic = monotonic
        self._capability = config.capability
        timeout = httpx.Timeout(connect=5.0, read=config.timeout_seconds, write=30.0, pool=5.0)
        # No redirects: the key must not follow one to another host.
        self._http = httpx.AsyncClient(transport=transport, timeout=timeout, follow_redirects=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def capability(self) -> Capability:
        """How the endpoint can be held to a JSON schema, found once by what it does, not by its status 200.

        Raises ``ChatUnavailable`` when it cannot be reached, and ``ChatRefused`` when it takes no plain request either.
        """
        if self._capability is None:
            self._capability = await self._probe()
        return self._capability

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, name: str) -> Exchange:
        """One completion held to ``schema`` as well as the endpoint can. Errors come inside the exchange."""
        try:
            capability = await self.capability() if schema is not None else "prompt"
            body = request_body(self.config, messages, schema, name, capability)
        except ChatError as error:
            return Exchange("", None, error, 0)
        return await self._send(body, sum(len(m["content"]) for m in messages))

    async def _probe(self) -> Capability:
        # A probe needs few tokens; a model that reasons first needs some more.
        config = replace(self.config, max_output_tokens=min(self.config.max_output_tokens, _PROBE_TOKENS))
        first = await self._send(request_body(config, _SCHEMA_PROBE, _PROBE_SCHEMA, "probe", "json_schema"), 0)
        if isinstance(first.error, ChatUnavailable):
            raise first.error
        if first.reply and _word_of(first.reply.content) == _PROBE_WORD:
            return "json_schema"
        second = await self._send(request_body(config, _OBJECT_PROBE, {}, "probe", "json_object"), 0)
        if isinstance(second.error, ChatUnavailable):
            raise second.error
        if second.reply and second.reply.content.lstrip().startswith("{"):
            return "json_object"
        third = await self._send(request_body(config, _SCHEMA_PROBE, None, "probe", "prompt"), 0)
        if third.error and not isinstance(third.error, ChatAnswerError):
            raise third.error
        return "prompt"

    async def _send(self, body: str, prompt_characters: int) -> Exchange:
        start = self._monotonic()
        try:
            reply, error = read_reply(await self._post(body), prompt_characters), None
        except ChatError as failed:
            reply, error = None, failed
        return Exchange(body, reply, error, round((self._monotonic() - start) * 1000))

    async def _post(self, body: str) -> str:
        """The text of a 200 answer; anything else is raised as a ``ChatError``. The key is in no message."""
        config = self.config
        headers = {"Content-Type": "application/json", "Accept": "application/json", **config.headers}
        params = dict(config.extra_query) or None
        try:
            async with self._http.stream("POST", config.url, content=body, headers=headers, params=params) as response:
                text = await _bounded(response)
                status, answered = response.status_code, dict(response.headers)
        except httpx.TimeoutException as error:
            raise ChatUnavailable(f"the model endpoint {config.base_url} did not answer in time") from error
        except httpx.TransportError as error:
            raise ChatUnavailable(f"the model endpoint {config.base_url} cannot be reached: {error}") from error
        except httpx.InvalidURL as error:
            raise ChatRefused(f"model.base_url {config.base_url!r} is no usable URL: {error}") from error
        if status != 200:
            raise error_of(status, answered, text, self._now())
        return text


async def _bounded(response: httpx.Response) -> str:
    """The body, read up to a bound: an endless answer must not fill the memory."""
    size, parts = 0, []
    async for part in response.aiter_bytes():
        size += len(part)
        if size > _LARGEST_ANSWER:
            raise ChatMalformed(f"the answer is larger than {_LARGEST_ANSWER} bytes")
        parts.append(part)
    return b"".join(parts).decode("utf-8", errors="replace")


def _word_of(content: str) -> str:
    try:
        value = json_of(content)
    except ChatMalformed:
        return ""
    return str(value.get("word", "")) if isinstance(value, dict) else ""
