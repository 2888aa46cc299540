"""Only what was never seen is encoded, whatever happened before."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph.embeddings import Fingerprint, Vectors
from graph.vector_cache import VectorCache


class LengthEmbedder:
    """A vector says how long its text is. Counts texts; fails from the call on that ``fails_at`` names."""

    def __init__(self, dims: int = 2, fails_at: int | None = None) -> None:
        self.fingerprint = Fingerprint("length", dims, "", "", "none", 1)
        self.calls: list[int] = []
        self._fails_at = fails_at

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError("a cache holds passages only")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if len(self.calls) == self._fails_at:
            raise RuntimeError("killed")
        self.calls.append(len(texts))
        return np.array([[len(text)] * self.fingerprint.dims for text in texts], dtype=np.float32)


TEXTS = ["a", "bbb", "cc", "a"]


def test_rows_stand_in_order_and_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    embedder = LengthEmbedder()
    assert VectorCache(tmp_path).embed(embedder, TEXTS)[:, 0].tolist() == [1, 3, 2, 1]
    assert embedder.calls == [3]


def test_what_is_known_is_not_encoded_again(tmp_path: Path) -> None:
    VectorCache(tmp_path).embed(LengthEmbedder(), TEXTS)
    again = LengthEmbedder()
    assert VectorCache(tmp_path).embed(again, ["dddd", *TEXTS])[:, 0].tolist() == [4, 1, 3, 2, 1]
    assert again.calls == [1]


def test_a_kill_loses_one_block(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(600)]
    with pytest.raises(RuntimeError, match="killed"):
        VectorCache(tmp_path).embed(LengthEmbedder(fails_at=2), texts)
    again = LengthEmbedder()
    assert VectorCache(tmp_path).embed(again, texts).shape == (600, 2)
    assert again.calls == [88]


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    VectorCache(tmp_path).embed(LengthEmbedder(), TEXTS)
    other = LengthEmbedder()
    other.fingerprint = replace(other.fingerprint, passage_prefix="passage: ")
    VectorCache(tmp_path).embed(other, TEXTS)
    assert other.calls == [3]


def test_a_vector_of_another_length_is_encoded_again(tmp_path: Path) -> None:
    embedder = LengthEmbedder()
    VectorCache(tmp_path).embed(embedder, TEXTS)
    with sqlite3.connect(tmp_path / f"{embedder.fingerprint.key}.sqlite") as database:
        database.execute("UPDATE vectors SET vector = x'00000000'")
    database.close()
    assert VectorCache(tmp_path).embed(embedder, TEXTS)[:, 0].tolist() == [1, 3, 2, 1]
    assert embedder.calls == [3, 3]


def test_a_damaged_file_is_put_aside(tmp_path: Path) -> None:
    embedder = LengthEmbedder()
    path = tmp_path / f"{embedder.fingerprint.key}.sqlite"
    path.write_bytes(b"no database " * 100)
    assert VectorCache(tmp_path).embed(embedder, TEXTS)[:, 0].tolist() == [1, 3, 2, 1]
    assert sorted(item.suffix for item in tmp_path.iterdir()) == [".damaged", ".sqlite"]


def test_no_texts_are_no_rows(tmp_path: Path) -> None:
    assert VectorCache(tmp_path).embed(LengthEmbedder(dims=3), []).shape == (0, 3)
