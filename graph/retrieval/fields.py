"""Which endpoints, or process nodes, have the words of a query, and where: in name, service, or in what they hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from graph.retrieval.concepts import Concept
from graph.search_text import split_name, stem, words
from graph.views import EndpointSummary, ProcessNode

Column = npt.NDArray[np.float32]

_DAMPING = 0.5
"""Added to the weight of all concepts, so that a single common word is no full match."""
_NO_CONTENT = frozenset(stem(word) for word in ("header", "head", "set", "entity", "data", "info", "details", "root"))
"""Words in names of EntitySets that nobody has to say."""
_NAME_PARTS = 50_000


class Postings:
    """Word -> rows that have it. Row i belongs to the i-th list of words."""

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        rows: dict[str, list[int]] = {}
        self.size = 0
        for row, text in enumerate(texts):
            self.size = row + 1
            for word in set(text):
                rows.setdefault(word, []).append(row)
        self.rows: Mapping[str, npt.NDArray[np.int64]] = {word: np.array(found) for word, found in rows.items()}

    def __contains__(self, word: str) -> bool:
        return word in self.rows

    def mark(self, column: npt.NDArray[np.bool_], word: str) -> None:
        """Set ``column`` where ``word`` stands."""
        if word in self.rows:
            column[self.rows[word]] = True

    def among(self, word: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of ``rows`` have ``word``."""
        having = self.rows.get(word)
        if having is None:
            return np.zeros(len(rows), dtype=bool)
        places = np.minimum(np.searchsorted(having, rows), len(having) - 1)
        return np.asarray(having[places] == rows)

    @cached_property
    def _rarities(self) -> Mapping[str, float]:
        total = np.log(self.size + 1)
        return {word: float(np.log((self.size + 1) / (len(rows) + 0.5)) / total) for word, rows in self.rows.items()}

    def rarity(self, word: str) -> float:
        """About 0 for a word of all rows, 1 for one of a single row or of none."""
        return self._rarities.get(word, 1.0)


@dataclass(frozen=True)
class Matches:
    """Per row: the share of the query's concepts that stand in the name or label, there or in the service's name, and anywhere;
    and the share of the name's words that the query says. All in [0, 1], weighted by rarity."""

    own: Column
    name: Column
    whole: Column
    said: Column


