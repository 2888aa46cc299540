"""Folders of OpenAPI documents with queries, in the two forms that published benchmarks have.

- A folder with ``queries.json`` (``{"queries": [{"query", "endpoints"}]}``): all documents below it are the catalogue, and
  its name is the sector. Folders side by side are one larger catalogue as well (``Catalogue.scope`` = whole). The benchmark
  is called as the folder above these, within the one that was asked for.
- ``NAME.json`` (``[{"query", "solution"}]``) beside ``NAME_oas.json``: one document.

A gold is written ``GET /path``. When several services of a sector have that operation, any of them will do.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluation.openapi.document import SUFFIXES, Document, read_document
from evaluation.openapi.errors import CatalogueError
from evaluation.openapi.gold import GoldFinder
from evaluation.openapi.operations import read_operations, title_of
from evaluation.retrieval.bench import Query
from graph.views import EndpointSummary

_QUERIES = "queries.json"
_SINGLE = "_oas"

Scope = Literal["sector", "whole"]


@dataclass(frozen=True)
class Catalogue:
    """What one search runs over, and the queries asked of it.

    ``type`` of a query = its sector, ``process`` = this ``name``
    (that of the sector, in a whole catalogue as well): queries of one sector are no independent draws.
    """

    benchmark: str
    name: str
    scope: Scope
    operations: tuple[EndpointSummary, ...]
    queries: tuple[Query, ...]


class _Names:
    """Service ids: the title of a document, with a number behind it from the second document of that title on."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def take(self, title: str) -> str:
        count = self._seen[title] = self._seen.get(title, 0) + 1
        return title if count == 1 else f"{title} ({count})"


def read_catalogues(folder: Path) -> tuple[Catalogue, ...]:
    """All catalogues at or below ``folder``, sectors first, in order of their paths. Raises ``OpenApiError``."""
    if not folder.is_dir():
        raise CatalogueError(f"{folder}: no such folder")
    names = _Names()
    sectors = {path.parent: _sector(folder, path, names) for path in sorted(folder.rglob(_QUERIES))}
    singles = [_single(path, names) for path in _singles(folder)]
    if not sectors and not singles:
        raise CatalogueError(f"{folder}: neither {_QUERIES} nor NAME.json with NAME{_SINGLE}.json at or below it")
    return (*sectors.values(), *singles, *_wholes(folder, sectors))


def _sector(root: Path, path: Path, names: _Names) -> Catalogue:
    files = [file for file in sorted(path.parent.rglob("*")) if file.suffix in SUFFIXES and file != path]
    if not files:
        raise CatalogueError(f"{path.parent}: {_QUERIES} without an OpenAPI document below it")
    name = path.parent.relative_to(root).as_posix() if path.parent != root else root.name
    operations = _operations(map(read_document, files), names)
    rows = _rows(path, "queries", "endpoints")
    return Catalogue(
        _above(root, path.parent.parent),
        name,
        "sector",
        operations,
        _queries(path, name, path.parent.name, rows, operations),
    )


def _above(root: Path, folder: Path) -> str:
    """Name of the folder above, but of none outside ``root``."""
    return (folder.parent if folder != root and folder.is_relative_to(root) else root).name


def _singles(folder: Path) -> Iterator[Path]:
    """``NAME.json`` that has its document beside it."""
    for document in sorted(folder.rglob(f"*{_SINGLE}.*")):
        queries = document.with_name(document.stem.removesuffix(_SINGLE) + ".json")
        if document.suffix in SUFFIXES and queries.is_file():
            yield document


def _single(document: Path, names: _Names) -> Catalogue:
    name = document.stem.removesuffix(_SINGLE)
    path = document.with_name(f"{name}.json")
    operations = _operations([read_document(document)], names)
    queries = _queries(path, name, name, _rows(path, None, "solution"), operations)
    return Catalogue(document.parent.name, name, "sector", operations, queries)


def _wholes(root: Path, sectors: dict[Path, Catalogue]) -> Iterator[Catalogue]:
    for parent in sorted({path.parent for path in sectors}):
        parts = [item for path, item in sectors.items() if path.parent == parent]
        if len(parts) > 1:
            name = parent.relative_to(root).as_posix() if parent != root else root.name
            operations = tuple(operation for part in parts for operation in part.operations)
            queries = tuple(query for part in parts for query in part.queries)
            yield Catalogue(parts[0].benchmark, name, "whole", operations, queries)


def _operations(documents: Iterable[Document], names: _Names) -> tuple[EndpointSummary, ...]:
    return tuple(
        operation for document in documents for operation in read_operations(document, names.take(title_of(document)))
    )


def _rows(path: Path, key: str | None, gold: str) -> list[tuple[str, list[str]]]:
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8-sig"))
        listed = found[key] if key else found
        return [(str(row["query"]), [str(name) for name in row[gold]]) for row in listed]
    except (OSError, ValueError, KeyError, TypeError) as error:
        missing = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        form = f'{{"query", "{gold}"}}' + (f' under "{key}"' if key else "")
        raise CatalogueError(f"{path}: {missing}; a list of {form} is expected") from error


def _queries(
    path: Path, name: str, sector: str, rows: Sequence[tuple[str, list[str]]], operations: Sequence[EndpointSummary]
) -> tuple[Query, ...]:
    finder = GoldFinder(operations)
    found = []
    for number, (text, names) in enumerate(rows, start=1):
        gold = finder.resolve(names, f"{path}: query {number}")
        found.append(
            Query(
                id=f"{name}#{number}",
                text=text,
                type=sector,
                process=name,
                gold=gold.wanted,
                also=frozenset(gold.instead_of),
                instead_of=gold.instead_of,
            )
        )
    return tuple(found)
