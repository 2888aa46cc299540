"""Codes by their literal or by their text. Nothing here ever yields a code that is not in the list."""

import re
from collections.abc import Sequence

from agent.planning.slots import Slot
from agent.planning.text import Token, fold, label_words, same_word
from agent.planning.words import CURRENCIES, FILLERS, UNITS
from wire.context import FieldView
from wire.endpoint import Code


def by_literal(field: FieldView, value: str) -> Code | None:
    """The code that is written like this; case and leading zeros do not matter when only one code fits."""
    exact = [c for c in field.codes if c.code == value]
    if exact:
        return exact[0]
    near = [c for c in field.codes if c.code.casefold() == value.casefold() or _bare(c.code) == _bare(value)]
    return near[0] if len(near) == 1 else None


def by_text(field: FieldView, text: str) -> Code | None:
    """The one code whose text has these words."""
    words = label_words(text)
    found = [c for c in field.codes if words and _same(label_words(c.text), words)]
    return found[0] if len(found) == 1 else None


def by_word(field: FieldView, word: str) -> Code | None:
    """A code by literal, text, or the common code of a unit or currency word, always one of the list."""
    folded = fold(word)
    common = UNITS.get(folded) or CURRENCIES.get(folded)
    return by_literal(field, word) or by_text(field, word) or (by_literal(field, common) if common else None)


def mentions(slot: Slot, tokens: Sequence[Token]) -> list[tuple[Code, int, int, int]]:
    """Where the texts of the slot's codes stand: (code, words matched, start, end) with offsets into the goal."""
    content = [(w, t) for t in tokens for w in t.words if w not in FILLERS]
    words = [w for w, _ in content]
    found: list[tuple[Code, int, int, int]] = []
    for code in slot.field.codes:
        for wanted in _texts(code.text):
            at = _position(words, wanted)
            if at is not None:
                start, end = content[at][1].start, content[at + len(wanted) - 1][1].end
                found.append((code, len(wanted), start, end))
                break
    return found


def _texts(text: str) -> list[tuple[str, ...]]:
    """The text's words, and those before a parenthesis or comma, which only explain it."""
    forms = [label_words(text), label_words(re.split(r"[(,]", text, maxsplit=1)[0])]
    return [f for f in dict.fromkeys(forms) if f]


def _position(words: Sequence[str], wanted: tuple[str, ...]) -> int | None:
    size = len(wanted)
    return next((i for i in range(len(words) - size + 1) if _same(tuple(words[i : i + size]), wanted)), None)


def _same(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    return len(left) == len(right) and all(same_word(a, b) for a, b in zip(left, right, strict=True))


def _bare(code: str) -> str:
    return code.lstrip("0") or "0"
