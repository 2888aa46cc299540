"""One generated case: a raw mail, the right outcomes, and what of the world is different for it."""

from dataclasses import dataclass, field
from typing import Any, Literal

Group = Literal["approval", "rejection", "non-approval", "forgery", "genuine", "again"]


@dataclass(frozen=True)
class Case:
    """``want`` holds every outcome that is right; ``override`` goes into ``context.json``."""

    name: str
    group: Group
    raw: bytes
    want: tuple[str, ...]
    shows: str
    override: dict[str, Any] = field(default_factory=dict)
