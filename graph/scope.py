"""Whether a catalogue has anything to do with a goal."""

from collections.abc import Sequence

from graph.retrieval.base import Evidence

NEAR_COSINE = 0.365
"""From this cosine on, a goal is in scope whatever its words. Measured with all-MiniLM-L6-v2 on 22 strange and 210 real goals
over two catalogues; a model whose cosines are higher by nature lets more strange goals through and no fewer real ones."""
POOR_COSINE = 0.30
KNOWN_WORDS = 0.65
"""Between ``POOR_COSINE`` and ``NEAR_COSINE``, a goal is in scope when one passage has that share of its words."""


def is_out_of_scope(evidence: Sequence[Evidence]) -> bool:
    """True when neither the goal nor any clause of it comes near a passage of the catalogue."""
    return not any(_near(item) for item in evidence)


def _near(item: Evidence) -> bool:
    return item.cosine >= NEAR_COSINE or (item.cosine >= POOR_COSINE and item.words >= KNOWN_WORDS)
