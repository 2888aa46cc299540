"""How much a catalogue has to do with a query, measured alike for every retriever."""

from graph.retrieval.base import Corpus, Evidence
from graph.retrieval.glossary import expand
from graph.search_text import tokens


def weigh(corpus: Corpus, query: str) -> Evidence:
    """Best cosine over endpoints and process nodes, and the best share of the query's words that one passage has."""
    text = expand(query)
    vector = corpus.embed([text])[0]
    cosines = [table for table in (corpus.cosines(vector), corpus.node_cosines(vector)) if table.size]
    best = max((float(table.max()) for table in cosines), default=0.0)
    words = tokens(text)
    return Evidence(round(best, 6), round(max(corpus.lexicon.coverage(words), corpus.node_lexicon.coverage(words)), 6))
