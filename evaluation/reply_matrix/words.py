"""The words of one language, as people and mail programs write them (``data/languages.toml``, ``data/comments.toml``)."""

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

SENDER = "Countersign"
SENDER_ADDRESS = "approvals@agent.example"


@dataclass(frozen=True)
class Words:
    """One table of the data file; lists are tuples here. Lines of programs hold {A}, {N}, {M} (see the file)."""

    language: str
    approve: tuple[str, ...]
    reject: tuple[str, ...]
    comment: tuple[str, ...]
    limiting: tuple[str, ...]
    negated: tuple[str, ...]
    asked: tuple[str, ...]
    conditional: tuple[str, ...]
    later: tuple[str, ...]
    chatter: tuple[str, ...]
    signoff: tuple[str, ...]
    phone: str
    galaxy: str
    outlook_mobile: str
    windows: str
    k9_footer: str
    proton_footer: str
    yahoo_footer: str
    gmail: str
    apple: str
    thunderbird: str
    yahoo: str
    k9: str
    proton: str
    labels: tuple[str, ...]
    notes_labels: tuple[str, ...]
    date: str
    original: str
    galaxy_original: str
    banner: str
    disclaimer: str
    print: str
    vacation: tuple[str, ...]
    away: str
    reaction: str
    taken_back: tuple[str, ...]
    agreed: tuple[str, ...]

    def line(self, name: str) -> str:
        """A line of a program with its places filled in."""
        text = str(getattr(self, name))
        full = f"{SENDER} <{SENDER_ADDRESS}>"
        return text.replace("{A}", full).replace("{N}", SENDER).replace("{M}", SENDER_ADDRESS)


@cache
def languages() -> tuple[Words, ...]:
    """All languages of the file, in its order."""
    comments = table("comments.toml")
    known = {field.name for field in fields(Words)}
    tables: dict[str, dict[str, Any]] = {
        code: {key: tuple(value) if isinstance(value, list) else value for key, value in table.items() if key in known}
        for code, table in table("languages.toml").items()
    }
    return tuple(
        Words(
            language=code,
            taken_back=tuple(comments[code]["limiting"]),
            agreed=tuple(comments[code]["harmless"]),
            **table,
        )
        for code, table in tables.items()
    )


def table(name: str) -> dict[str, dict[str, Any]]:
    """A data file as it stands."""
    text = resources.files("evaluation.reply_matrix").joinpath("data", name).read_text(encoding="utf-8")
    return tomllib.loads(text)
