"""What a mail of ours says, as blocks in reading order. Text and HTML are two renderings of the same blocks."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A section's title."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Words of ours. ``strong`` marks what must not be missed."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Fact:
    """One labelled value; ``old`` is what it replaces."""

    label: str
    value: str
    old: str | None = None


@dataclass(frozen=True)
class Facts:
    """Labelled values, one a line. ``record``: for the record, small, and exact: no line of it is wrapped."""

    items: Sequence[Fact]
    title: str = ""
    record: bool = False


@dataclass(frozen=True)
class GridRow:
    """One row; ``more`` are the members that would make the table too wide for a phone."""

    cells: Sequence[str]
    more: Sequence[Fact] = ()


@dataclass(frozen=True)
class Grid:
    """A table with a title. ``same``: what all its rows share. ``long``: of many rows, so that each must weigh little."""

    title: str
    columns: Sequence[str]
    rows: Sequence[GridRow]
    totals: Sequence[str] = ()
    same: Sequence[Fact] = ()
    same_label: str = ""
    long: bool = False


@dataclass(frozen=True)
class Quoted:
    """Words of somebody else (the agent, a person, data): always marked as such, line by line."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Action:
    """A ``mailto:`` with a reply prefilled. Following it decides nothing: the person still has to send the mail."""

    label: str
    url: str


@dataclass(frozen=True)
class Actions:
    """The two answers."""

    items: Sequence[Action]


Block = Heading | Paragraph | Facts | Grid | Quoted | Actions


@dataclass(frozen=True)
class View:
    """A whole mail. ``ref`` is the opaque id that a reply's quote carries, empty where no reply is expected."""

    language: str
    subject: str
    title: str
    blocks: Sequence[Block]
    ref: str
