"""What does the writer answer? The whole first written line equals one keyword, or the answer is unclear.

Nothing is searched for inside a line: words found somewhere can only make an answer unclear, never clear.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mail.comments import counts, signed_only, unnamed, unsaid
from mail.html_text import HIDDEN, PICTURE, STRUCK
from mail.keywords import Keywords, fold, keywords_for, languages_known, unaccented
from mail.patterns import patterns
from mail.quoting import Written
from wire.mail import Answer

_MARKS = HIDDEN + STRUCK
_TOKEN_BREAK = re.compile(r"[\s.,;:!?()\[\]{}।॥\"“”„«»…/\\|<>*_~、。，；：！？（）「」-]+")
_QUESTION = re.compile(r"[?？؟¿]")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+", re.IGNORECASE)
_BOLD = re.compile(r"^(\*{1,2}|_{1,2})(?!\s)(.+?)(?<!\s)\1$")


@dataclass(frozen=True)
class Reading:
    """An answer, why it is that, the keyword as written and what was written below it."""

    answer: Answer
    reason: str
    keyword: str = ""
    comment: str = ""


def read_answer(written: Written, keywords: Keywords, writer: Collection[str] = ()) -> Reading:
    """Read the answer of a written text; see the module docstring for the rule. ``writer``: names of the sender, folded."""
    shown = [line.translate({ord(mark): None for mark in _MARKS}).strip() for line in written.lines]
    marked = any(mark in line for line in written.lines for mark in _MARKS)
    # A picture alone in its line is a logo or a scan; beside words it stays and equals no keyword.
    shown = ["" if not line.strip(f"{PICTURE} ") else line for line in shown]
    first = next((number for number, line in enumerate(shown) if line), None)
    if first is None:
        return Reading("unclear", "nothing is written above, between or below the quote")
    comment = "\n".join(shown[first + 1 :]).strip()
    answer = _answer_of(shown[first], keywords)
    if answer is None:
        return Reading(
            "unclear", "the first written line is not exactly one keyword", comment="\n".join(shown[first:]).strip()
        )
    reason = _objection(answer, shown[first + 1 :], written.signature, keywords, writer)
    if reason is None and marked and answer == "approve":
        reason = "part of what is written is hidden or struck through"
    if reason is not None:
        return Reading("unclear", reason, shown[first], comment)
    return Reading(answer, "the first written line is a keyword", shown[first], comment)


@lru_cache(maxsize=4096)  # most lines of our mails are the same in every mail
def is_answer(line: str) -> bool:
    """Would this line, standing first in a reply, be an answer in any language that we know?"""
    return _answer_of(line.strip(), keywords_for(languages_known())) is not None


def _answer_of(line: str, keywords: Keywords) -> Literal["approve", "reject"] | None:
    """The answer that a whole line gives. Final full stops and exclamation marks do not change it; a question mark does."""
    if len(line) > 120 or any(unicodedata.category(char) in {"Cc", "Co", "Cs"} for char in line):
        return None
    text = line
    bold = _BOLD.match(text)
    if bold is not None:
        text = bold[2]
    text = re.sub(r"[\s.!。！．।]{0,4}$", "", text)
    folded = fold(text)
    return keywords.answers.get(folded)


def _objection(
    answer: str, comment: list[str], signature: list[str], keywords: Keywords, writer: Collection[str]
) -> str | None:
    """What in the lines below makes the answer unclear, None if nothing does."""
    opposite = "reject" if answer == "approve" else "approve"
    if any(_answer_of(line, keywords) == opposite for line in (*comment, *signature)):
        return "a further line says the opposite"
    text = " ".join(line for line in comment if not signed_only(line, writer))
    if answer == "reject":
        found = patterns().takes_back.search(fold(text))
        return f"the comment takes the answer back: {found[0]}" if found else None
    if any(patterns().bare_no.match(line) for line in comment):
        return "a further line says no"
    if any(_QUESTION.search(_ADDRESS.sub("", line)) for line in comment):
        return "the comment asks a question"
    said = [line for line in comment if _answer_of(line, keywords) is None]
    limit = _limit_in(text, keywords) or unsaid(said, writer) or _set_off(signature, keywords, writer)
    return f"the comment may limit the answer: {limit[:80]}" if limit else None


def _set_off(signature: list[str], keywords: Keywords, writer: Collection[str]) -> str | None:
    """What limits the answer below a ``-- `` line that no name follows."""
    text = unnamed(signature, writer)
    limit = _limit_in(text, keywords)
    return limit or (text if counts(text) or _QUESTION.search(text) else None)


def _limit_in(text: str, keywords: Keywords) -> str | None:
    folded = patterns().harmless.sub(" ", fold(text))
    tokens = [token for token in _TOKEN_BREAK.split(folded) if token]
    # French and Italian articles and pronouns lean on the next word: "j'annule" holds "annule".
    padded = f" {' '.join([*tokens, '|', *(token.partition(chr(39))[2] or token for token in tokens)])} "
    found = next((word for word in sorted(keywords.limits) if f" {word} " in padded), None)
    return (
        found
        or next((word for word in sorted(keywords.limits_unspaced) if word in folded), None)
        or _negated_answer(padded, keywords)
    )


def _negated_answer(padded: str, keywords: Keywords) -> str | None:
    """A reject keyword inside the comment, in languages that put spaces between words."""
    plain = unaccented(padded)
    rejects = (word for word, answer in keywords.answers.items() if answer == "reject" and word.isascii())
    return next((word for word in rejects if f" {word} " in plain), None)
