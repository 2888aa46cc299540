"""Keyword sets as data: whole-line answers and limiting words by language."""

import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from mail.errors import KeywordsError

# Writing systems without spaces between words: there a limiting word counts wherever it stands.
_UNSPACED = frozenset({"ja", "zh"})


@dataclass(frozen=True)
class Keywords:
    """The enabled languages' words, folded (see ``fold``)."""

    answers: dict[str, Literal["approve", "reject"]]
    limits: frozenset[str]
    limits_unspaced: frozenset[str]


def fold(text: str) -> str:
    """Unicode NFC, case folded, single spaces, one kind of apostrophe: what a comparison may ignore, and no more."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.replace("\u2019", "'").replace("\u2018", "'").split())


def unaccented(folded: str) -> str:
    """Latin letters without their accents (people write capitals without); other scripts stay as they are."""
    out: list[str] = []
    for char in unicodedata.normalize("NFD", folded):
        if not (unicodedata.combining(char) and out and out[-1].isascii()):
            out.append(char)
    return unicodedata.normalize("NFC", "".join(out).replace("ł", "l"))


def languages_known() -> tuple[str, ...]:
    """Language codes that the shipped file has, in its order."""
    return tuple(_load())


def word_for(answer: Literal["approve", "reject"], language: str) -> str:
    """The word that our mails name for ``answer`` in ``language``; English when the language is unknown."""
    tables = _load()
    return str(tables.get(language, tables["en"])[answer][0])


def keywords_for(languages: Iterable[str]) -> Keywords:
    """Keywords of ``languages`` and English. Raises KeywordsError on an unknown language."""
    return _keywords(tuple(sorted({"en", *languages})))


@cache
def _keywords(languages: tuple[str, ...]) -> Keywords:
    tables = _load()
    unknown = [language for language in languages if language not in tables]
    if unknown:
        raise KeywordsError(
            f"reply language {unknown[0]!r} is not in mail/data/keywords.toml; known: {', '.join(tables)}"
        )
    answers: dict[str, Literal["approve", "reject"]] = {}
    for language in languages:
        for answer in ("approve", "reject"):
            _add_words(answers, tables[language][answer], answer)
    spaced = [word for language in languages if language not in _UNSPACED for word in tables[language]["limits"]]
    unspaced = [word for language in languages if language in _UNSPACED for word in tables[language]["limits"]]
    return Keywords(answers, _folded(spaced), _folded(unspaced))


def _add_words(
    answers: dict[str, Literal["approve", "reject"]], words: Iterable[str], answer: Literal["approve", "reject"]
) -> None:
    for word in words:
        for form in {fold(word), unaccented(fold(word))}:
            if answers.setdefault(form, answer) != answer:
                raise KeywordsError(f"mail/data/keywords.toml: {word!r} means both approve and reject; remove one")


def _folded(words: Iterable[str]) -> frozenset[str]:
    """Folded, and without accents where that leaves a word long enough not to be another language's."""
    folded = [fold(word) for word in words]
    return frozenset([*folded, *(unaccented(word) for word in folded if len(word) > 3)])


@cache
def _load() -> dict[str, dict[str, Any]]:
    tables = tomllib.loads(resources.files("mail").joinpath("data/keywords.toml").read_text(encoding="utf-8"))
    for language, table in tables.items():
        missing = {"approve", "reject", "limits"} - set(table)
        if missing:
            raise KeywordsError(f"mail/data/keywords.toml: [{language}] lacks {', '.join(sorted(missing))}")
    return tables
