"""A BERT-shaped ONNX file with its ``tokenizer.json``: onnxruntime and tokenizers, no torch."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from graph.embeddings_port import Fingerprint, Vectors, expect_weights, file_digest, no_vectors, unit
from graph.retrieval.errors import ModelNotFound

_BATCH = 32


class OnnxEmbedder:
    """A BERT-shaped ONNX file with its ``tokenizer.json``; mean pooling; needs onnxruntime and tokenizers only."""

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        dims: int,
        max_seq: int,
        pinned: str | None = None,
        threads: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        """``threads``: as many as there are cores unless given."""
        for path in (model, tokenizer):
            if not path.is_file():
                raise ModelNotFound(f"{path}: no such file")
        self._paths = (model, tokenizer)
        weights = file_digest(model)
        expect_weights(str(model), weights, pinned)
        self.fingerprint = Fingerprint(weights, dims, query_prefix, passage_prefix, "mean_tokens", max_seq)
        self._threads = threads
        self._session: Any = None
        self._tokenizer: Any = None
        self._lock = Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return no_vectors(self.fingerprint.dims)
        with self._lock:
            self._load()
            # By length, so that short texts are not padded to the longest of all.
            order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
            out = np.zeros((len(texts), self.fingerprint.dims), dtype=np.float32)
            for start in range(0, len(order), _BATCH):
                rows = order[start : start + _BATCH]
                out[rows] = self._forward([texts[row] for row in rows])
        return unit(out)

    def _forward(self, texts: list[str]) -> npt.NDArray[Any]:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {item.name for item in self._session.get_inputs()}
        hidden = self._session.run(None, {name: value for name, value in feed.items() if name in wanted})[0]
        if hidden.ndim == 2:
            return np.asarray(hidden)
        weight = mask[:, :, None].astype(np.float32)
        return np.asarray((hidden * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9))

    def _load(self) -> None:
        if self._session is not None:
            return
        model, tokenizer = self._paths
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        loaded = importlib.import_module("tokenizers").Tokenizer.from_file(str(tokenizer))
        loaded.enable_truncation(max_length=self.fingerprint.max_seq)
        loaded.enable_padding()
        self._tokenizer = loaded
        self._session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
