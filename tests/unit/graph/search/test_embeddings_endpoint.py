"""An endpoint's vectors come back in order and whole, or as one error; its key goes to no other host."""

import json
from collections.abc import Callable
from dataclasses import replace

import httpx
import numpy as np
import pytest

from graph.embeddings_endpoint import EndpointEmbedder, EndpointModel
from graph.retrieval.errors import ModelUnavailable, WeightsMismatch

MODEL = EndpointModel("http://models.example/v1", "small", 2, query_prefix="q: ", passage_prefix="p: ", batch=2)
Answer = Callable[[httpx.Request], httpx.Response]


def vectors_of(request: httpx.Request) -> list[dict[str, object]]:
    texts = json.loads(request.content)["input"]
    return [{"index": place, "embedding": [len(text), 0.0]} for place, text in enumerate(texts)]


def good(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"data": vectors_of(request)[::-1]})


def embedder(answer: Answer, model: EndpointModel = MODEL) -> EndpointEmbedder:
    return EndpointEmbedder(model, httpx.MockTransport(answer))


def test_batches_and_prefixes() -> None:
    asked: list[list[str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content)["input"])
        return good(request)

    found = embedder(answer).embed_queries(["a", "b", "c"])
    assert asked == [["q: a", "q: b"], ["q: c"]]
    assert found.tolist() == [[1, 0]] * 3


def test_a_server_is_told_what_is_a_query() -> None:
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content).get("input_type"))
        return good(request)

    found = embedder(answer, replace(MODEL, query_fields={"input_type": "query"}))
    found.embed_queries(["a"])
    found.embed_passages(["a"])
    assert asked == ["query", None]


def test_vectors_are_put_in_order_of_their_index() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        rows = [{"index": 1, "embedding": [0, 5]}, {"index": 0, "embedding": [3, 0]}]
        return httpx.Response(200, json={"data": rows})

    assert embedder(answer).embed_passages(["a", "b"]).tolist() == [[1, 0], [0, 1]]


def test_no_texts_ask_nothing() -> None:
    found = embedder(lambda request: httpx.Response(500)).embed_passages([])
    assert found.shape == (0, 2)
    assert found.dtype == np.float32


@pytest.mark.parametrize(
    ("header", "name", "value"), [("authorization", "Authorization", "Bearer k"), ("api-key", "api-key", "k")]
)
def test_the_key_goes_into_its_header(header: str, name: str, value: str) -> None:
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get(name))
        return good(request)

    embedder(answer, replace(MODEL, api_key="k", api_key_header=header)).embed_queries(["a"])
    assert seen == [value]


def test_a_redirect_is_not_followed() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": "http://thief.example/"})

    with pytest.raises(ModelUnavailable, match="status 302"):
        embedder(answer, replace(MODEL, api_key="k")).embed_queries(["a"])


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": [1, "x"]}]},
        {"data": [{"index": 0, "embedding": [1, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [1, 0]}]},
    ],
)
def test_an_answer_without_the_vectors_is_one_error(data: object) -> None:
    with pytest.raises(ModelUnavailable, match="holds no 1 vectors"):
        embedder(lambda request: httpx.Response(200, content=json.dumps(data))).embed_queries(["a"])


def test_no_connection_is_one_error() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(ModelUnavailable, match="models.example/v1/embeddings: ConnectError: refused"):
        embedder(answer).embed_queries(["a"])


def test_vectors_of_another_length_are_refused() -> None:
    with pytest.raises(WeightsMismatch, match="have 2 dimensions, dims says 3"):
        embedder(good, replace(MODEL, dims=3)).embed_queries(["a"])


def test_what_makes_vectors_differ_makes_the_fingerprint_differ() -> None:
    others = [
        {"model": "large"},
        {"revision": "2"},
        {"dims": 3},
        {"passage_prefix": ""},
        {"base_url": "http://other.example/v1"},
        {"query_fields": {"task": "query"}},
        {"passage_fields": {"task": "query"}},
    ]
    assert len({MODEL.fingerprint.key, *(replace(MODEL, **change).fingerprint.key for change in others)}) == 8
    assert replace(MODEL, api_key="k", batch=7).fingerprint == MODEL.fingerprint


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(replace(MODEL, api_key="secret"))
