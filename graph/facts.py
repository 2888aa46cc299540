"""Triples of one service as look-ups: subject and predicate -> values. The only place that walks quads of a service."""

from collections.abc import Iterable, Mapping

from pyoxigraph import Quad

from graph.nquads import term_value
from graph.store import Triples
from graph.vocabulary import RDF, RDFS

_TYPE = RDF.type
_LABEL = RDFS.label


class Facts:
    """Values are strings: IRIs of resources, lexical forms of literals."""

    def __init__(self) -> None:
        self._subjects: dict[str, dict[str, list[str]]] = {}

    @classmethod
    def of_graphs(cls, store: Triples, graphs: Iterable[str]) -> "Facts":
        """All quads of some named graphs."""
        facts = cls()
        for graph in graphs:
            for quad in store.quads(graph):
                facts.add(quad)
        return facts

    @classmethod
    def of_lines(cls, graph: str, lines: Iterable[str]) -> "Facts":
        """The canonical N-Quads lines of one named graph, as ``graph.nquads`` writes them: five times as fast as quads."""
        facts = cls()
        facts.add_lines(graph, lines)
        return facts

    def add_lines(self, graph: str, lines: Iterable[str]) -> None:
        """Take in lines of that graph. Canonical lines have one space between terms, and none inside an IRI."""
        subjects = self._subjects
        end = -len(f" <{graph}> .\n")
        # Each predicate stands in thousands of lines: one string serves all of them.
        known: dict[str, str] = {}
        for line in lines:
            subject, predicate, value = line[1:end].split("> ", 2)
            members = subjects.get(subject)
            if members is None:
                members = subjects[subject] = {}
            predicate = known.setdefault(predicate, predicate[1:])
            held = members.get(predicate)
            if held is None:
                members[predicate] = [term_value(value)]
            else:
                held.append(term_value(value))

    def add(self, quad: Quad) -> None:
        """Take in one quad (its graph is not kept)."""
        subject, predicate, value, _ = quad
        members = self._subjects.setdefault(subject.value, {})
        members.setdefault(predicate.value, []).append(value.value)

    def merge(self, subject: str, members: Mapping[str, list[str]]) -> None:
        """Add what another graph says of a subject."""
        own = self._subjects.setdefault(subject, {})
        for predicate, values in members.items():
            own.setdefault(predicate, []).extend(values)

    def subjects(self) -> Iterable[tuple[str, Mapping[str, list[str]]]]:
        """Every subject with its members."""
        return self._subjects.items()

    def members(self, subject: str) -> Mapping[str, list[str]]:
        """Everything that is said of the subject."""
        return self._subjects.get(subject, {})

    def has(self, subject: str) -> bool:
        """Whether anything is said of the subject."""
        return subject in self._subjects

    def all(self, subject: str, predicate: str) -> list[str]:
        """All values, sorted."""
        members = self._subjects.get(subject)
        found = members.get(predicate) if members else None
        return sorted(found) if found else []

    def one(self, subject: str, predicate: str) -> str | None:
        """The value, or the smallest of several; None when there is none."""
        members = self._subjects.get(subject)
        found = members.get(predicate) if members else None
        if not found:
            return None
        return found[0] if len(found) == 1 else min(found)

    def text(self, subject: str, predicate: str) -> str:
        """The value or the empty string."""
        return self.one(subject, predicate) or ""

    def integer(self, subject: str, predicate: str) -> int | None:
        """An integer value."""
        value = self.one(subject, predicate)
        return None if value is None else int(value)

    def flag(self, subject: str, predicate: str, default: bool = False) -> bool:
        """A boolean value; ``default`` when nothing is said."""
        value = self.one(subject, predicate)
        return default if value is None else value == "true"

    def is_a(self, subject: str, class_iri: str) -> bool:
        """Whether the subject is of that class."""
        members = self._subjects.get(subject)
        return members is not None and class_iri in members.get(_TYPE, ())

    def types(self, subject: str) -> list[str]:
        """Classes of the subject."""
        return self.all(subject, _TYPE)

    def label(self, subject: str) -> str:
        """``rdfs:label``."""
        return self.text(subject, _LABEL)

    def ordered(self, subject: str, predicate: str, position: str) -> list[str]:
        """Linked resources in the order of their ``position`` (unnumbered ones last, by IRI)."""
        found = self.all(subject, predicate)
        if len(found) < 2:
            return found
        return sorted(found, key=lambda node: (int(self.one(node, position) or 1 << 30), node))
