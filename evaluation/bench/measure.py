"""What a measure is: a number with its unit, and a goal where somebody set one."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Goal:
    """A bound that counts as reached when the value stands exactly on it."""

    kind: Literal["at most", "at least"]
    bound: float

    def met_by(self, value: float) -> bool:
        """Whether ``value`` reaches the goal."""
        return value <= self.bound if self.kind == "at most" else value >= self.bound

    def __str__(self) -> str:
        return f"{self.kind} {self.bound:g}"


@dataclass(frozen=True)
class Measure:
    """One line of the report. ``note`` says how the value came about, where the name leaves that open."""

    name: str
    value: float
    unit: str
    goal: Goal | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without a goal."""
        return None if self.goal is None else self.goal.met_by(self.value)

    def as_json(self) -> dict[str, Any]:
        """The measure as JSON values."""
        goal = None if self.goal is None else str(self.goal)
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "goal": goal,
            "met": self.met,
            "note": self.note,
        }


def at_most(bound: float) -> Goal:
    """A goal that smaller values reach."""
    return Goal("at most", bound)


def at_least(bound: float) -> Goal:
    """A goal that greater values reach."""
    return Goal("at least", bound)
