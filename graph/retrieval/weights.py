"""The few numbers of the Countersign retriever, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Weights:
    """Chosen on the train split of the open benchmark, in round numbers. All scores are on the scale of a cosine.

    ``name``: share of the cosine with the endpoint's name alone; the rest is that with its whole passage.
    ``words``: what a full word match adds; a BM25 of ``words_half`` counts half of it. ``head``: what it adds that the
    endpoint heads a family of names (``SalesOrder`` before ``SalesOrderItem``). ``bound``, ``covered``: what it adds that the
    endpoint is bound to a process node, or its service to any.
    ``node_words``, ``node_words_half``: word match with process nodes. ``node``: an endpoint scores at least that share of
    the process nodes that it is bound to.
    ``clause``: the score of the best clause counts that much beside the score of the whole query.
    ``slack``: an anchor counts while it is at most that much below the best endpoint of its clause.
    ``step``: what an endpoint on the walked chain adds, once the query asks for a chain. ``decay``: factor for each bound
    step away from the anchor; ``reach``: how many such steps are walked.
    """

    name: float = 0.3
    words: float = 0.3
    words_half: float = 12.0
    head: float = 0.04
    bound: float = 0.06
    covered: float = 0.06
    node_words: float = 0.2
    node_words_half: float = 8.0
    node: float = 1.0
    clause: float = 0.8
    slack: float = 0.25
    step: float = 0.3
    decay: float = 0.9
    reach: int = 3
