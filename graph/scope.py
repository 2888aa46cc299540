"""Whether a catalogue has anything to do with a goal."""

from collections.abc import Sequence

from graph.retrieval.base import Evidence

NEAR_COSINE = 0.40
"""From this cosine on, a goal is in scope whatever its words."""
FAR_COSINE = 0.30
"""Below this cosine, a goal is out of scope unless the catalogue knows nearly all its words."""
KNOWN_WORDS = 0.30
"""Between the two, the share of known words decides; twice as much is needed below ``FAR_COSINE``."""


def is_out_of_scope(evidence: Sequence[Evidence]) -> bool:
    """True when neither the goal nor any clause of it comes near a passage of the catalogue."""
    return not any(_near(item) for item in evidence)


def _near(item: Evidence) -> bool:
    if item.cosine >= NEAR_COSINE:
        return True
    return item.words >= (KNOWN_WORDS if item.cosine >= FAR_COSINE else 2 * KNOWN_WORDS)
