"""The texts that search sees: of an endpoint, of a process node, and the word tokens of any text.

Names in metadata are CamelCase with house prefixes and shortened words (``A_SlsOrdPaytPlanItm``); people search in
words.
"""

import re
import unicodedata
from collections.abc import Iterable

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


def name_text(summary: EndpointSummary) -> str:
    """Label, entity words and service alone: what the endpoint is, without what it holds."""
    label = _sentence(_distinct([summary.label, " ".join(split_name(summary.endpoint))]))
    return f"{label} in {' '.join(split_name(summary.service))}"


def node_text(node: ProcessNode) -> str:
    """Process, label, documentation and lane of one process node."""
    parts = (f"{node.process}: {node.label}" if node.process else node.label, node.documentation, node.lane)
    return ". ".join(part.strip(" .") for part in parts if part.strip(" ."))


def words(text: str) -> list[str]:
    """The words of ``text`` in order as ``fold`` leaves them; single Latin letters (d', 's) are left out."""
    folded = (fold(word) for word in _WORD.findall(text))
    return [word for word in folded if len(word) > 1 or not word.isascii()]


def tokens(text: str) -> list[str]:
    """Words that search counts: no stop words, no numbers of documents, English plural taken off."""
    return [_singular(word) for word in words(text) if word not in stop_words() and not any(c.isdigit() for c in word)]


def fold(word: str) -> str:
    """Case and accents removed, so that two spellings of one word are equal."""
    if word.isascii():
        return word.lower()
    # Marks of Indic scripts are vowels, not accents: only Latin letters lose theirs.
    text = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in text if not 0x300 <= ord(c) <= 0x36F)


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
