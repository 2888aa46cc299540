"""Facts of a goal: the values it states, each with its place in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from agent.planning.numbers import NUMBER, find_dates, fold_in_place, parse_number
from agent.planning.text import canonical, fold
from agent.planning.words import CURRENCIES, FILLERS, LEGAL_FORMS, MONTHS, SYNONYMS, UNITS, VERBS


class FactKind(StrEnum):
    """What sort of value a fact is."""

    DATE = "date"
    AMOUNT = "amount"
    QUANTITY = "quantity"
    PERCENT = "percent"
    NUMBER = "number"
    IDENTIFIER = "identifier"
    QUOTED = "quoted"
    EMAIL = "email"
    NAME = "name"


@dataclass(frozen=True)
class Fact:
    """One stated value. ``value`` is its plain text (ISO date, plain decimal); ``unit`` the unit or currency word beside it."""

    kind: FactKind
    value: str
    start: int
    end: int
    unit: str = ""
    each: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the value is a number of something."""
        return self.kind in (FactKind.AMOUNT, FactKind.QUANTITY, FactKind.PERCENT, FactKind.NUMBER)


_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{1,400})'(?!\w)|\"([^\"\n]{1,400})\"|[„“]([^„“”\n]{1,400})[“”]"
    r"|«\s?([^»\n]{1,400})»|’([^’\n]{1,400})’(?!\w)"
)
_CURRENCY = "|".join(re.escape(w) for w in sorted(CURRENCIES, key=len, reverse=True))
_TWO_WORDS = "|".join(re.escape(w) for w in sorted(CURRENCIES, key=len, reverse=True) if " " in w)
_CURRENCY_NAME = re.compile(rf"(?<!\w)(?:{_TWO_WORDS})(?!\w)", re.IGNORECASE)
_UNIT = "|".join(re.escape(w) for w in sorted(UNITS, key=len, reverse=True))
_EACH = r"(?P<each>\s*(?:each\b|apiece\b|per\s+\w+|a\s+piece|je\s+\w+|/\s?\w+))?"
_UNKNOWN_CURRENCY = r"[A-Z][a-z]+\s+(?:lira|dinar|peso|dollars?|francs?|crowns?|rubles?|pounds?|rupees?)"
_MONEY_AFTER = re.compile(rf"(?<![\w.,-])(?P<n>{NUMBER})\s?(?P<c>{_UNKNOWN_CURRENCY}|(?i:{_CURRENCY}))(?!\w){_EACH}")
_MONEY_BEFORE = re.compile(
    rf"(?<!\w)(?P<c>EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|PLN|BRL|TRY|[$€£¥₹])\s?(?P<n>{NUMBER})(?![\w-]){_EACH}"
)
_PERCENT = re.compile(rf"(?<![\w.,-])(?P<n>{NUMBER})\s?(?:%|percent\b|per cent\b|prozent\b)", re.IGNORECASE)
_PRICE_EACH = re.compile(r"(?<![\w.,-])(?P<n>\d+[.,]\d+)(?P<each>\s+(?:each|apiece|per\s+\w+))\b", re.IGNORECASE)
_COUNTED = re.compile(rf"(?<![\w.,-])(?P<n>{NUMBER})\s?(?P<u>{_UNIT})(?!\w)(?!\s*[-/])", re.IGNORECASE)
_TIMES = re.compile(rf"(?<![\w.,-])(?P<n>{NUMBER})\s?[x×]\s", re.IGNORECASE)
_BEFORE_IDENTIFIER = re.compile(r"(?<![\w.,-])(?P<n>\d{1,6}(?:[.,]\d+)?)\s+(?=[A-Z][A-Z0-9]*[-_]?[A-Z0-9]*\d)")
_DESCRIBED = re.compile(
    r"(?<![\w.,-])(?P<n>[1-9]\d{0,4})\s+(?P<d>(?:[a-zäöüß-]+\s+){1,3})(?=[A-Z][A-Z0-9]*[-_]?[A-Z0-9]*\d)"
)
_WORD = re.compile(r"[^\W_][\w]*(?:[-./][\w]+)*", re.UNICODE)
_NAME = re.compile(r"(?<![\w'-])[A-ZÄÖÜÉ][\w&'-]*(?:\s+(?:&\s+|und\s+|de\s+|of\s+)?[A-ZÄÖÜ][\w&'-]*)*", re.UNICODE)
_NEW = frozenset({"new", "neue", "neuer", "neuen", "neues", "nouveau", "nouvelle", "nuevo", "nueva", "nuovo", "nieuwe"})
_CODE_LABELS = frozenset(
    ["iban", "ean", "bic", "swift", "vat", "pdf", "po", "so", "pr", "gl", "id", "gtin", "upc", "url"]
)


def find_facts(text: str, vocabulary: frozenset[str] = frozenset()) -> tuple[Fact, ...]:
    """All facts in reading order. ``vocabulary``: words that are business terms here and so never a proper name."""
    taken: list[Fact] = []
    scans = (_emails, _quoted, _dates, _money, _percents, _counts, _described, _currencies, _identifiers)
    for fact in (*(f for scan in scans for f in scan(text)), *_names(text, vocabulary)):
        if not any(other.start < fact.end and fact.start < other.end for other in taken):
            taken.append(fact)
    return tuple(sorted(taken, key=lambda f: f.start))


def plain(number: Decimal) -> str:
    """A decimal without exponent."""
    return format(number, "f")


def _emails(text: str) -> Iterator[Fact]:
    return (Fact(FactKind.EMAIL, m.group(), m.start(), m.end()) for m in _EMAIL.finditer(text))