class EndpointFields:
    """The words of endpoints, by place."""

    def __init__(self, endpoints: Sequence[EndpointSummary]) -> None:
        self.size = len(endpoints)
        self.own = Postings([*_name_stems(item.endpoint), *_text_stems(item.label)] for item in endpoints)
        self._held = Postings(_held(item) for item in endpoints)
        self._named = Postings(_name_stems(item.endpoint) for item in endpoints)
        titles = {item.service: item.service_title for item in endpoints}
        services = sorted(titles)
        number = {service: place for place, service in enumerate(services)}
        self._service_of = np.array([number[item.service] for item in endpoints], dtype=np.int64)
        self._services = Postings([*_name_stems(item), *_name_stems(titles[item])] for item in services)
        self._name_weight = np.full(self.size, 1e-9, dtype=np.float32)
        for word, rows in self._named.rows.items():
            if word not in _NO_CONTENT:
                self._name_weight[rows] += self.own.rarity(word)

    def match(self, parts: Sequence[Sequence[Concept]]) -> list[Matches]:
        """How each endpoint answers each list of concepts; concepts that no endpoint knows count for nothing."""
        known = {concept for part in parts for concept in part if self._is_known(concept)}
        columns = {concept: np.max([self._reading(words) for words in concept.readings], axis=0) for concept in known}
        found = []
        for part in parts:
            shares, weight = np.zeros((3, self.size), dtype=np.float32), _DAMPING
            for concept in part:
                if concept in columns:
                    share = max(self._weight(reading) for reading in concept.readings)
                    shares += np.float32(share) * columns[concept]
                    weight += share
            shares /= np.float32(weight)
            found.append(Matches(shares[0], shares[1], shares[2], self._said(part)))
        return found

    def coverage(self, concepts: Sequence[Concept]) -> float:
        """The best share of ``concepts`` that one endpoint has, in [0, 1]; what no endpoint knows is missed by all."""
        known = sum(max(map(self._weight, item.readings)) for item in concepts if self._is_known(item)) + _DAMPING
        unknown = sum(1 for item in concepts if not self._is_known(item))
        best = float(self.match([concepts])[0].whole.max(initial=0.0))
        return best * known / (known + unknown)

    def shared(self, concepts: Sequence[Concept], rows: Sequence[int]) -> list[tuple[str, ...]]:
        """For each of ``rows`` what the query says and the endpoint has, as the query says it, each once."""
        has = {concept: self._has(concept, np.array(rows)) for concept in concepts}
        return [tuple(dict.fromkeys(item.said for item in concepts if has[item][place])) for place in range(len(rows))]

    def _is_known(self, concept: Concept) -> bool:
        places = (self.own, self._held, self._services)
        return any(word in place for reading in concept.readings for word in reading for place in places)

    def _weight(self, reading: tuple[str, ...]) -> float:
        return sum(self.own.rarity(word) for word in reading)

    def _reading(self, reading: tuple[str, ...]) -> npt.NDArray[np.float32]:
        """Shares in the name, with the service's, and anywhere; shape (3, endpoints)."""
        shares = np.zeros((3, self.size), dtype=np.float32)
        whole = self._weight(reading)
        for word in reading:
            part = np.float32(self.own.rarity(word) / whole)
            has, service = np.zeros(self.size, dtype=bool), np.zeros(self._services.size, dtype=bool)
            self.own.mark(has, word)
            shares[0][has] += part
            self._services.mark(service, word)
            has |= service[self._service_of]
            shares[1][has] += part
            self._held.mark(has, word)
            shares[2][has] += part
        return shares

    def _said(self, concepts: Sequence[Concept]) -> Column:
        found = np.zeros(self.size, dtype=np.float32)
        for word in {word for concept in concepts for reading in concept.readings for word in reading} - _NO_CONTENT:
            if word in self._named:
                found[self._named.rows[word]] += self.own.rarity(word)
        return np.asarray(found / self._name_weight, dtype=np.float32)

    def _has(self, concept: Concept, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(rows), dtype=bool)
        for reading in concept.readings:
            whole = np.ones(len(rows), dtype=bool)
            for word in reading:
                here = self.own.among(word, rows) | self._held.among(word, rows)
                whole &= here | self._services.among(word, self._service_of[rows])
            found |= whole
        return found


class NodeFields:
    """The words of process nodes: label and documentation."""

    def __init__(self, nodes: Sequence[ProcessNode]) -> None:
        self._words = Postings(_text_stems(f"{node.label} {node.documentation}") for node in nodes)

    def match(self, concepts: Sequence[Concept]) -> Column:
        """The share of ``concepts`` that stand in each node, weighted by rarity."""
        found = np.zeros(self._words.size, dtype=np.float32)
        weight = _DAMPING
        for concept in concepts:
            share = self._share(concept)
            best = np.zeros(self._words.size, dtype=np.float32)
            for reading in concept.readings:
                np.maximum(best, self._reading(reading), out=best)
            found += share * best
            weight += share
        return found / np.float32(weight)

    def coverage(self, concepts: Sequence[Concept]) -> float:
        """The best share of ``concepts`` that one node has, in [0, 1]."""
        return float(self.match(concepts).max(initial=0.0))

    def _share(self, concept: Concept) -> float:
        """The weight of what nodes have of a concept; of its first reading when they have none."""
        known = [reading for reading in concept.readings if any(word in self._words for word in reading)]
        return max(self._weight(reading) for reading in known or concept.readings[:1])

    def _weight(self, reading: tuple[str, ...]) -> float:
        return sum(self._words.rarity(word) for word in reading)

    def _reading(self, reading: tuple[str, ...]) -> Column:
        column = np.zeros(self._words.size, dtype=np.float32)
        whole = self._weight(reading)
        for word in reading:
            if word in self._words:
                column[self._words.rows[word]] += self._words.rarity(word) / max(whole, 1e-9)
        return column


def _held(item: EndpointSummary) -> Iterable[str]:
    """Stems of what an endpoint holds: properties, navigations, description."""
    for name, label in item.properties:
        yield from _name_stems(name)
        yield from _text_stems(label)
    for name, _ in item.navigations:
        yield from _name_stems(name)
    yield from _text_stems(item.description)


# Names and labels repeat over thousands of types.
@lru_cache(maxsize=_NAME_PARTS)
def _name_stems(name: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in split_name(name))


@lru_cache(maxsize=_NAME_PARTS)
def _text_stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text))
