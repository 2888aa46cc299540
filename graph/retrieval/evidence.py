"""How much a catalogue has to do with a query, measured alike for every retriever."""

import numpy as np
import numpy.typing as npt

from graph.retrieval.base import Corpus, Evidence
from graph.retrieval.concepts import concepts_of
from graph.retrieval.glossary import readings


def weigh(corpus: Corpus, query: str) -> Evidence:
    """Best cosine and where it stands, best share of what the query names, and how near each process is."""
    near = corpus.nearness([readings(query)])
    best = float(near.best()[0])
    middle, spread = corpus.background
    concepts = concepts_of(query)
    words = max(corpus.fields.coverage(concepts), corpus.node_fields.coverage(concepts))
    return Evidence(
        cosine=round(best, 6),
        words=round(words, 6),
        processes=_processes(corpus, near.nodes[0]),
        standing=round((best - middle) / spread, 6),
    )


def _processes(corpus: Corpus, nodes: npt.NDArray[np.float64]) -> tuple[tuple[str, float], ...]:
    best = [(process, round(float(nodes[rows].max()), 6)) for process, rows in corpus.processes.by_process.items()]
    return tuple(sorted(best, key=lambda item: (-item[1], item[0])))