def _quoted(text: str) -> Iterator[Fact]:
    for m in _QUOTED.finditer(text):
        yield Fact(FactKind.QUOTED, next(g for g in m.groups() if g is not None).strip(), m.start(), m.end())


def _dates(text: str) -> Iterator[Fact]:
    return (Fact(FactKind.DATE, day.isoformat(), s, e) for s, e, day in find_dates(text))


def _money(text: str) -> Iterator[Fact]:
    for form in (_MONEY_AFTER, _MONEY_BEFORE):
        for m in form.finditer(text):
            if m["c"].casefold() != "real" and not (m["c"] == "try" and form is _MONEY_AFTER):
                yield Fact(FactKind.AMOUNT, plain(parse_number(m["n"])), m.start(), m.end(), m["c"], bool(m["each"]))
    for m in _PRICE_EACH.finditer(text):
        yield Fact(FactKind.AMOUNT, plain(parse_number(m["n"])), m.start(), m.end(), "", True)


def _currencies(text: str) -> Iterator[Fact]:
    """A currency's name of two words without an amount (``order currency US dollar``), as its code."""
    for m in _CURRENCY_NAME.finditer(text):
        yield Fact(FactKind.IDENTIFIER, CURRENCIES[fold(m.group())], m.start(), m.end())


def _percents(text: str) -> Iterator[Fact]:
    return (
        Fact(FactKind.PERCENT, plain(parse_number(m["n"])), m.start(), m.end(), "%") for m in _PERCENT.finditer(text)
    )


def _counts(text: str) -> Iterator[Fact]:
    for m in _COUNTED.finditer(fold_in_place(text)):
        yield Fact(FactKind.QUANTITY, plain(parse_number(m["n"])), m.start(), m.end(), m["u"])
    for form in (_TIMES, _BEFORE_IDENTIFIER):
        for m in form.finditer(text):
            if not _labelled_number(text, m.start()):
                yield Fact(FactKind.QUANTITY, plain(parse_number(m["n"])), m.start(), m.end("n"))


def _described(text: str) -> Iterator[Fact]:
    """``20 centrifugal pumps P-100``: a number, words that describe the goods, and their number."""
    for m in _DESCRIBED.finditer(text):
        described = m["d"].casefold().split()
        before = text[: m.start()].rstrip()
        word = fold(before.rsplit(" ", 1)[-1]) if before else ""
        opens = not word or before[-1] in ",;:.(" or word in FILLERS or word in VERBS
        if opens and not FILLERS & set(described):
            yield Fact(FactKind.QUANTITY, m["n"], m.start(), m.end("n"))


def _labelled_number(text: str, start: int) -> bool:
    """``line 10 RM14``: the number belongs to the word before it, not to the identifier after it."""
    before = fold(text[:start].rstrip().rsplit(" ", 1)[-1])
    return before in {
        "line",
        "item",
        "position",
        "zeile",
        "pos",
        "channel",
        "division",
        "plant",
        "number",
        "no",
        "customer",
    }


def _identifiers(text: str) -> Iterator[Fact]:
    words = list(_WORD.finditer(text))
    for i, m in enumerate(words):
        word = m.group()
        if re.fullmatch(r"[0-9]+", word):
            yield Fact(FactKind.NUMBER, word, m.start(), m.end())
        elif re.fullmatch(NUMBER, word, re.ASCII):
            yield Fact(FactKind.NUMBER, plain(parse_number(word)), m.start(), m.end())
        elif any(c.isdigit() for c in word):
            yield Fact(FactKind.IDENTIFIER, word, m.start(), m.end())
        elif word.isupper() and 2 <= len(word) <= 40 and word.isascii() and "/" not in word:
            follows = words[i + 1].group() if i + 1 < len(words) else ""
            label = word.casefold() in _CODE_LABELS and (any(c.isdigit() for c in follows) or not follows.isupper())
            if not label and word.casefold() not in LEGAL_FORMS:
                yield Fact(FactKind.IDENTIFIER, word, m.start(), m.end())


def _names(text: str, vocabulary: frozenset[str]) -> Iterator[Fact]:
    """Proper names: capitalised words that no label here uses, or anything ending in a legal form."""
    for m in _NAME.finditer(text):
        words = m.group().split()
        start = m.start()
        legal = len(words) > 1 and fold(words[-1]).strip(".") in LEGAL_FORMS
        opens = not _mid_sentence(text, start)
        while words and _leads(words[0], vocabulary, legal=legal, opens=opens and start == m.start()):
            start += len(words[0]) + 1
            words = words[1:]
        known = [w for w in words if _is_term(w, vocabulary) or fold(w) in MONTHS]
        if words and fold(words[0]) not in _CODE_LABELS and (legal or len(known) * 2 < len(words)):
            value = text[start : m.end()].rstrip(".'-")
            if value:
                yield Fact(FactKind.NAME, value, start, start + len(value))


def _leads(word: str, vocabulary: frozenset[str], *, legal: bool, opens: bool) -> bool:
    """Whether a capitalised word only stands before the name: a verb or noun of business, or the sentence's first word."""
    folded = fold(word).strip(".")
    if folded in VERBS or folded in SYNONYMS or folded in _NEW or folded in FILLERS:
        return True
    return not legal and (opens or _is_term(word, vocabulary))


def _is_term(word: str, vocabulary: frozenset[str]) -> bool:
    folded = fold(word).strip(".")
    return folded in SYNONYMS or folded in vocabulary or any(w in vocabulary for w in canonical(word))


def _mid_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return bool(before) and before[-1] not in ".:;!?()"
