"""Word retrieval: BM25 over the endpoints' full passages."""

from graph.retrieval.base import Corpus, Evidence, make_hits, ranking
from graph.retrieval.evidence import weigh
from graph.search_text import tokens
from wire.context import Hit, Reason


class Bm25Retriever:
    """Finds nothing where no word is shared."""

    name = "bm25"

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def search(self, query: str, k: int) -> list[Hit]:
        """See ``Retriever``. Endpoints without a shared word are no hits."""
        words = tokens(query)
        scores = self._corpus.lexicon.scores(words)
        rows = [row for row in ranking(scores, k) if scores[row] > 0]
        found = {row: float(scores[row]) for row in rows}
        return make_hits(self._corpus, rows, found, lambda row: (words_reason(self._corpus, words, row),))

    def evidence(self, query: str) -> Evidence:
        """See ``Retriever``."""
        return weigh(self._corpus, query)


def words_reason(corpus: Corpus, words: list[str], row: int) -> Reason:
    """The reason of a hit that shares words with the query."""
    return Reason(kind="words", text="matched words: " + ", ".join(corpus.lexicon.matched(words, row)))
