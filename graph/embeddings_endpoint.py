"""Vectors from an OpenAI-compatible ``/embeddings`` endpoint. No retries here: waiting belongs to the caller."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import httpx
import numpy as np

from graph.embeddings_port import Fingerprint, Vectors, no_vectors, unit
from graph.retrieval.errors import ModelUnavailable, WeightsMismatch


@dataclass(frozen=True)
class EndpointModel:
    """Where a model is served and how texts are put to it; ``base_url`` up to and with ``/v1``.

    ``query_fields``, ``passage_fields``: what servers that tell queries from passages want beside the texts
    (``input_type``, ``task``).
    """

    base_url: str
    model: str
    dims: int
    max_seq: int = 512
    revision: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    api_key: str = field(default="", repr=False)
    api_key_header: Literal["authorization", "api-key"] = "authorization"
    extra_query: Mapping[str, str] = field(default_factory=dict)
    query_fields: Mapping[str, str] = field(default_factory=dict)
    passage_fields: Mapping[str, str] = field(default_factory=dict)
    batch: int = 64
    timeout_seconds: float = 60.0

    @property
    def fingerprint(self) -> Fingerprint:
        """Weights that are served cannot be hashed: endpoint, model name and revision stand for them."""
        told = (self.extra_query, self.query_fields, self.passage_fields)
        named = json.dumps([self.base_url, self.model, self.revision, *(sorted(each.items()) for each in told)])
        weights = "endpoint:" + hashlib.sha256(named.encode()).hexdigest()
        return Fingerprint(weights, self.dims, self.query_prefix, self.passage_prefix, "served", self.max_seq)


class EndpointEmbedder:
    """``transport`` stands in for the network in tests."""

    def __init__(self, model: EndpointModel, transport: httpx.BaseTransport | None = None) -> None:
        self._model = model
        self.fingerprint = model.fingerprint
        key = {"Authorization": f"Bearer {model.api_key}"} if model.api_key_header == "authorization" else {}
        # No redirects: the key must not follow one to another host.
        self._http = httpx.Client(
            transport=transport,
            timeout=httpx.Timeout(model.timeout_seconds, connect=5.0),
            follow_redirects=False,
            headers=(key or {"api-key": model.api_key}) if model.api_key else {},
        )

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``. Raises ``ModelUnavailable``, and ``WeightsMismatch`` for vectors of another length."""
        return self._embed([self.fingerprint.query_prefix + text for text in texts], self._model.query_fields)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``embed_queries``."""
        return self._embed([self.fingerprint.passage_prefix + text for text in texts], self._model.passage_fields)

    def _embed(self, texts: Sequence[str], fields: Mapping[str, str]) -> Vectors:
        size = self._model.batch
        parts = [self._ask(texts[start : start + size], fields) for start in range(0, len(texts), size)]
        return unit(np.vstack([no_vectors(self._model.dims), *parts]))

    def _ask(self, texts: Sequence[str], fields: Mapping[str, str]) -> Vectors:
        model = self._model
        url = f"{model.base_url}/embeddings"
        # Some servers refuse an empty input; a blank says as little.
        named = {"model": model.model, "input": [text or " " for text in texts], "encoding_format": "float"}
        body = {**fields, **named}
        try:
            answer = self._http.post(url, params=dict(model.extra_query), json=body)
        except httpx.HTTPError as error:
            raise ModelUnavailable(f"{url}: {type(error).__name__}: {error}") from error
        if answer.status_code != 200:
            raise ModelUnavailable(f"{url}: status {answer.status_code}: {answer.text[:200]}")
        return self._read(url, answer, len(texts))

    def _read(self, url: str, answer: httpx.Response, count: int) -> Vectors:
        try:
            rows = {int(item["index"]): item["embedding"] for item in answer.json()["data"]}
            vectors = np.array([rows[place] for place in range(count)], dtype=np.float32)
        except (ValueError, TypeError, KeyError) as error:
            raise ModelUnavailable(f"{url}: the answer holds no {count} vectors ({error!r})") from error
        if vectors.ndim != 2 or len(rows) != count or not np.isfinite(vectors).all():
            raise ModelUnavailable(f"{url}: the answer holds no {count} vectors of finite numbers")
        if vectors.shape[1] != self._model.dims:
            raise WeightsMismatch(f"{url}: vectors have {vectors.shape[1]} dimensions, dims says {self._model.dims}")
        return vectors
