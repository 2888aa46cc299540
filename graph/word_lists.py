"""The word lists under ``graph/data``: short forms in names, small words, synonyms, and business words of other languages."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"


@cache
def short_forms() -> Mapping[str, str]:
    """Shortened word -> the words that it stands for."""
    return dict(_pairs("short_forms.tsv"))


@cache
def stop_words() -> frozenset[str]:
    """English words that no search counts."""
    return frozenset(_lines("stop_words.txt"))


@cache
def function_words() -> Mapping[str, frozenset[str]]:
    """Language -> its small words (folded) that English does not have; they tell the language and no search counts them."""
    return {language: frozenset(text.split()) for language, text in _pairs("function_words.tsv")}


@cache
def sequence_words() -> frozenset[str]:
    """Words that ask for several steps of a process, in several languages, as written."""
    return frozenset(_lines("sequence_words.txt"))


@cache
def asking_words(group: str) -> tuple[str, ...]:
    """Words, as written, that tell what a query asks for: ``question``, ``selecting``, ``metadata`` or ``sequence``."""
    found = dict(_pairs("asking_words.tsv"))[group].split()
    return (*found, *sequence_words()) if group == "sequence" else tuple(found)


@cache
def strange_texts() -> tuple[str, ...]:
    """Texts that no business catalogue answers."""
    return tuple(_lines("strange_texts.txt"))


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """English word or phrase -> words of metadata, the usual ones first. An upper-case entry counts only when so written."""
    return {said: tuple(part.strip() for part in meant.split("|")) for said, meant in _pairs("synonyms.tsv")}


@cache
def glossary(language: str) -> Sequence[tuple[str, str]]:
    """(word or phrase of that language, English business words)."""
    head, *rows = [line.split("\t") for line in _lines("glossary.tsv")]
    if language not in head[1:]:
        return ()
    column = head.index(language)
    cells = ((row[0], row[column]) for row in rows if len(row) > column)
    return tuple((said.strip(), english) for english, cell in cells for said in cell.split("/") if said.strip())


def _pairs(name: str) -> list[tuple[str, str]]:
    pairs = []
    for line in _lines(name):
        left, tab, right = line.partition("\t")
        if not tab or not right:
            raise ValueError(f"graph/data/{name}: line {line!r} is not two columns divided by a tab")
        pairs.append((left, right))
    return pairs


def _lines(name: str) -> list[str]:
    text = (_DATA / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
