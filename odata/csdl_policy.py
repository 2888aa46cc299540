"""Leniency as a visible choice: what happens when metadata is readable XML but wrong CSDL.

By default every defect is *reported* and the file is loaded: services in use carry dangling references, and refusing
them would leave their users with nothing. A stricter policy may refuse a kind of defect, none may hide one unseen
unless it says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

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
