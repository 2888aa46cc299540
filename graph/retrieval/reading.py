"""A query read against a corpus: how well each endpoint and each process node answers it and each of its clauses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graph.intent import verbs_of
from graph.retrieval.base import Corpus, Matrix, Nearness, ranking
from graph.retrieval.concepts import Concept, concepts_of
from graph.retrieval.fields import Matches
from graph.retrieval.glossary import readings
from graph.retrieval.query_kind import Asked, what_is_asked
from graph.retrieval.weights import Weights
from wire.endpoint import Verb

DENSE_RANKS = 10
_WORDS_HALF = 12.0
"""The BM25 that counts half of a full word match."""
_SPREAD = 0.1
"""What one standard deviation of a query's cosines counts: models differ in how far their cosines lie apart."""

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reading:
    """Rows of the matrices are parts: the whole query first, then its clauses if there is more than one."""

    parts: tuple[str, ...]
    asked: Asked
    concepts: tuple[tuple[Concept, ...], ...]
    scores: Matrix
    """Parts x endpoints: fused, on the scale of a logit."""
    nodes: Matrix
    """Parts x process nodes."""
    cosines: Matrix
    """Parts x endpoints."""
    dense: tuple[int, ...]
    """The first endpoints by cosine with the query as it is written."""
    named: npt.NDArray[np.bool_]
    """Endpoints whose whole name the query says."""

    @property
    def clauses(self) -> range:
        """Rows of the clauses; the whole query is its own clause when it has one only."""
        return range(1, len(self.parts)) if len(self.parts) > 1 else range(1)

    @property
    def states(self) -> Sequence[int]:
        """Rows of the clauses that are no questions, or the first when all are."""
        found = [row for row, asks in zip(self.clauses, self.asked.questions, strict=True) if not asks]
        return found or [self.clauses[0]]


def read_query(corpus: Corpus, weights: Weights, query: str, clauses: Sequence[str]) -> Reading:
    """Score everything against the query and its clauses. The corpus must have endpoints."""
    parts = (query, *(clauses if len(clauses) > 1 else ()))
    concepts = tuple(concepts_of(part) for part in parts)
    texts = [readings(part) for part in parts]
    raw, near = corpus.nearness_of(query, texts)
    found = corpus.fields.match(concepts)
    nodes = _nodes(corpus, weights, near, concepts, found)
    dense = ranking(raw, DENSE_RANKS)
    columns = _features(corpus, near, nodes, concepts, found, [verbs_of(part) for part in parts], dense)
    asked = what_is_asked(query, clauses or parts)
    scores = np.zeros_like(near.endpoints)
    for name, column in columns.items():
        share = weights.blend.node_of_one if name == "node" and asked.kind in ("one", "asked") else 1.0
        scores += share * weights.features[name] * column
    named = found[0].said > 0.95
    return Reading(
        parts, what_is_asked(query, clauses or parts), concepts, scores, nodes, near.endpoints, tuple(dense), named
    )


def feature_matrix(corpus: Corpus, weights: Weights, query: str) -> npt.NDArray[np.float64]:
    """Endpoints x ``FEATURES`` for the query as a whole: what the weights are fitted on."""
    concepts = (concepts_of(query),)
    raw, near = corpus.nearness_of(query, [readings(query)])
    found = corpus.fields.match(concepts)
    nodes = _nodes(corpus, weights, near, concepts, found)
    dense = ranking(raw, DENSE_RANKS)
    columns = _features(corpus, near, nodes, concepts, found, [verbs_of(query)], dense)
    return np.stack([np.broadcast_to(columns[name], near.endpoints.shape)[0] for name in weights.features], axis=1)


def _features(
    corpus: Corpus,
    near: Nearness,
    nodes: Matrix,
    concepts: Sequence[Sequence[Concept]],
    found: Sequence[Matches],
    verbs: Sequence[frozenset[Verb]],
    dense: Sequence[int],
) -> Mapping[str, npt.NDArray[np.floating]]:
    """Name -> parts x endpoints, or one row for all parts."""
    traits = corpus.traits
    words = np.array([corpus.stem_lexicon.scores(_stems(part)) for part in concepts])
    ranks = np.zeros((1, len(corpus.endpoints)))
    ranks[0, dense] = 1 / np.arange(1, len(dense) + 1)
    return {
        "cosine": _spread(near.endpoints),
        "words": words / (words + _WORDS_HALF),
        "whole": np.array([item.whole for item in found]),
        "said": np.array([item.said for item in found]),
        "node": corpus.processes.best_at(nodes, len(corpus.endpoints)),
        "covered": traits.covered[None, :],
        "operation": traits.operation[None, :],
        "dense_rank": ranks,
        "parent": np.array([traits.of_parents(item.own) for item in found]),
        "verb": np.array([traits.allows(part) for part in verbs]),
    }


def _nodes(
    corpus: Corpus,
    weights: Weights,
    near: Nearness,
    concepts: Sequence[Sequence[Concept]],
    found: Sequence[Matches],
) -> Matrix:
    if not near.nodes.shape[1]:
        return near.nodes
    own = weights.node
    scores = _spread(near.nodes) + own.documentation * _spread(near.documentation) + own.label * _spread(near.labels)
    scores += own.words * np.array([corpus.node_fields.match(part) for part in concepts])
    fits = np.array([item.said * item.name for item in found])
    return np.asarray(scores + own.bound * corpus.processes.best_bound(fits))


def _spread(cosines: Matrix) -> Matrix:
    """Deviations from the query's mean, ``_SPREAD`` for one standard deviation."""
    if not cosines.shape[1]:
        return cosines
    middle = cosines.mean(axis=1, keepdims=True)
    width = np.maximum(cosines.std(axis=1, keepdims=True), 1e-6)
    return np.asarray(_SPREAD * (cosines - middle) / width)


def _stems(concepts: Sequence[Concept]) -> list[str]:
    return [word for concept in concepts for reading in concept.readings for word in reading]
