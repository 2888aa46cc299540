"""Canonical N-Quads written directly: the bytes that are hashed are the bytes that are loaded.

Canonical form of RDF 1.1 N-Quads: one space between terms, only ``"``, ``\\``, LF and CR escaped, ``xsd:string`` not written.
No blank nodes exist in our graphs, so sorting the lines is a full canonicalisation.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from hashlib import sha256

from graph.vocabulary import RDF, XSD

_TYPE = RDF.type
_BOOLEAN, _INTEGER, _DECIMAL = XSD.boolean, XSD.integer, XSD.decimal
_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r"})


_UNESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r"}
_ESCAPED = re.compile(r'\\[\\"nr]')


class GraphWriter:
    """Lines of one named graph. Subjects, predicates and objects are IRIs without angle brackets."""

    def __init__(self, graph: str) -> None:
        self.graph = graph
        self._lines: set[str] = set()

    def type(self, subject: str, class_iri: str) -> None:
        """``subject`` is of that class."""
        self.iri(subject, _TYPE, class_iri)

    def iri(self, subject: str, predicate: str, value: str) -> None:
        """A triple whose object is a resource."""
        self._lines.add(f"<{subject}> <{predicate}> <{value}> <{self.graph}> .\n")

    def text(self, subject: str, predicate: str, value: str | None, language: str = "") -> None:
        """A string; nothing for None or an empty one, since absence is how the graph says *not stated*."""
        if value:
            tag = f"@{language}" if language else ""
            self._lines.add(f'<{subject}> <{predicate}> "{value.translate(_ESCAPES)}"{tag} <{self.graph}> .\n')

    def string(self, subject: str, predicate: str, value: str) -> None:
        """A string that may be empty (a default value, a code)."""
        self._lines.add(f'<{subject}> <{predicate}> "{value.translate(_ESCAPES)}" <{self.graph}> .\n')

    def integer(self, subject: str, predicate: str, value: int | None) -> None:
        """An integer; nothing for None."""
        if value is not None:
            self._lines.add(f'<{subject}> <{predicate}> "{value}"^^<{_INTEGER}> <{self.graph}> .\n')

    def decimal(self, subject: str, predicate: str, value: Decimal | None) -> None:
        """A decimal in plain notation; nothing for None."""
        if value is not None:
            self._lines.add(f'<{subject}> <{predicate}> "{value:f}"^^<{_DECIMAL}> <{self.graph}> .\n')

    def boolean(self, subject: str, predicate: str, value: bool) -> None:
        """A boolean, both values written."""
        word = "true" if value else "false"
        self._lines.add(f'<{subject}> <{predicate}> "{word}"^^<{_BOOLEAN}> <{self.graph}> .\n')

    def flag(self, subject: str, predicate: str, value: bool) -> None:
        """A boolean that is written only when true (false is the default of what it says)."""
        if value:
            self.boolean(subject, predicate, True)

    def literal(self, subject: str, predicate: str, value: str, datatype: str, language: str) -> None:
        """Any literal, given by its parts."""
        tag = f"@{language}" if language else "" if datatype == XSD.string else f"^^<{datatype}>"
        self._lines.add(f'<{subject}> <{predicate}> "{value.translate(_ESCAPES)}"{tag} <{self.graph}> .\n')

    def lines(self) -> set[str]:
        """All lines, each ending in LF."""
        return self._lines


def term_value(term: str) -> str:
    """The value of an object as it stands in a canonical line: the IRI, or the lexical form of the literal."""
    if term[0] == "<":
        return term[1:-1]
    value = term[1 : term.rindex('"')]
    return _ESCAPED.sub(lambda found: _UNESCAPES[found[0]], value) if "\\" in value else value


def lines_by_graph(lines: Iterable[str]) -> dict[str, list[str]]:
    """Named graph -> its lines, in the order in which they come."""
    found: dict[str, list[str]] = {}
    for line in lines:
        # A graph's IRI holds no "<" and stands last: `… <graph> .\n`.
        graph = line[line.rindex("<") + 1 : -4]
        held = found.get(graph)
        if held is None:
            found[graph] = [line]
        else:
            held.append(line)
    return found


def sorted_lines(groups: Iterable[set[str]]) -> list[str]:
    """All lines of all graphs in code point order."""
    return sorted(line for group in groups for line in group)


def graph_hash(lines: Iterable[str]) -> str:
    """SHA-256 (hex) over sorted lines in UTF-8."""
    digest = sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()
