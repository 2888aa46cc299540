"""Token windows over each service's description, as the authors of SOCBench-D chunk: a window leads to the endpoints in it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from graph.retrieval.base import Corpus
from graph.retrieval.chunks import Chunk, ChunkRetriever, ChunkSources, ensure_table, texts_digest
from graph.search_text import endpoint_text

WINDOW, OVERLAP = 180, 20
"""In words and signs; 180 of them are about 230 word pieces, below the 256 that the default model reads."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


def open_tokens(corpus: Corpus, sources: ChunkSources) -> ChunkRetriever:
    """The retriever; its chunks are built when there are none for this graph and model."""
    described = describe(corpus)
    digest = texts_digest([WINDOW, OVERLAP, [[row, text] for parts in described.values() for row, text in parts]])
    table = ensure_table("tokens", corpus, sources, digest, lambda: cut_descriptions(described))
    return ChunkRetriever("tokens", corpus, table)


def describe(corpus: Corpus) -> Mapping[str, Sequence[tuple[int, str]]]:
    """Service -> its endpoints as (row, full text with the labels of all members), in IRI order."""
    found: dict[str, list[tuple[int, str]]] = {}
    for row, item in enumerate(corpus.endpoints):
        found.setdefault(item.service, []).append((row, endpoint_text(item)))
    return found


def cut_descriptions(described: Mapping[str, Sequence[tuple[int, str]]]) -> list[Chunk]:
    """The windows of all services."""
    return [chunk for parts in described.values() for chunk in _windows(parts)]


def _windows(parts: Sequence[tuple[int, str]]) -> Iterator[Chunk]:
    text = "\n".join(part for _, part in parts)
    owners: list[int] = []
    spans: list[tuple[int, int]] = []
    start = 0
    for row, part in parts:
        spans += [(start + found.start(), start + found.end()) for found in _TOKEN.finditer(part)]
        owners += [row] * (len(spans) - len(owners))
        start += len(part) + 1
    for first in range(0, max(len(spans) - OVERLAP, 1), WINDOW - OVERLAP):
        window = slice(first, first + WINDOW)
        if spans[window]:
            rows = tuple(dict.fromkeys(owners[window]))
            yield Chunk(text[spans[window][0][0] : spans[window][-1][1]], rows)
