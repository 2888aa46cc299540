"""Answers in one of the twelve languages, from mail programs whose menus are in yet another (``data/interfaces.toml``)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from evaluation.reply_matrix.case import Case, Group
from evaluation.reply_matrix.clients import RULE
from evaluation.reply_matrix.message import Body, Head, asked, message
from evaluation.reply_matrix.words import SENDER, SENDER_ADDRESS, table

SUBJECT = "[approval r-7f3a/2] Post 4 x P-100"
FULL = f"{SENDER} <{SENDER_ADDRESS}>"
SAID: tuple[tuple[str, list[str], Group, str], ...] = (
    ("yes", ["APPROVE"], "approval", "accepted"),
    ("no", ["REJECT"], "rejection", "rejected"),
    ("nothing", [], "non-approval", "unclear"),
)


@dataclass(frozen=True)
class Interface:
    """One table of the data file, its places filled in."""

    language: str
    over: tuple[str, ...]
    labels: tuple[str, ...]
    date: str
    phone: str
    automatic: str
    original: str

    def block(self) -> list[str]:
        """The lines of a header block over an unmarked quote."""
        values = (FULL, self.date, "Ann Approver <ann@corp.example>", SUBJECT)
        return [f"{label} {value}" for label, value in zip(self.labels, values, strict=True)]


@cache
def interfaces() -> tuple[Interface, ...]:
    """All languages of the file, in its order."""
    return tuple(_interface(code, given) for code, given in table("interfaces.toml").items())


def _interface(code: str, given: dict[str, Any]) -> Interface:
    filled: dict[str, Any] = {
        key: tuple(map(_filled, value)) if isinstance(value, list) else value for key, value in given.items()
    }
    return Interface(language=code, **filled)


def _filled(text: str) -> str:
    return text.replace("{A}", FULL).replace("{N}", SENDER).replace("{M}", SENDER_ADDRESS)


def foreign_menus() -> Iterator[Case]:
    """A yes, a no and nothing, above every kind of quote, with and without what a telephone adds."""
    for interface in interfaces():
        for kind, lines, group, want in SAID:
            for number, (name, body) in enumerate(_bodies(interface, lines)):
                case = f"menu-{interface.language}-{name}-{kind}"
                encoding = ("8bit", "quoted-printable", "base64")[number % 3]
                raw = message(Head(case), Body(body, None, "utf-8", encoding))
                yield Case(case, group, raw, (want,), f"{kind} above a quote in {interface.language}")
        yield _automatic(interface)


def _bodies(interface: Interface, lines: list[str]) -> Iterator[tuple[str, str]]:
    request = asked("APPROVE", "REJECT")
    quoted = [f"> {line}".rstrip() for line in request]
    for number, line in enumerate(interface.over):
        yield f"above{number}", "\n".join([*lines, "", line, "", *quoted])
        yield f"unmarked{number}", "\n".join([*lines, "", line, "", *request])
        yield f"below{number}", "\n".join([line, *quoted, "", *lines])
    yield "block", "\n".join([*lines, "", RULE, *interface.block(), "", *request])
    yield "phone", "\n".join([*lines, "", interface.phone, "", f"> {interface.over[0]}", *quoted])
    yield "original", "\n".join([*lines, "", interface.phone, "", interface.original, *interface.block(), "", *request])


def _automatic(interface: Interface) -> Case:
    name = f"menu-{interface.language}-automatic"
    raw = message(Head(name, subject=f"{interface.automatic}: {SUBJECT}"), Body("APPROVE"))
    return Case(name, "non-approval", raw, ("ignored",), f"the subject alone says automatic: {interface.automatic}")
