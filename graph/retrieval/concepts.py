"""What a query names: each thing with the words that it may stand under in metadata."""

from dataclasses import dataclass

from graph.retrieval.glossary import languages, spans
from graph.search_text import stem
from graph.word_lists import function_words, stop_words


@dataclass(frozen=True)
class Concept:
    """``said`` = the words of the query; ``readings`` = stems, any one of which may stand in a text for it."""

    said: str
    readings: tuple[tuple[str, ...], ...]


def concepts_of(text: str) -> tuple[Concept, ...]:
    """The concepts of ``text`` in order; stop words and numbers are none."""
    small = set(stop_words()).union(*(function_words().get(language, frozenset()) for language in languages(text)))
    found: list[Concept] = []
    for span in spans(text):
        own = tuple(stem(word) for word in span.words if word not in small and not _has_digit(word))
        others = tuple(tuple(stem(word) for word in meaning.split()) for meaning in span.meanings)
        readings = tuple(dict.fromkeys(reading for reading in (own, *others) if reading))
        if readings:
            found.append(Concept(" ".join(span.words), readings))
    return tuple(found)


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)
