"""A draft record: rows by path, filled value by value in the order of the goal's text."""

from dataclasses import dataclass, field
from typing import Any

from agent.planning.slots import Slot, role


@dataclass(frozen=True)
class Stated:
    """One value in a draft: plain text or code, where it comes from, and where in the goal it stands."""

    value: Any
    source: str
    at: int = -1


@dataclass
class Row:
    """One record under ``path``; ``parent`` is the row that it is nested in."""

    path: tuple[str, ...]
    parent: "Row | None" = None
    values: dict[str, Stated] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """Why a stated value cannot be used: an unlisted code, two values for one field, or no field for it."""

    kind: str
    slot: Slot | None
    asked: str


@dataclass
class Draft:
    """All rows of one call, with what could not be placed."""

    rows: list[Row] = field(default_factory=lambda: [Row(())])
    problems: list[Problem] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    @property
    def root(self) -> Row:
        """The record itself."""
        return self.rows[0]

    def at(self, path: tuple[str, ...]) -> list[Row]:
        """Rows of one path in order."""
        return [r for r in self.rows if r.path == path]

    def current(self, path: tuple[str, ...]) -> Row:
        """The row being filled under ``path``, made with its parents when there is none."""
        if not path:
            return self.root
        parent = self.current(path[:-1])
        mine = [r for r in self.rows if r.path == path and r.parent is parent]
        return mine[-1] if mine else self.open(path)

    def open(self, path: tuple[str, ...]) -> Row:
        """Start a new row under ``path``."""
        row = Row(path, self.current(path[:-1]))
        self.rows.append(row)
        return row

    def place(self, slot: Slot, stated: Stated) -> bool:
        """Put a value into the current row; a second value of a nested field starts the next row."""
        row = self.current(slot.path)
        present = row.values.get(slot.name)
        if present is not None and present.value == stated.value and role(slot) != "quantity":
            return True
        if present is not None:
            if not slot.path:
                return False
            row = self.open(slot.path)
        row.values[slot.name] = stated
        return True

    def has(self, slot: Slot) -> bool:
        """Whether any row of the slot's path holds it."""
        return any(slot.name in r.values for r in self.at(slot.path))

    def share(self, slot: Slot, stated: Stated) -> None:
        """Put a value into every row of the slot's path that has none."""
        rows = self.at(slot.path) or [self.current(slot.path)]
        for row in rows:
            row.values.setdefault(slot.name, stated)
