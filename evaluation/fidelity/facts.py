"""Facts by structural class. A fact is a tuple of texts: the key of its file, the element, what is said, the value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Fact = tuple[str, ...]

CSDL_CLASSES = (
    "services", "schemas", "containers", "entity_sets", "singletons", "navigation_bindings", "entity_types", "base_types",
    "complex_types", "enum_types", "enum_members", "type_definitions", "properties", "keys", "navigation_properties",
    "referential_constraints", "associations", "operations", "operation_imports", "parameters", "sap_annotations",
    "annotations", "value_lists", "labels",
)  # fmt: skip
BPMN_CLASSES = (
    "processes", "participants", "lanes", "tasks", "events", "boundary_events", "gateways", "subprocesses",
    "call_activities", "sequence_flows", "message_flows", "follows_edges",
)  # fmt: skip
CLASSES = (*CSDL_CLASSES, *BPMN_CLASSES, "bindings")


@dataclass
class FactTable:
    """Sets of facts by class; ``key`` goes before every fact that is added.

    ``uncounted``: beginnings of facts that the reference does not enumerate (conditions in meshes of gateways).
    """

    key: str = ""
    classes: dict[str, set[Fact]] = field(default_factory=dict)
    uncounted: set[Fact] = field(default_factory=set)

    def add(self, name: str, *parts: str) -> None:
        """One fact."""
        self.classes.setdefault(name, set()).add((self.key, *parts))

    def add_all(self, name: str, prefix: Fact, said: Iterable[tuple[str, str]]) -> None:
        """A fact for each (what, value) of one element."""
        for what, value in said:
            self.add(name, *prefix, what, value)

    def merge(self, other: "FactTable") -> None:
        """Take in the facts of another file."""
        for name, facts in other.classes.items():
            self.classes.setdefault(name, set()).update(facts)
        self.uncounted |= other.uncounted

    def __iter__(self) -> Iterator[tuple[str, set[Fact]]]:
        return iter(self.classes.items())


@dataclass(frozen=True)
class ClassResult:
    """``coverage``: facts of the reference that are held / of the reference; ``exactness``: the other way round."""

    name: str
    reference: int
    held: int
    common: int

    def plus(self, other: "ClassResult") -> "ClassResult":
        """The class over the files of both."""
        return ClassResult(
            self.name, self.reference + other.reference, self.held + other.held, self.common + other.common
        )

    @property
    def coverage(self) -> float:
        """1.0 where the reference has no fact."""
        return self.common / self.reference if self.reference else 1.0

    @property
    def exactness(self) -> float:
        """1.0 where the graph has no fact."""
        return self.common / self.held if self.held else 1.0

    @property
    def perfect(self) -> bool:
        """Whether both sides hold the same facts."""
        return self.common == self.reference == self.held


def compare(reference: Mapping[str, set[Fact]], held: Mapping[str, set[Fact]]) -> list[ClassResult]:
    """All classes in their order."""
    found = []
    for name in CLASSES:
        left, right = reference.get(name, set()), held.get(name, set())
        found.append(ClassResult(name, len(left), len(right), len(left & right)))
    return found
