"""The few numbers of the Countersign retriever, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Weights:
    """Chosen on the train split of the open benchmark. All scores are on the scale of a cosine.

    ``words``: what a full word match adds to the cosine; a BM25 of ``words_half`` counts half of it.
    ``bound``, ``covered``: what it adds that the endpoint is bound to a process node, or its service to any.
    ``node_words``, ``node_words_half``: the same for process nodes.
    ``clause``: the score of the best clause counts that much beside the score of the whole query.
    ``step``: what an endpoint on the walked chain adds, once the query asks for a chain.
    ``decay``: factor per bound step away from the anchor; ``reach``: how many such steps are walked.
    """

    words: float = 0.3
    words_half: float = 12.0
    bound: float = 0.04
    covered: float = 0.04
    node_words: float = 0.2
    node_words_half: float = 8.0
    clause: float = 0.9
    step: float = 0.2
    decay: float = 0.85
    reach: int = 3
