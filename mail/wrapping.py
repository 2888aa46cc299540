"""Where lines may break: at a width that survives being quoted, and never so that a line of ours begins with an answer.

A mail program that quotes may wrap what it quotes and leave the rest of a line without a mark. So nothing that stands in our
text may, cut off at a blank, be an answer by itself.
"""

import re
import textwrap
import unicodedata
from functools import cache

from mail.keywords import keywords_for, languages_known

WIDTH = 68
"""Columns a line: two more for a mark, and it still fits into the 72 that programs wrap at."""


def wrap(text: str, first: str = "", following: str = "") -> list[str]:
    """Lines of at most ``WIDTH`` characters where words allow, indented by ``first`` and, from the second on, ``following``."""
    return textwrap.wrap(
        held_together(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def held_together(text: str, blank: str = "\u00a0") -> str:
    """Blanks that do not break, made ``blank``: before whatever would be an answer, and behind it where it begins the text."""
    before, opening = _answers()
    held = before.sub(lambda _: blank, text)
    return opening.sub(lambda found: found[0].replace(" ", blank), held, count=1)


def width(text: str) -> int:
    """Columns that ``text`` takes in a fixed-width font: wide characters count twice, combining ones not at all."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


@cache
def _answers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = sorted(keywords_for(languages_known()).answers, key=len, reverse=True)
    spelled = "|".join(re.escape(word).replace("\\ ", r"\s+").replace("'", "['\u2018\u2019]") for word in words)
    answer = rf"[\W_]*(?:{spelled})(?!\w)"
    return re.compile(f" (?={answer})", re.IGNORECASE), re.compile(rf"^{answer}[\W_]*", re.IGNORECASE)
