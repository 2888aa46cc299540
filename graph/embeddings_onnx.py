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

_TOKENS = 512
"""Most tokens of one batch, padding included: measured, larger batches leave the processor's cache, smaller ones idle."""


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
        self.files = (model, tokenizer)
        weights = file_digest(model)
        expect_weights(str(model), weights, pinned)
        self.fingerprint = Fingerprint(weights, dims, query_prefix, passage_prefix, "mean_tokens", max_seq)
        self._threads = threads
        self._session: Any = None
        self._tokenizer: Any = None
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
        with self._lock:
            self._load()
            tokens = [item.ids for item in self._tokenizer.encode_batch([prefix + text for text in texts])]
            out = np.zeros((len(texts), self.fingerprint.dims), dtype=np.float32)
            for rows in batches([len(ids) for ids in tokens]):
                out[rows] = self._forward([tokens[row] for row in rows])
        return unit(out)

    def _forward(self, tokens: list[list[int]]) -> npt.NDArray[Any]:
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, known in enumerate(tokens):
            ids[row, : len(known)], mask[row, : len(known)] = known, 1
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
        model, tokenizer = self.files
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        if self._threads is not None:
            options.intra_op_num_threads = self._threads
        # Threads that wait by spinning take the processor from whoever else runs here, and are no faster.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        loaded = importlib.import_module("tokenizers").Tokenizer.from_file(str(tokenizer))
        loaded.enable_truncation(max_length=self.fingerprint.max_seq)
        loaded.no_padding()
        self._tokenizer = loaded
        self._session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def batches(lengths: Sequence[int], most: int = _TOKENS) -> list[list[int]]:
    """Rows by length, cut so that the longest of a batch times its size stays within ``most``; one row always fits."""
    found: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if found and lengths[row] * (len(found[-1]) + 1) <= most:
            found[-1].append(row)
        else:
            found.append([row])
    return found
