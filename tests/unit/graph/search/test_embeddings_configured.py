"""A TOML file describes a model; what it gets wrong is named."""

from pathlib import Path

import numpy as np
import pytest

from graph.embeddings import Embedder, OnnxEmbedder, make_embedder
from graph.embeddings_endpoint import EndpointEmbedder
from graph.retrieval.errors import ModelNotFound, WeightsMismatch

ENDPOINT = 'kind = "endpoint"\nbase_url = "http://models.example/v1/"\nmodel = "small"\ndims = 3\n'


def describe(folder: Path, text: str) -> Embedder:
    (folder / "model.toml").write_text(text, encoding="utf-8")
    return make_embedder(str(folder / "model.toml"))


def write_model(folder: Path) -> None:
    (folder / "own" / "1_Pooling").mkdir(parents=True)
    (folder / "own" / "modules.json").write_text("[]")
    (folder / "own" / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 8}')
    (folder / "own" / "config_sentence_transformers.json").write_text('{"prompts": {"query": "own: "}}')
    (folder / "own" / "model.safetensors").write_bytes(b"weights")


def test_an_endpoint(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(" k\n")
    found = describe(tmp_path, ENDPOINT + 'query_prefix = "q: "\napi_key_file = "key"\nmax_seq = 99\n')
    assert isinstance(found, EndpointEmbedder)
    assert (found.fingerprint.dims, found.fingerprint.query_prefix, found.fingerprint.max_seq) == (3, "q: ", 99)


def test_prefixes_of_the_file_stand_in_place_of_the_folders_own(tmp_path: Path) -> None:
    write_model(tmp_path)
    found = describe(tmp_path, 'kind = "folder"\nfolder = "own"\npassage_prefix = "p: "\n').fingerprint
    assert (found.query_prefix, found.passage_prefix) == ("own: ", "p: ")


def test_the_weights_of_a_folder_can_be_pinned(tmp_path: Path) -> None:
    write_model(tmp_path)
    with pytest.raises(WeightsMismatch, match="expected 0000"):
        describe(tmp_path, 'kind = "folder"\nfolder = "own"\nsha256 = "0000"\n')


def test_an_onnx_file_with_prefixes(onnx: Embedder, tmp_path: Path) -> None:
    assert isinstance(onnx, OnnxEmbedder)
    model, tokenizer = onnx.files
    text = f'kind = "onnx"\nmodel = "{model}"\ntokenizer = "{tokenizer}"\ndims = 384\nmax_seq = 256\nthreads = 1\n'
    plain, prefixed = describe(tmp_path, text), describe(tmp_path, text + 'query_prefix = "goods "\n')
    assert plain.fingerprint == onnx.fingerprint != prefixed.fingerprint
    assert np.allclose(prefixed.embed_queries(["issue"]), plain.embed_queries(["goods issue"]), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kind = ", "Invalid value"),
        ('kind = "magic"', "magic"),
        ('base_url = "http://x.example"', "kind"),
        (ENDPOINT.replace("dims = 3", ""), "dims: Field required"),
        (ENDPOINT + 'query_prefx = "q: "', "query_prefx: Extra inputs"),
        (ENDPOINT.replace("http://", "http://ann:secret@"), "base_url: String should match"),
        (ENDPOINT + 'api_key_file = "none"', "api_key_file"),
        ('kind = "folder"\nfolder = "none"', r"none: no modules\.json"),
    ],
)
def test_a_bad_file_is_one_error(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match=reason) as told:
        describe(tmp_path, text)
    assert str(tmp_path) in str(told.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match=r"none\.toml"):
        make_embedder(str(tmp_path / "none.toml"))
