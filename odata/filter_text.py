"""A cursor over the text of an expression: blanks, fixed texts and whole words."""

import re

NAME = re.compile(r"[A-Za-z_$@][\w$]*(?:\.[A-Za-z_]\w*)*")
_BLANK = re.compile(r"[ \t]+")


class FilterSyntaxError(Exception):
    """The text is no expression. The message says where it breaks."""


class Cursor:
    """Reads forward only. ``any_case``: words may be written in capitals (since 4.01, URL Conventions 4.01, 5.1.1)."""

    def __init__(self, text: str, any_case: bool) -> None:
        self._text, self._any_case = text, any_case
        self._at = 0

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        if match is not None:
            self._at = match.end()

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, text: str) -> bool:
        self._skip()
        if self._peek(text):
            self._at += len(text)
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise FilterSyntaxError(f"expected {text!r} before {self._text[self._at :]!r}")

    def _word(self, *words: str) -> str:
        """Take one of the words when it stands here as a whole word."""
        self._skip()
        match = NAME.match(self._text, self._at)
        word = match[0].lower() if match is not None and self._any_case else match[0] if match is not None else ""
        if match is None or word not in words:
            return ""
        self._at = match.end()
        return word
