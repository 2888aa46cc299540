"""One ONNX embedder and one index of the shop for all search tests."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from graph.embeddings import Embedder, Vectors, make_embedder
from graph.index import build_index
from graph.retrieval.base import Corpus
from tests.unit.graph.search.shop import MemoryView


class CountingEmbedder:
    """Counts the passages that really went through the model."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.fingerprint = inner.fingerprint
        self.passages = 0

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._inner.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passages += len(texts)
        return self._inner.embed_passages(texts)


@pytest.fixture(scope="session")
def onnx() -> Embedder:
    return make_embedder("minilm-int8")


@pytest.fixture
def counting(onnx: Embedder) -> CountingEmbedder:
    return CountingEmbedder(onnx)


@pytest.fixture(scope="session")
def shop() -> MemoryView:
    return MemoryView()


@pytest.fixture(scope="session")
def corpus(shop: MemoryView, onnx: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("snapshot")
    return Corpus(shop, build_index(shop, onnx, folder), onnx)
