"""A chat endpoint played by a function: what it was asked, and the answers that it gives in order."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx

from agent.chat_client import ChatClient
from agent.chat_protocol import ChatConfig

BASE = "https://models.example/v1"
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Answer = httpx.Response | Exception | Callable[[dict[str, Any]], httpx.Response]


def completion(content: str | None, finish: str = "stop", **usage: Any) -> httpx.Response:
    """A chat completion."""
    body = {
        "model": "m-1",
        "system_fingerprint": "fp",
        "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 2000, "completion_tokens": 7},
    }
    return httpx.Response(200, json=body)


def said(value: Any) -> httpx.Response:
    """A completion whose content is this JSON value."""
    return completion(json.dumps(value))


class Endpoint:
    """Gives its answers in order, the last one again and again, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Bodies of the requests."""
        return [json.loads(r.content) for r in self.requests]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(json.loads(request.content)) if callable(answer) else answer

    def client(self, **config: Any) -> ChatClient:
        """A client that speaks to it."""
        settings = ChatConfig(**{"base_url": BASE, "model": "m-1", "api_key": "secret-key", **config})
        return ChatClient(settings, httpx.MockTransport(self), now=lambda: NOON, monotonic=lambda: 1.0)
