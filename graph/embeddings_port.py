"""The ``Embedder`` port: texts in, unit vectors out, and a fingerprint that says which vectors may be compared."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from graph.retrieval.errors import WeightsMismatch

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Fingerprint:
    """What two vectors must share to be comparable. ``key`` names it in paths and manifests."""

    weights: str
    dims: int
    query_prefix: str
    passage_prefix: str
    pooling: str
    max_seq: int

    @property
    def key(self) -> str:
        """SHA-256 over the fields (hex, 32 characters)."""
        text = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class Embedder(Protocol):
    """Texts in, float32 unit vectors out, shape (n, d)."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Known before the model is loaded."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is found."""
        ...


def file_digest(path: Path) -> str:
    """SHA-256 of a file (hex)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def expect_weights(what: str, found: str, pinned: str | None) -> None:
    """Raises ``WeightsMismatch`` when ``pinned`` is given and is another digest than ``found``."""
    if pinned is not None and found != pinned:
        raise WeightsMismatch(f"{what}: weights have SHA-256 {found}, expected {pinned}; install the model again")


def unit(vectors: npt.NDArray[Any]) -> Vectors:
    """Rows of length 1, float32; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def no_vectors(dims: int) -> Vectors:
    """Shape (0, dims)."""
    return np.zeros((0, dims), dtype=np.float32)
