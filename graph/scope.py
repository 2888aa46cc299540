"""Whether a catalogue has anything to do with a goal."""

from collections.abc import Sequence

from graph.retrieval.base import Evidence

WORDS = 6.0
"""What it counts, in standard deviations of the background, that one passage has all that the goal names."""
LEAST = 5.25
"""A goal is in scope from this sum on. Chosen on the train queries and 50 strange ones over two catalogues so that few real
goals are refused: a strange one that passes costs a look at the context, a real one that does not costs the task."""


def is_out_of_scope(evidence: Sequence[Evidence]) -> bool:
    """True when neither the goal nor any clause of it comes near a passage of the catalogue."""
    return not any(item.standing + WORDS * item.words >= LEAST for item in evidence)
