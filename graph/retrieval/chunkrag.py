"""Fixed windows over the raw text of ``$metadata``: one leads to the endpoints that it declares, or whose type it declares.

Windows that lead to none (annotations, associations, other types) could never be a hit and are not encoded. For the model,
markup is left out of a window's text: signs like ``<``, ``=`` and quotes would be a third of what it can read.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graph.retrieval.base import Corpus
from graph.retrieval.chunks import Chunk, ChunkRetriever, ChunkSources, ensure_table, texts_digest

WINDOW, OVERLAP = 900, 100
"""In characters, white space collapsed: about 220 word pieces without markup; the default model reads 256."""

_ATTRIBUTES = r"""(?:[^>"']|"[^"]*"|'[^']*')*"""
_ELEMENT = re.compile(
    r"<(?P<end>/?)(?:[\w.-]+:)?(?P<tag>Schema|EntityType|EntitySet|Singleton|FunctionImport|ActionImport|Action|Function)"
    rf"(?=[\s/>])(?P<attributes>{_ATTRIBUTES})>"
)
_NAME = re.compile(r"""\bName\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NAMESPACE = re.compile(r"""\bNamespace\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_MARKUP = re.compile(r"""[<>/="'\s]+""")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Declared:
    """Where an element stands in a document, and the endpoints that it declares or types."""

    start: int
    end: int
    rows: tuple[int, ...]


def open_chunkrag(corpus: Corpus, sources: ChunkSources) -> ChunkRetriever:
    """The retriever; its chunks are built when there are none for this graph and model."""
    documents = sources.documents()
    digest = texts_digest([WINDOW, OVERLAP, sorted(documents.items())])
    table = ensure_table("chunkrag", corpus, sources, digest, lambda: cut_documents(corpus, documents))
    return ChunkRetriever("chunkrag", corpus, table)


def cut_documents(corpus: Corpus, documents: Mapping[str, str]) -> list[Chunk]:
    """The windows of all documents that lead to an endpoint."""
    names: dict[str, dict[str, list[int]]] = {}
    for row, item in enumerate(corpus.endpoints):
        held = names.setdefault(item.service, {})
        # A bound operation is named with its namespace, its element without.
        for name in {item.endpoint, item.endpoint.rpartition(".")[2]}:
            held.setdefault(name, []).append(row)
        if item.entity_type:
            held.setdefault(f"type {item.entity_type}", []).append(row)
    return [chunk for service in sorted(documents) for chunk in _windows(documents[service], names.get(service, {}))]


def _windows(document: str, names: Mapping[str, list[int]]) -> Iterator[Chunk]:
    text = _SPACE.sub(" ", document)
    declared = sorted(declarations(text, names), key=lambda item: (item.end, item.start))
    ends = [item.end for item in declared]
    for start in range(0, max(len(text) - OVERLAP, 1), WINDOW - OVERLAP):
        end = min(start + WINDOW, len(text))
        rows = {row for item in declared[bisect_left(ends, start + 1) :] if item.start < end for row in item.rows}
        if rows:
            yield Chunk(_MARKUP.sub(" ", text[start:end]).strip(), tuple(sorted(rows)))


def declarations(text: str, names: Mapping[str, list[int]]) -> Iterator[Declared]:
    """Elements of a document that lead to endpoints. ``names``: endpoint, or ``type`` and qualified type name -> rows."""
    namespace = ""
    open_elements: list[tuple[str, int, tuple[int, ...]]] = []
    for found in _ELEMENT.finditer(text):
        tag, attributes = found["tag"], found["attributes"]
        if tag == "Schema":
            namespace = namespace if found["end"] else _value(_NAMESPACE, attributes)
            continue
        if found["end"]:
            if open_elements and open_elements[-1][0] == tag:
                _, start, rows = open_elements.pop()
                if rows:
                    yield Declared(start, found.end(), rows)
            continue
        name = _value(_NAME, attributes)
        rows = tuple(names.get(f"type {namespace}.{name}" if tag == "EntityType" else name, ()))
        if not attributes.endswith("/"):
            open_elements.append((tag, found.start(), rows))
        elif rows:
            yield Declared(found.start(), found.end(), rows)


def _value(pattern: re.Pattern[str], attributes: str) -> str:
    found = pattern.search(attributes)
    return (found[1] or found[2] or "") if found else ""
