"""Every retriever over every catalogue, unchanged: what each query finds, in the measures of ``evaluation.retrieval``."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.openapi.catalogue import Catalogue
from evaluation.openapi.view import CatalogueView
from evaluation.retrieval.bench import Endpoint, Query
from evaluation.retrieval.scoring import judge, score_all
from evaluation.retrieval.world import Remembering
from graph.embeddings import Embedder
from graph.index import build_index
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.chunks import ChunkSources
from graph.retrieval.factory import make_retriever

DEPTH = 20
"""Hits asked for: twice the last cut, since further twins of a gold are taken out of a ranking."""

Values = Mapping[str, float]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One query in one catalogue. ``values[method][metric]`` in [0, 1]; ``cluster``: the sector's catalogue."""

    benchmark: str
    scope: str
    query: str
    sector: str
    cluster: str
    values: Mapping[str, Values]


def rank_all(
    catalogues: Iterable[Catalogue], methods: Sequence[str], embedder: Embedder, cache: Path | None, say: Say
) -> tuple[Row, ...]:
    """Rows of all queries in order. ``cache``: folder of vectors kept over runs."""
    remembering = Remembering(embedder)
    rows: list[Row] = []
    for catalogue in catalogues:
        say(f"{catalogue.benchmark}, {catalogue.name} ({catalogue.scope}): {len(catalogue.operations)} operations")
        with tempfile.TemporaryDirectory(prefix="openapi-") as scratch:
            values = _measure(catalogue, methods, remembering, Path(scratch), cache)
        rows += [_row(catalogue, query, values) for query in catalogue.queries]
    return tuple(rows)


def _measure(
    catalogue: Catalogue, methods: Sequence[str], embedder: Embedder, work: Path, cache: Path | None
) -> dict[str, Mapping[str, Values]]:
    """Method -> query id -> measures."""
    view = CatalogueView(catalogue.operations)
    corpus = Corpus(view, build_index(view, embedder, work, cache=cache), embedder)
    chunks = ChunkSources(embedder, work, cache, dict)
    found: dict[str, Mapping[str, Values]] = {}
    for method in methods:
        retriever = make_retriever(method, corpus, chunks)
        found[method] = score_all(
            {query.id: judge(_search(retriever, query), query, {}) for query in catalogue.queries}
        )
    return found


def _search(retriever: Retriever, query: Query) -> list[Endpoint]:
    return [(hit.service, hit.endpoint) for hit in retriever.search(query.text, DEPTH)]


def _row(catalogue: Catalogue, query: Query, values: Mapping[str, Mapping[str, Values]]) -> Row:
    return Row(
        benchmark=catalogue.benchmark,
        scope=catalogue.scope,
        query=query.id,
        sector=query.type,
        cluster=query.process or query.id,
        values={method: scores[query.id] for method, scores in values.items()},
    )
