"""Word search over passages (BM25), and how many of a query's words one passage covers."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import bm25s
import numpy as np
import numpy.typing as npt

from graph.search_text import tokens


class Lexicon:
    """Row i belongs to ``texts[i]``. Built on first use: seconds for 20,000 texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def scores(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """BM25 of every text for query ``words`` (as ``tokens`` makes them); zeros when none is known."""
        known = [word for word in words if word in self._postings]
        if not known:
            return np.zeros(len(self._texts), dtype=np.float32)
        return np.asarray(self._bm25.get_scores(known), dtype=np.float32)

    def matched(self, words: Sequence[str], row: int) -> tuple[str, ...]:
        """The query words that stand in that text, each once, in the order of the query."""
        present = self._word_sets[row]
        return tuple(dict.fromkeys(word for word in words if word in present))

    def rarity(self, word: str) -> float:
        """Inverse document frequency in [0, 1]: 1 = in one text or in none, 0 = in all."""
        count = len(self._postings.get(word, ()))
        total = max(len(self._texts), 2)
        return float(np.log(total / max(count, 1)) / np.log(total))

    def coverage(self, words: Sequence[str]) -> float:
        """The best share of ``words``, weighted by rarity, that any one text has; in [0, 1]."""
        weights = {word: self.rarity(word) for word in words}
        whole = sum(weights.values())
        if not whole:
            return 0.0
        sums = np.zeros(len(self._texts), dtype=np.float64)
        for word, weight in weights.items():
            if word in self._postings:
                sums[self._postings[word]] += weight
        return float(sums.max(initial=0.0) / whole)

    @cached_property
    def _passages(self) -> list[list[str]]:
        return [tokens(text) for text in self._texts]

    @cached_property
    def _word_sets(self) -> list[frozenset[str]]:
        return [frozenset(passage) for passage in self._passages]

    @cached_property
    def _postings(self) -> dict[str, npt.NDArray[np.int64]]:
        rows: dict[str, list[int]] = {}
        for row, present in enumerate(self._word_sets):
            for word in present:
                rows.setdefault(word, []).append(row)
        return {word: np.array(found, dtype=np.int64) for word, found in rows.items()}

    @cached_property
    def _bm25(self) -> Any:
        model = bm25s.BM25()
        model.index(self._passages, show_progress=False)
        return model
