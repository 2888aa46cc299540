"""The chat client: the capability ladder, the dialects, errors with their waits, and no retries."""

from typing import Any

import httpx
import pytest

from agent.chat_protocol import ChatConfig
from agent.errors import ChatConfigError, ChatError, ChatMalformed, ChatRefused, ChatTruncated, ChatUnavailable
from tests.unit.agent.chat import BASE, Answer, Endpoint, completion, said

MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "u" * 400}]
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
ENFORCED = said({"word": "q7zk", "year": None, "rows": []})
BLUE = completion("blue")


async def error_after(*answers: Answer, **config: Any) -> ChatError:
    endpoint = Endpoint(*answers)
    exchange = await endpoint.client(capability="json_schema", **config).complete(MESSAGES, SCHEMA, "s")
    assert exchange.error is not None
    assert len(endpoint.requests) == 1
    return exchange.error


@pytest.mark.parametrize(
    ("answers", "capability"),
    [
        ([ENFORCED], "json_schema"),
        ([BLUE, completion('{"a":1}')], "json_object"),
        ([httpx.Response(400, json={"error": "response_format"}), completion('{"a":1}')], "json_object"),
        ([BLUE, BLUE], "prompt"),
        ([completion("x", "length"), httpx.Response(400), BLUE], "prompt"),
    ],
)
async def test_the_ladder_goes_by_what_the_endpoint_does(answers: list[Answer], capability: str) -> None:
    assert await Endpoint(*answers).client().capability() == capability


async def test_the_capability_is_found_once() -> None:
    endpoint = Endpoint(ENFORCED)
    client = endpoint.client()
    assert await client.capability() == await client.capability()
    assert len(endpoint.requests) == 1


async def test_a_dead_endpoint_is_no_capability() -> None:
    with pytest.raises(ChatUnavailable):
        await Endpoint(httpx.ConnectError("refused")).client().capability()


async def test_a_wrong_key_is_told_at_the_probe() -> None:
    with pytest.raises(ChatRefused, match="model.api_key"):
        await Endpoint(httpx.Response(401, json={"error": {"message": "bad key"}})).client().capability()


async def test_a_strict_schema_request() -> None:
    endpoint = Endpoint(said({}))
    await endpoint.client(capability="json_schema").complete(MESSAGES, SCHEMA, "fill")
    body = endpoint.bodies[0]
    assert body["response_format"]["json_schema"] == {"name": "fill", "strict": True, "schema": SCHEMA}
    assert (body["stream"], body["temperature"], body["max_tokens"]) == (False, 0, 1024)
    assert str(endpoint.requests[0].url) == f"{BASE}/chat/completions"


@pytest.mark.parametrize("capability", ["json_object", "prompt"])
async def test_without_enforcement_the_schema_stands_in_the_prompt(capability: str) -> None:
    endpoint = Endpoint(said({}))
    await endpoint.client(capability=capability).complete(MESSAGES, SCHEMA, "fill")
    assert '"additionalProperties":false' in endpoint.bodies[0]["messages"][-1]["content"]
    assert ("response_format" in endpoint.bodies[0]) == (capability == "json_object")


async def test_the_dialect_of_an_azure_deployment() -> None:
    endpoint = Endpoint(said({}))
    client = endpoint.client(
        capability="prompt",
        api_key_header="api-key",
        extra_query={"api-version": "2026-01-01"},
        extra_body={"reasoning_effort": "low"},
        token_limit_field="max_completion_tokens",
        send_temperature=False,
    )
    await client.complete(MESSAGES, None, "x")
    request, body = endpoint.requests[0], endpoint.bodies[0]
    assert (request.headers["api-key"], request.url.params["api-version"]) == ("secret-key", "2026-01-01")
    assert (body["max_completion_tokens"], body["reasoning_effort"]) == (1024, "low")
    assert not {"temperature", "max_tokens"} & set(body)


async def test_usage_is_taken_as_given_and_missing_is_none() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}
    endpoint = Endpoint(completion("{}", **usage), completion("{}", prompt_tokens=None))
    client = endpoint.client(capability="prompt")
    first, second = [(await client.complete(MESSAGES, None, "x")).reply for _ in range(2)]
    assert first is not None
    assert second is not None
    assert (first.prompt_tokens, first.cached_tokens, second.prompt_tokens) == (900, 3, None)


@pytest.mark.parametrize(
    ("status", "headers", "body", "wait"),
    [
        (429, {"retry-after": "7"}, {}, 7.0),
        (503, {"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT"}, {}, 60.0),
        (429, {"retry-after-ms": "1500"}, {}, 1.5),
        (429, {}, {"error": {"message": "Please retry after 26 seconds."}}, 26.0),
        (500, {}, {}, None),
        (429, {"retry-after": "999999"}, {}, 3600.0),
        (503, {"retry-after": "soon"}, {}, None),
    ],
)
async def test_a_busy_endpoint_and_its_wait(
    status: int, headers: dict[str, str], body: dict[str, Any], wait: float | None
) -> None:
    error = await error_after(httpx.Response(status, headers=headers, json=body))
    assert isinstance(error, ChatUnavailable)
    assert error.retry_after == wait


@pytest.mark.parametrize(
    ("status", "body"),
    [(429, {"error": {"code": "insufficient_quota"}}), (400, {}), (401, {}), (404, {}), (302, {})],
)
async def test_what_another_attempt_would_not_mend(status: int, body: dict[str, Any]) -> None:
    error = await error_after(httpx.Response(status, json=body))
    assert isinstance(error, ChatRefused)
    assert not error.retryable


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (completion('{"a"', "length"), ChatTruncated),
        (completion("{}", prompt_tokens=20, completion_tokens=1), ChatTruncated),
        (completion("{}", prompt_tokens=4090, completion_tokens=6), ChatTruncated),
        (completion(None), ChatMalformed),
        (completion("  "), ChatMalformed),
        (httpx.Response(200, json={"choices": []}), ChatMalformed),
        (httpx.Response(200, text="<html>"), ChatMalformed),
        (httpx.Response(200, content=b"x" * 4_000_001), ChatMalformed),
        (httpx.ReadTimeout("slow"), ChatUnavailable),
        (httpx.ConnectError("refused"), ChatUnavailable),
    ],
)
async def test_answers_that_cannot_be_used(answer: Answer, kind: type[ChatError]) -> None:
    assert type(await error_after(answer)) is kind


async def test_the_key_is_in_no_message_and_no_record() -> None:
    endpoint = Endpoint(httpx.Response(500, text="boom"))
    client = endpoint.client(capability="prompt")
    exchange = await client.complete(MESSAGES, None, "x")
    assert endpoint.requests[0].headers["authorization"] == "Bearer secret-key"
    assert "secret-key" not in f"{exchange}{client.config!r}"


@pytest.mark.parametrize("config", [{"base_url": "models.example"}, {"base_url": "ftp://x/v1"}, {"model": ""}])
def test_settings_that_cannot_work(config: dict[str, str]) -> None:
    with pytest.raises(ChatConfigError, match=r"model\."):
        _ = ChatConfig(**{"base_url": BASE, "model": "m", **config}).url
