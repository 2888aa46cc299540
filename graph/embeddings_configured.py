"""Embedding models that a user describes in a TOML file: a folder, an ONNX file, or an OpenAI-compatible endpoint.

Relative paths start at the file. Unknown keys are refused, so that a misspelt prefix does not go unnoticed.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from graph.embeddings_endpoint import EndpointEmbedder, EndpointModel
from graph.embeddings_folder import SentenceTransformerEmbedder
from graph.embeddings_onnx import OnnxEmbedder
from graph.embeddings_port import Embedder
from graph.retrieval.errors import ModelNotFound


class _Described(BaseModel, frozen=True, extra="forbid"):
    query_prefix: str | None = None
    passage_prefix: str | None = None


class FolderFile(_Described, frozen=True):
    """A sentence-transformers folder whose own prefixes are replaced where the file names some."""

    kind: Literal["folder"]
    folder: Path
    sha256: str | None = None


class OnnxFile(_Described, frozen=True):
    """An encoder in ONNX with its ``tokenizer.json``; mean pooling unless the file itself pools."""

    kind: Literal["onnx"]
    model: Path
    tokenizer: Path
    dims: int = Field(gt=0)
    max_seq: int = Field(gt=0)
    threads: int | None = Field(default=None, gt=0)
    sha256: str | None = None


class EndpointFile(_Described, frozen=True):
    """An endpoint, up to and with ``/v1``. ``revision`` is to be changed when other weights are served under the name."""

    kind: Literal["endpoint"]
    base_url: str = Field(pattern=r"^https?://[^\s@]+$")
    model: str = Field(min_length=1)
    dims: int = Field(gt=0)
    max_seq: int = Field(default=512, gt=0)
    revision: str = ""
    api_key_file: Path | None = None
    api_key_header: Literal["authorization", "api-key"] = "authorization"
    extra_query: dict[str, str] = Field(default_factory=dict)
    query_fields: dict[str, str] = Field(default_factory=dict)
    passage_fields: dict[str, str] = Field(default_factory=dict)
    batch: int = Field(default=64, gt=0, le=2048)
    timeout_seconds: float = Field(default=60.0, gt=0)


_File = TypeAdapter[FolderFile | OnnxFile | EndpointFile](
    Annotated[FolderFile | OnnxFile | EndpointFile, Field(discriminator="kind")]
)


def read_model_file(path: Path) -> Embedder:
    """The model that the file describes. Raises ``ModelNotFound`` naming file and key."""
    try:
        found = _File.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ModelNotFound(f"{path}: {_reason(error)}") from error
    query, passage = found.query_prefix, found.passage_prefix
    if isinstance(found, FolderFile):
        return SentenceTransformerEmbedder(
            path.parent / found.folder, pinned=found.sha256, query_prefix=query, passage_prefix=passage
        )
    if isinstance(found, OnnxFile):
        return OnnxEmbedder(
            path.parent / found.model, path.parent / found.tokenizer, dims=found.dims, max_seq=found.max_seq,
            pinned=found.sha256, threads=found.threads, query_prefix=query or "", passage_prefix=passage or "",
        )  # fmt: skip
    return EndpointEmbedder(_endpoint(found, path.parent))


def _endpoint(found: EndpointFile, folder: Path) -> EndpointModel:
    key = ""
    if found.api_key_file is not None:
        try:
            key = (folder / found.api_key_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ModelNotFound(f"api_key_file {folder / found.api_key_file}: {error}") from error
    return EndpointModel(
        base_url=found.base_url.rstrip("/"), model=found.model, dims=found.dims, max_seq=found.max_seq,
        revision=found.revision, api_key=key, api_key_header=found.api_key_header, extra_query=found.extra_query,
        query_fields=found.query_fields, passage_fields=found.passage_fields,
        query_prefix=found.query_prefix or "", passage_prefix=found.passage_prefix or "", batch=found.batch,
        timeout_seconds=found.timeout_seconds,
    )  # fmt: skip


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(
            f"{'.'.join(str(part) for part in e['loc'][-1:]) or 'kind'}: {e['msg']}" for e in error.errors()
        )
    return str(error)
