"""The tables: means by method and group, paired comparisons, and where the default retriever loses to dense."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.openapi.catalogue import Catalogue, read_catalogues
from evaluation.openapi.errors import CatalogueError
from evaluation.openapi.rank import Row, rank_all
from evaluation.retrieval.scoring import CUTS
from evaluation.retrieval.statistics import compare, holm
from graph.embeddings import make_embedder
from graph.retrieval.factory import NAMES

METHODS = ("dense", "tokens", "bm25", "hybrid", "countersign")
"""``chunkrag`` cuts raw OData metadata, and the ablations of ``hybrid`` are one without a process layer."""
OURS, BASELINE = "countersign", "dense"
METRICS = tuple(f"{name}@{k}" for name in ("recall", "ndcg", "complete_chain") for k in CUTS)
FEWEST_CLUSTERS = 5
LEVEL = 0.05
CONVENTION = (
    "Groups: a benchmark's name alone = every query in the catalogue of its own sector, 'whole' = in the catalogue of all "
    "sectors together, a sector's name = the queries of that sector. p: two-sided sign-flip randomisation over queries, "
    "(b+1)/(m+1) with m = 9999; p_by_process: signs flipped by catalogue; ci: 95 % percentile bootstrap over catalogues (over "
    f"queries where a group has fewer than {FEWEST_CLUSTERS}), 9999 draws. p_holm: Holm over the metrics of one pair and "
    "group. A loss is significant when p is below 0.05 without any correction and the mean difference is negative."
)

Table = dict[str, dict[str, dict[str, float]]]


def openapi_tables(
    folder: Path,
    model: str,
    *,
    methods: Sequence[str] = METHODS,
    cache: Path | None = None,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """``results[method][group][metric]``, ``comparisons`` and ``losses`` of all catalogues below ``folder``.

    ``cache``: folder that keeps vectors. Raises ``OpenApiError``, ``graph.retrieval.errors.RetrievalError``.
    """
    unknown = [name for name in methods if name not in NAMES]
    if unknown:
        raise CatalogueError(f"method {unknown[0]!r}: known are {', '.join(NAMES)}")
    catalogues = read_catalogues(folder)
    embedder = make_embedder(model)
    rows = rank_all(catalogues, methods, embedder, cache, say)
    groups = groups_of(rows)
    comparisons = [row for pair in pairs_of(methods) for row in compare_pair(*pair, groups, seed)]
    return {
        "model": {"name": model, **asdict(embedder.fingerprint)},
        "catalogues": [_told(item) for item in catalogues],
        "results": means(methods, groups),
        "comparisons": comparisons,
        "losses": [row for row in comparisons if row["b"] == BASELINE and row["delta"] < 0 and row["p"] < LEVEL],
        "convention": CONVENTION,
    }


def groups_of(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group -> rows: each benchmark, its whole catalogues, and its sectors where it has several."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.benchmark if row.scope == "sector" else f"{row.benchmark} whole", []).append(row)
    sectors: dict[str, list[Row]] = {}
    for row in rows:
        if row.scope == "sector" and len({other.sector for other in found[row.benchmark]}) > 1:
            sectors.setdefault(f"{row.benchmark} {row.sector}", []).append(row)
    return {**found, **sectors}


def means(methods: Sequence[str], groups: Mapping[str, Sequence[Row]]) -> Table:
    """Method -> group -> metric -> mean, with ``n``."""
    return {
        method: {
            group: {"n": len(rows)}
            | {metric: round(sum(row.values[method][metric] for row in rows) / len(rows), 6) for metric in METRICS}
            for group, rows in groups.items()
        }
        for method in methods
    }


def pairs_of(methods: Sequence[str]) -> list[tuple[str, str]]:
    """Ours against each other method, and every other against dense."""
    pairs = [(OURS, other) for other in methods if other != OURS and OURS in methods]
    return pairs + [(other, BASELINE) for other in methods if other not in (OURS, BASELINE) and BASELINE in methods]


def compare_pair(one: str, other: str, groups: Mapping[str, Sequence[Row]], seed: int) -> list[dict[str, Any]]:
    """One comparison for each group and metric."""
    found: list[dict[str, Any]] = []
    for group, rows in groups.items():
        table = np.array([[row.values[one][name] - row.values[other][name] for name in METRICS] for row in rows])
        compared = compare(table, _clusters(rows), seed=seed)
        adjusted = holm({name: item.p for name, item in zip(METRICS, compared, strict=True)})
        found += [
            {"a": one, "b": other, "type": group, "metric": name, **asdict(item), "p_holm": adjusted[name]}
            for name, item in zip(METRICS, compared, strict=True)
        ]
    return found


def _clusters(rows: Sequence[Row]) -> list[str]:
    clusters = [row.cluster for row in rows]
    return clusters if len(set(clusters)) >= FEWEST_CLUSTERS else [row.query for row in rows]


def _told(catalogue: Catalogue) -> dict[str, object]:
    return {
        "benchmark": catalogue.benchmark,
        "name": catalogue.name,
        "scope": catalogue.scope,
        "operations": len(catalogue.operations),
        "queries": len(catalogue.queries),
    }
