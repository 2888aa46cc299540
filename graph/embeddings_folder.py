"""Any sentence-transformers folder on disk, read without torch until the first text."""

import hashlib
import importlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from graph.embeddings_port import Fingerprint, Vectors, expect_weights, file_digest, no_vectors, unit
from graph.retrieval.errors import ModelNotFound

_BATCH = 32
_FEW = 8
"""Up to so many texts one thread is as quick as several, which would spin while others have the cores."""


def weights_digest(folder: Path) -> str:
    """SHA-256 of the weights: of the file itself when there is one, else over the sorted ``name digest`` lines."""
    files = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("pytorch_model*.bin"))
    if not files:
        raise ModelNotFound(f"{folder}: no *.safetensors, no pytorch_model*.bin; name a sentence-transformers folder")
    digests = [file_digest(file) for file in files]
    if len(digests) == 1:
        return digests[0]
    lines = [f"{file.relative_to(folder)} {digest}" for file, digest in zip(files, digests, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def describe_folder(folder: Path) -> Fingerprint:
    """The fingerprint of a sentence-transformers folder, from its configuration files and weights alone."""
    if not (folder / "modules.json").is_file():
        raise ModelNotFound(f"{folder}: no modules.json; point to a sentence-transformers folder")
    pooling = _read_json(folder / "1_Pooling" / "config.json")
    dims = pooling.get("word_embedding_dimension") or _read_json(folder / "config.json").get("hidden_size")
    for module in _read_json(folder / "modules.json"):
        if str(module.get("type", "")).endswith(".Dense"):
            dims = _read_json(folder / module["path"] / "config.json").get("out_features", dims)
    if not dims:
        raise ModelNotFound(f"{folder}: the configuration does not say how many dimensions a vector has")
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    mode = ",".join(sorted(key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True))
    return Fingerprint(
        weights=weights_digest(folder),
        dims=int(dims),
        query_prefix=prompts.get("query") or "",
        passage_prefix=prompts.get("passage") or prompts.get("document") or "",
        pooling=mode.replace("pooling_mode_", "") or str(pooling.get("pooling_mode", "mean_tokens")),
        max_seq=int(_read_json(folder / "sentence_bert_config.json").get("max_seq_length") or 512),
    )


class SentenceTransformerEmbedder:
    """Any sentence-transformers folder on disk. The first call imports torch (seconds), none opens a socket."""

    def __init__(
        self,
        folder: Path,
        *,
        pinned: str | None = None,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
    ) -> None:
        """Prefixes given here stand in place of the folder's own."""
        self._folder = folder
        own = describe_folder(folder)
        self.fingerprint = replace(
            own,
            query_prefix=own.query_prefix if query_prefix is None else query_prefix,
            passage_prefix=own.passage_prefix if passage_prefix is None else passage_prefix,
        )
        expect_weights(str(folder), self.fingerprint.weights, pinned)
        self._model: Any = None
        self._torch: Any = None
        self._threads = 1
        self._lock = Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, self.fingerprint.query_prefix)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, self.fingerprint.passage_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return no_vectors(self.fingerprint.dims)
        # One call at a time: the tokenizer inside is not safe for two threads.
        with self._lock:
            model = self._loaded()
            self._torch.set_num_threads(1 if len(texts) <= _FEW else self._threads)
            vectors = model.encode(
                [prefix + text for text in texts], batch_size=_BATCH, prompt="", show_progress_bar=False,
                convert_to_numpy=True,
            )  # fmt: skip
        return unit(vectors)

    def _loaded(self) -> Any:
        if self._model is None:
            library = _library()
            self._torch = importlib.import_module("torch")
            self._threads = self._torch.get_num_threads()
            importlib.import_module("transformers.utils.logging").disable_progress_bar()
            self._model = library.SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
            self._model.max_seq_length = self.fingerprint.max_seq
        return self._model


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise ModelNotFound(f"{path}: not readable as JSON ({error}); the model's folder is damaged") from error


def _library() -> Any:
    try:
        return importlib.import_module("sentence_transformers")
    except ModuleNotFoundError as error:
        if error.name != "sentence_transformers":
            raise
        raise ModelNotFound("package sentence-transformers is not installed; install torch, then it") from error
