"""One OpenAPI 3 or Swagger 2 file as plain values, with its local references.

YAML is read with the loader that knows strings, lists and mappings only: no tag can build an object, and a key such as
``no`` or ``200`` stays what is written.
"""

import hashlib
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from evaluation.openapi.errors import DocumentError

SUFFIXES = (".json", ".yaml", ".yml")
MOST_BYTES = 32_000_000
_MOST_REFERENCES = 32

Node = Mapping[str, Any]


@dataclass(frozen=True)
class Document:
    """``root`` is the whole file; ``digest`` is the SHA-256 of its bytes."""

    path: Path
    digest: str
    root: Node

    def resolve(self, node: Any, place: str) -> Node:
        """``node`` as a mapping, local ``$ref`` followed. Raises ``DocumentError`` with ``place`` for anything else."""
        for _ in range(_MOST_REFERENCES):
            if not isinstance(node, Mapping):
                raise DocumentError(f"{self.path}: {place} is no mapping")
            if "$ref" not in node:
                return node
            node = self._target(node["$ref"], place)
        raise DocumentError(f"{self.path}: {place}: $ref leads round in a circle")

    def _target(self, reference: Any, place: str) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise DocumentError(f"{self.path}: {place}: $ref {reference!r} is not local; bundle the files into one")
        node: Any = self.root
        for part in reference[2:].split("/"):
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and name.isdigit() and int(name) < len(node):
                node = node[int(name)]
            elif isinstance(node, Mapping) and name in node:
                node = node[name]
            else:
                raise DocumentError(f"{self.path}: {place}: $ref {reference} leads nowhere")
        return node


def read_document(path: Path, most_bytes: int = MOST_BYTES) -> Document:
    """Read one file. Raises ``DocumentError``."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror}") from error
    if len(content) > most_bytes:
        raise DocumentError(f"{path}: {len(content)} bytes, more than the {most_bytes} that are read")
    root = _parse(path, content)
    version = root.get("openapi", root.get("swagger")) if isinstance(root, Mapping) else None
    if not str(version).startswith(("3.", "2.")):
        raise DocumentError(
            f"{path}: neither 'openapi: 3.x' nor 'swagger: 2.0' at the top; name OpenAPI documents only"
        )
    if not isinstance(root.get("paths"), Mapping):
        raise DocumentError(f"{path}: no mapping under 'paths'")
    return Document(path, hashlib.sha256(content).hexdigest(), root)


def _parse(path: Path, content: bytes) -> Any:
    try:
        text = content.decode("utf-8-sig")
        return json.loads(text) if path.suffix == ".json" else _yaml(path, text)
    except RecursionError as error:
        raise DocumentError(f"{path}: nested too deeply") from error
    except ValueError as error:
        raise DocumentError(f"{path}: not readable as {path.suffix[1:].upper()}: {error}") from error


def _yaml(path: Path, text: str) -> Any:
    try:
        library = importlib.import_module("yaml")
    except ModuleNotFoundError as error:
        raise DocumentError(f"{path}: package PyYAML is not installed; run: pip install PyYAML") from error
    try:
        return library.load(text, Loader=library.BaseLoader)
    except library.YAMLError as error:
        raise DocumentError(f"{path}: not readable as YAML: {' '.join(str(error).split())}") from error
