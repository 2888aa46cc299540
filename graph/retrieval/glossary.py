"""Business words of other languages and of offices ("PO", "Bestellung", "facture") to the English words of metadata.

The packaged embedding model knows English only; the words are added to a query, never put in place of it.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from graph.search_text import fold, words
from graph.word_lists import glossary, stop_words

_ENDINGS = ("innen", "ern", "en", "es", "er", "em", "e", "n", "s")
_JOINTS = ("", "s", "es", "n", "en", "er")
_SHORTEST_PART = 4


def translate(text: str) -> list[str]:
    """English words for what ``text`` says in other words, in order and each once; empty for plain English."""
    phrases, capitals = _tables()
    found: dict[str, None] = {}
    for start in (part for part in text.split() if part.isupper()):
        found.update(dict.fromkeys(capitals.get(start.strip(".,;:!?()"), "").split()))
    spoken = words(text)
    position = 0
    while position < len(spoken):
        length, english = _longest(spoken, position, phrases)
        found.update(dict.fromkeys(english.split()))
        position += length
    return list(found)


@cache
def _tables() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Entries by folded words, and those that count only in capitals."""
    entries = glossary()
    phrases = {" ".join(words(term)): english for term, english in entries.items() if not term.isupper()}
    return phrases, {term: english for term, english in entries.items() if term.isupper()}


def _longest(spoken: Sequence[str], position: int, phrases: Mapping[str, str]) -> tuple[int, str]:
    for length in (3, 2, 1):
        phrase = " ".join(spoken[position : position + length])
        if phrase in phrases:
            return length, phrases[phrase]
    return 1, _stem(spoken[position], phrases) or _compound(spoken[position], phrases)


def _stem(word: str, phrases: Mapping[str, str]) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_PART:
            for stem in (word.removesuffix(ending), word.removesuffix(ending) + "e"):
                if stem in phrases:
                    return phrases[stem]
    return ""


def _compound(word: str, phrases: Mapping[str, str]) -> str:
    """A German compound of two known words: *Lieferanten* + *adresse*."""
    for cut in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        last = word[cut:]
        head = phrases.get(last) or _stem(last, phrases)
        if not head:
            continue
        for joint in _JOINTS:
            first = word[:cut].removesuffix(joint)
            if first in phrases:
                return f"{phrases[first]} {head}"
    return ""


def expand(text: str) -> str:
    """``text`` with its English words behind it."""
    english = [word for word in translate(text) if word not in {fold(part) for part in words(text)}]
    return f"{text} ({' '.join(english)})" if english else text


def readings(text: str) -> tuple[str, ...]:
    """Texts to embed for ``text``: itself without its values and with its English words, and, for another language, those
    English words alone as well.

    Document numbers, dates and amounts say nothing of the kind of thing that is asked for. Words that the model does not
    know blur a vector, and English ones beside them do not clear it.
    """
    said = _without_values(text)
    english = translate(said)
    if not english or not _is_foreign(said):
        return (expand(said),)
    return (expand(said), " ".join(english))


def _without_values(text: str) -> str:
    kept = [word for word in text.split() if not any(letter.isdigit() for letter in word)]
    return " ".join(kept) or text


def _is_foreign(text: str) -> bool:
    spoken = words(text)
    return not text.isascii() or not any(word in stop_words() for word in spoken)
