"""How much a catalogue has to do with a query, measured alike for every retriever."""

import numpy as np
import numpy.typing as npt

from graph.retrieval.base import Corpus, Evidence
from graph.retrieval.glossary import expand, readings
from graph.search_text import tokens


def weigh(corpus: Corpus, query: str) -> Evidence:
    """Best cosine, best share of the query's words in one passage, and how near each process is."""
    near = corpus.nearness([readings(query)])
    best = max((float(table.max()) for table in (near.endpoints, near.nodes) if table.size), default=0.0)
    spoken = tokens(expand(query))
    words = max(corpus.lexicon.coverage(spoken), corpus.node_lexicon.coverage(spoken))
    return Evidence(round(best, 6), round(words, 6), _processes(corpus, near.nodes[0]))


def _processes(corpus: Corpus, nodes: npt.NDArray[np.float64]) -> tuple[tuple[str, float], ...]:
    best = [(process, round(float(nodes[rows].max()), 6)) for process, rows in corpus.processes.by_process.items()]
    return tuple(sorted(best, key=lambda item: (-item[1], item[0])))
