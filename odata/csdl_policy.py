"""Leniency as a visible choice: what happens when metadata is readable XML but wrong CSDL.

By default every defect is *reported* and the file is loaded: services in use carry dangling references, and refusing
them would leave their users with nothing. A stricter policy may refuse a kind of defect, none may hide one unseen
unless it says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, get_args

Reaction = Literal["report", "refuse", "ignore"]


class Defect(StrEnum):
    """Kinds of defects in well-formed metadata."""

    DANGLING_TYPE = "dangling-type"
    DANGLING_PROPERTY = "dangling-property"
    DANGLING_SET = "dangling-set"
    DANGLING_ASSOCIATION = "dangling-association"
    DANGLING_TARGET = "dangling-target"
    BAD_FACET = "bad-facet"
    DUPLICATE = "duplicate"
    MISSING_ATTRIBUTE = "missing-attribute"
    UNQUALIFIED_NAME = "unqualified-name"


@dataclass(frozen=True)
class CsdlPolicy:
    """Reaction per kind of defect; ``report`` where nothing else is said."""

    reactions: Mapping[Defect, Reaction] = field(default_factory=lambda: MappingProxyType({}))

    def reaction(self, defect: Defect) -> Reaction:
        """What to do about a defect of this kind."""
        return self.reactions.get(defect, "report")


def policy_of(choices: Sequence[str]) -> CsdlPolicy:
    """``refuse`` (for all kinds) or ``dangling-type=ignore`` (for one); a later choice wins. Raises ``ValueError``."""
    reactions: dict[Defect, Reaction] = {}
    for choice in choices:
        kind, _, said = choice.rpartition("=")
        chosen: Reaction | None = next((item for item in get_args(Reaction) if item == said), None)
        if chosen is None:
            raise ValueError(f"{choice!r}: {said!r} is none of {', '.join(get_args(Reaction))}")
        if kind and kind not in {item.value for item in Defect}:
            raise ValueError(f"{choice!r}: {kind!r} is none of {', '.join(Defect)}")
        reactions.update(dict.fromkeys([Defect(kind)] if kind else list(Defect), chosen))
    return CsdlPolicy(reactions)
