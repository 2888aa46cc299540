"""The word lists under ``graph/data``: short forms in names, stop words, and business words of other languages."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"


@cache
def short_forms() -> Mapping[str, str]:
    """Shortened word -> the words that it stands for."""
    return dict(_pairs("short_forms.tsv"))


@cache
def stop_words() -> frozenset[str]:
    """Words that no search counts."""
    return frozenset(_lines("stop_words.txt"))


@cache
def sequence_words() -> frozenset[str]:
    """Words that ask for several steps of a process, in several languages, as written."""
    return frozenset(_lines("sequence_words.txt"))


@cache
def glossary() -> Mapping[str, str]:
    """Word or phrase -> English business words. An upper-case entry counts only when so written."""
    return dict(_pairs("glossary.tsv"))


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
