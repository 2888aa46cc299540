"""The texts that search sees: of an endpoint, of a process node, and the word tokens of any text.

Names in metadata are CamelCase with house prefixes and shortened words (``A_SlsOrdPaytPlanItm``); people search in
words.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from threading import Lock

import snowballstemmer

from graph.views import EndpointSummary, ProcessNode
from graph.word_lists import short_forms, stop_words

DENSE_PROPERTIES = 24
"""How many property labels an endpoint's dense passage names; more only blur the vector. Word search sees all."""

_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# Python's \w leaves out the vowel signs of Indic scripts.
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff])+")
_PLURAL_ONLY = frozenset(["sales", "goods", "incoterms"])
_HOUSE_WORDS = frozenset(
    ["api", "srv", "cds", "odata", "sap", "com", "service", "set", "type", "v2", "v4", "a", "c", "i", "to"]
)


def split_name(name: str) -> list[str]:
    """``A_SlsOrdPaymentPlanItem`` -> sales, order, payment, plan, item: no house prefixes, short forms spelt out."""
    words = [word.lower() for word in _CAMEL.findall(name)]
    kept = [word for word in words if word not in _HOUSE_WORDS and not word.isdigit()] or words
    return [part for word in kept for part in short_forms().get(word, word).split()]


def endpoint_text(summary: EndpointSummary, properties: int | None = None) -> str:
    """Label, entity words, service, navigations and at most ``properties`` property labels of one endpoint."""
    name = " ".join(split_name(summary.endpoint))
    title = summary.service_title or " ".join(split_name(summary.service))
    service = " ".join(split_name(title)) if "_" in title else title
    bound = " ".join(split_name(summary.bound_to.rsplit(".", 1)[-1])) if summary.bound_to else ""
    fields = _labels(summary.properties)
    parts = [
        _sentence(_distinct([summary.label, name])),
        summary.description,
        f"of {bound}" if bound else "",
        f"in {service}" if service else "",
        _sentence(fields[:properties]),
        _sentence(_labels(summary.navigations)),
    ]
    return ". ".join(part.strip(" .") for part in parts if part.strip(" ."))


def node_text(node: ProcessNode) -> str:
    """Process, label, documentation and lane of one process node."""
    parts = (f"{node.process}: {node.label}" if node.process else node.label, node.documentation, node.lane)
    return ". ".join(part.strip(" .") for part in parts if part.strip(" ."))


def label_text(node: ProcessNode) -> str:
    """What a process node is called; the process of one without a name."""
    return node.label or node.process


def documentation_text(node: ProcessNode) -> str:
    """What is said of a process node; its label, when nothing is."""
    return node.documentation or label_text(node)


def words(text: str) -> list[str]:
    """The words of ``text`` in order as ``fold`` leaves them; single Latin letters (d', 's) are left out."""
    return [folded for _, folded in spelt_words(text)]


def spelt_words(text: str) -> list[tuple[str, str]]:
    """Each of ``words`` as it is written, and folded."""
    pairs = ((word, fold(word)) for word in _WORD.findall(text))
    return [pair for pair in pairs if len(pair[1]) > 1 or not pair[1].isascii()]


def tokens(text: str) -> list[str]:
    """Words that search counts: no stop words, no numbers of documents, English plural taken off."""
    return [_singular(word) for word in words(text) if word not in stop_words() and not any(c.isdigit() for c in word)]


def stems(text: str) -> list[str]:
    """``tokens`` without their endings: *priced*, *pricing* and *prices* are one word."""
    return [stem(word) for word in tokens(text)]


@lru_cache(maxsize=100_000)
def stem(word: str, language: str = "english") -> str:
    """``word`` (folded) without its ending, by the Snowball stemmer of ``language``."""
    with _STEMMING:
        return str(_stemmer(language).stemWord(word))


_STEMMING = Lock()  # a stemmer holds the word that it works on


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


def fold(word: str) -> str:
    """Case and accents removed, so that two spellings of one word are equal."""
    if word.isascii():
        return word.lower()
    # Marks of Indic scripts are vowels, not accents: only Latin letters lose theirs. What Hindi writes in two ways becomes
    # one: no dot below a letter, and no moon under the dot that makes a vowel nasal.
    text = unicodedata.normalize("NFKD", word.casefold()).translate({0x901: 0x902})
    return "".join(c for c in text if not 0x300 <= ord(c) <= 0x36F and c not in "\u093c\u0abc")


def _singular(word: str) -> str:
    if word in _PLURAL_ONLY:
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _labels(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return _distinct(label or " ".join(split_name(name)) for name, label in pairs)


def _distinct(texts: Iterable[str]) -> list[str]:
    seen: dict[str, str] = {}
    for text in texts:
        if text:
            seen.setdefault(text.casefold(), text)
    return list(seen.values())


def _sentence(texts: Iterable[str]) -> str:
    return ", ".join(texts)
