"""One named graph of a snapshot, read back from the store: plain look-ups of what is in it."""

from collections.abc import Iterator
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode, Store

from graph.vocabulary import RDF


class StoredGraph:
    """Values are texts: IRIs of resources, lexical forms of literals; languages are kept apart."""

    def __init__(self, store: Store, graph: str) -> None:
        self.graph = graph
        self._of: dict[str, dict[str, list[tuple[str, str]]]] = {}
        self._by_type: dict[str, list[str]] = {}
        for subject, predicate, value, _ in store.quads_for_pattern(None, None, None, NamedNode(graph)):
            language = (value.language or "") if isinstance(value, Literal) else ""
            self._of.setdefault(subject.value, {}).setdefault(predicate.value, []).append((value.value, language))
            if predicate.value == RDF.type:
                self._by_type.setdefault(value.value, []).append(subject.value)

    def of_type(self, class_iri: str) -> list[str]:
        """Subjects of a class, sorted."""
        return sorted(self._by_type.get(class_iri, ()))

    def types(self, subject: str) -> set[str]:
        """Classes of a subject."""
        return set(self.all(subject, RDF.type))

    def all(self, subject: str, predicate: str) -> list[str]:
        """All values, sorted."""
        return sorted(value for value, _ in self._of.get(subject, {}).get(predicate, ()))

    def text(self, subject: str, predicate: str) -> str:
        """The value; several joined, so that a second one is no match; empty for none."""
        return " | ".join(self.all(subject, predicate))

    def has(self, subject: str, predicate: str) -> bool:
        """Whether anything is said."""
        return predicate in self._of.get(subject, {})

    def tagged(self, subject: str, predicate: str) -> str:
        """The text with its language, as ``text@en``; empty for none."""
        found = sorted(self._of.get(subject, {}).get(predicate, ()))
        return " | ".join(f"{value}@{language}" if language else value for value, language in found)

    def said(self, subject: str) -> Iterator[tuple[str, str]]:
        """(predicate, value) of a subject."""
        for predicate, values in self._of.get(subject, {}).items():
            yield from ((predicate, value) for value, _ in values)

    def subjects(self) -> Iterator[str]:
        """Every subject."""
        yield from self._of


def name_of(iri: str) -> str:
    """The name in the last segment of an IRI."""
    return unquote(iri.rpartition("/")[2])


def term_of(iri: str) -> str:
    """The local name of a term of a vocabulary."""
    return iri.rpartition("#")[2]
