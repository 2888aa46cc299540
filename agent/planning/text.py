"""Tokens of goals, names and labels in one canonical form."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from agent.planning.words import FILLERS, PHRASES, SYNONYMS

# Indic vowel signs are marks, not letters, and stand inside words.
_LETTER = r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0DFF])"
_TOKEN = re.compile(rf"{_LETTER}+(?:[-./'’]{_LETTER}+)*", re.UNICODE)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SET_PREFIX = re.compile(r"^(?:[ACIPZY]_)+")
_SUFFIXES = ("Type", "Set", "Collection")


@dataclass(frozen=True)
class Token:
    """One word of a text. ``words`` are its canonical tokens; ``start``/``end`` are offsets into the text."""

    text: str
    words: tuple[str, ...]
    start: int
    end: int


def fold(word: str) -> str:
    """Casefolded, without Latin accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    latin = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", latin)


def stem(word: str) -> str:
    """Singular of a plural, roughly; never shorter than three letters."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=65536)
def canonical(word: str) -> tuple[str, ...]:
    """Canonical tokens of one word: synonyms resolved, plural removed, hyphenated words split."""
    folded = re.sub(r"^[dl]['’]", "", fold(word).strip(".'’"))
    if folded in SYNONYMS:
        return tuple(SYNONYMS[folded].split())
    if not any(c.isdigit() for c in folded) and re.search(r"[-./]", folded):
        return tuple(t for part in re.split(r"[-./]", folded) if part for t in canonical(part))
    single = stem(folded)
    return tuple(SYNONYMS.get(single, single).split())


def tokenize(text: str) -> tuple[Token, ...]:
    """All words of a text with their places."""
    tokens = [Token(m.group(), canonical(m.group()), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    folded = [re.sub(r"^[dl]['’]", "", fold(t.text)) for t in tokens]
    for first, word in enumerate(folded):
        for phrase, meaning in PHRASES.items():
            places = _phrase_at(folded, first, phrase) if word == phrase[0] else []
            for place in places:
                words = tuple(meaning.split()) if place == first else ()
                tokens[place] = replace(tokens[place], words=words)
    return tuple(tokens)


def _phrase_at(folded: list[str], first: int, phrase: tuple[str, ...]) -> list[int]:
    """Where the words of a phrase stand, fillers between them allowed; empty when it is not there."""
    places = [first]
    for wanted in phrase[1:]:
        place = places[-1] + 1
        while place < len(folded) and folded[place] in FILLERS:
            place += 1
        if place >= len(folded) or folded[place] != wanted:
            return []
        places.append(place)
    return places


@lru_cache(maxsize=65536)
def label_words(label: str) -> tuple[str, ...]:
    """Canonical tokens of a label, fillers left out."""
    return tuple(w for t in tokenize(label) for w in t.words if w not in FILLERS)


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """Canonical tokens of a technical name: ``A_SalesOrderType`` -> sales, order, type."""
    bare = _SET_PREFIX.sub("", name.rsplit(".", 1)[-1])
    parts = [p for chunk in re.split(r"[_\W]+", bare) for p in _CAMEL.findall(chunk)]
    return tuple(w for p in parts for w in canonical(p))


def endpoint_words(name: str) -> tuple[str, ...]:
    """Tokens of an endpoint's name without the marks of its kind (``A_`` and the like, ``Set``)."""
    words = name_words(name)
    for suffix in _SUFFIXES:
        if len(words) > 1 and name.endswith(suffix) and words[-1] == suffix.casefold():
            return words[:-1]
    return words


def dice(left: tuple[str, ...], right: tuple[str, ...]) -> float:
    """Share of common tokens, 0 to 1; a label's abbreviation of three or more letters counts as its word."""
    if not left or not right:
        return 0.0
    rest = list(right)
    common = 0
    for word in left:
        hit = next((w for w in rest if same_word(word, w)), None)
        if hit is not None:
            rest.remove(hit)
            common += 1
    return 2 * common / (len(left) + len(right))


@lru_cache(maxsize=65536)
def same_word(left: str, right: str) -> bool:
    """Equal, forms of one word (``validate``, ``validation``), or one abbreviates the other (``purch``, ``purchasing``)."""
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    if long.startswith(short) and not short.isdigit():
        rest = long[len(short) :]
        # A requisitioner is no requisition.
        return (len(short) >= 4 and not (len(short) > 6 and rest in ("er", "or"))) or (
            len(short) == 3 and rest in _ENDINGS
        )
    root = _root(left)
    return len(root) >= 5 and root == _root(right)


_ENDINGS = frozenset({"ed", "er", "ing", "es"})


def _root(word: str) -> str:
    return re.sub(r"(?:ation|ating|ated|ate|ing|ed|e)$", "", word)
