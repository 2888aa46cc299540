"""Business words of other languages and of offices ("PO", "Bestellung", "facture") to the English words of metadata.

The packaged embedding model knows English only; the words are added to a query, never put in place of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from graph.search_text import spelt_words, stem, words
from graph.word_lists import function_words, glossary, stop_words, synonyms

_STEMMERS: Mapping[str, str] = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "hi": "hindi",
}
_SCRIPTS = {"hi": re.compile(r"[\u0900-\u097f]"), "gu": re.compile(r"[\u0a80-\u0aff]")}
_GUJARATI_ENDING = re.compile(r"(?:ઓ)?(?:નું|નો|ની|ના|નાં|ને|માં|થી|એ|ઓ)$")
_COMPOUNDING = ("de", "nl")
_JOINTS = ("", "s", "es", "n", "en", "er")
_SHORTEST_PART = 4
_LONGEST_COMPOUND = 40
_LONGEST_PHRASE = 4
_REMEMBERED = 256
"""Texts: a query and its clauses are asked about several times in one search."""


@dataclass(frozen=True)
class Span:
    """Words of a text, folded, and the English phrases that they may stand for, the usual one first; none = themselves."""

    words: tuple[str, ...]
    meanings: tuple[str, ...] = ()


@lru_cache(maxsize=_REMEMBERED)
def spans(text: str) -> tuple[Span, ...]:
    """``text`` from left to right, the longest known phrase at each place."""
    spelt = spelt_words(text)
    known = languages(text)
    found: list[Span] = []
    while spelt:
        length, meanings = _longest(spelt, known)
        found.append(Span(tuple(word for _, word in spelt[:length]), meanings))
        spelt = spelt[length:]
    return tuple(found)


def translate(text: str) -> list[str]:
    """English words for what ``text`` says in other words, in order and each once; empty for plain English."""
    found: dict[str, None] = {}
    for span in spans(text):
        if span.meanings:
            found.update(dict.fromkeys(span.meanings[0].split()))
    return list(found)


@lru_cache(maxsize=_REMEMBERED)
def languages(text: str) -> tuple[str, ...]:
    """Languages other than English that ``text`` may be in: those whose small words it has, or all when it has none."""
    scripts = tuple(language for language, letters in _SCRIPTS.items() if letters.search(text))
    spoken = set(words(text))
    counts = {language: len(spoken & small) for language, small in function_words().items()}
    english = len(spoken & stop_words())
    latin = tuple(language for language, count in counts.items() if count and count >= english)
    if latin or scripts or english:
        return (*scripts, *latin)
    return tuple(counts)


def _longest(spelt: Sequence[tuple[str, str]], known: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    for length in range(min(_LONGEST_PHRASE, len(spelt)), 0, -1):
        said = [word for _, word in spelt[:length]]
        meanings = tuple(_meanings(said, known, spelt[0][0] if length == 1 else ""))
        if meanings:
            return length, meanings
    return 1, tuple(_compounds(spelt[0][1], known))


def _meanings(said: Sequence[str], known: Sequence[str], spelt: str) -> Iterator[str]:
    """Of one phrase; ``spelt``: as it is written, for short forms that count only in capitals."""
    capitals, phrases = _office()
    if spelt in capitals:
        yield from capitals[spelt]
    yield from phrases.get(_key(said, "en"), ())
    for language in known:
        yield from _table(language).get(_key(said, language), ())


def _key(said: Sequence[str], language: str) -> str:
    return " ".join(_stem(word, language) for word in said)


def _stem(word: str, language: str) -> str:
    if language == "gu":
        return _GUJARATI_ENDING.sub("", word) or word
    if language == "en":
        return stem(word)
    return stem(word, _STEMMERS[language]) if language in _STEMMERS else word


@cache
def _table(language: str) -> Mapping[str, tuple[str, ...]]:
    """Phrases of one language, as ``_key`` makes them."""
    return _by_key(((said, (english,)) for said, english in glossary(language)), language)


@cache
def _office() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """English synonyms: those that count only in capitals, and the phrases."""
    entries = synonyms()
    capitals = {said: meanings for said, meanings in entries.items() if said.isupper()}
    return capitals, _by_key(((said, found) for said, found in entries.items() if not said.isupper()), "en")


def _by_key(entries: Iterator[tuple[str, tuple[str, ...]]], language: str) -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for said, meanings in entries:
        key = _key(words(said), language)
        table[key] = tuple(dict.fromkeys((*table.get(key, ()), *meanings)))
    return table


def _compounds(word: str, known: Sequence[str]) -> Iterator[str]:
    """Compounds of two known words: *Lieferanten* + *adresse*."""
    if len(word) > _LONGEST_COMPOUND:
        return
    for language in known:
        if language not in _COMPOUNDING:
            continue
        table = _table(language)
        for cut in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
            heads = table.get(_stem(word[cut:], language), ())
            firsts = (_stem(word[:cut].removesuffix(joint), language) for joint in _JOINTS)
            first = next((table[part][0] for part in firsts if part in table), "") if heads else ""
            if first:
                yield f"{first} {heads[0]}"
                return


def expand(text: str) -> str:
    """``text`` with its English words behind it."""
    english = [word for word in translate(text) if word not in set(words(text))]
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
    return not text.isascii() or bool(languages(text))
