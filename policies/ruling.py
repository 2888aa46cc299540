"""What one check says of a mail."""

from dataclasses import dataclass

from wire.approval import Outcome


@dataclass(frozen=True)
class Ruling:
    """``check`` is the number of the question that decided (design.md section 4); ``reason`` a short code."""

    outcome: Outcome
    reason: str
    check: int
