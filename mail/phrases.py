"""The phrases around the business content, by language, English where a language has none."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


class Phrases:
    """Phrases of one language."""

    def __init__(self, language: str) -> None:
        tables = _load()
        self.language = language if language in tables else "en"
        self._table: dict[str, Any] = tables["en"] | tables.get(language, {})

    def __call__(self, name: str, **values: str) -> str:
        """The phrase ``name`` with its places filled in; values are put in as they are and never read as a pattern."""
        text = str(self._table[name])
        for key, value in values.items():
            text = text.replace("{" + key + "}", value)
        return text

    def note(self, text: str) -> str:
        """A note of ours in this language; one that is not known (it says what happened this once) as it is."""
        return _notes().get((text, self.language), text)

    def items(self, name: str) -> list[str]:
        """A list of words (weekdays, months)."""
        return [str(item) for item in self._table[name]]


@cache
def _notes() -> dict[tuple[str, str], str]:
    """(English text, language) -> the note in that language."""
    rows = tomllib.loads(resources.files("mail").joinpath("data/notes.toml").read_text(encoding="utf-8"))["note"]
    return {(row["en"], language): text for row in rows for language, text in row.items()}


@cache
def _load() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files("mail").joinpath("data/phrases.toml").read_text(encoding="utf-8"))
