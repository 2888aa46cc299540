"""What a query asks for: one thing, several steps, or what comes before or after a state of affairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from graph.clauses import asks_to_do
from graph.search_text import words
from graph.word_lists import asking_words

Kind = Literal["one", "asked", "maybe", "steps", "situation", "forward"]
"""``one``: a single clause. ``asked``: several clauses about one thing. ``steps``: several things to do. ``maybe``: two
clauses, one to do. ``forward``: what comes next, in words of sequence. ``situation``: a state and a question, without them."""


@dataclass(frozen=True)
class Asked:
    """The kind of a query, and for each clause whether it is a question (rather than a state or a task)."""

    kind: Kind
    questions: tuple[bool, ...]


def what_is_asked(query: str, clauses: Sequence[str]) -> Asked:
    """Judge a query by its clauses; words of sequence may stand between them."""
    said = [words(clause) for clause in clauses]
    questions = [_is_question(clause, frozenset(part)) for clause, part in zip(clauses, said, strict=True)]
    to_do = sum(asks_to_do(part) for part, asks in zip(said, questions, strict=True) if not asks)
    return Asked(_kind(words(query), said, questions, to_do), tuple(questions))


def _kind(query: list[str], said: Sequence[list[str]], questions: Sequence[bool], to_do: int) -> Kind:
    spoken = frozenset(query)
    about_data = bool(spoken & _set("metadata"))
    if any(questions) and to_do < 2 and not about_data and _asks_for_sequence(query):
        return "forward"
    if len(said) <= 1:
        return "one"
    if questions[-1] and not questions[0] and to_do < 2 and not about_data and said[-1][0] not in _set("selecting"):
        return "situation"
    if to_do >= 2 or len(said) >= 3:
        return "asked" if any(questions) and to_do < 2 else "steps"
    return "asked" if any(questions) or to_do == 0 else "maybe"


def _asks_for_sequence(query: list[str]) -> bool:
    """Whether it has words of sequence. "Where", "which" at the start ask for a thing, and a time beside them dates it."""
    found = frozenset(query) & _set("sequence")
    return bool(found - _set("time") if query[0] in _set("selecting") else found)


def _is_question(clause: str, spoken: frozenset[str]) -> bool:
    return bool(spoken & _set("question")) or clause.rstrip().endswith(("?", "？"))


@cache
def _set(name: str) -> frozenset[str]:
    return frozenset(folded for word in asking_words(name) for folded in words(word))
