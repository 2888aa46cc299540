"""The title of a call: what its mail's subject leads with, so that it can be told from two hundred others on a phone. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mail.phrases import Phrases
from wire.approval import Line, Table
from wire.call import ProposedCall

VERBS = {"POST": "create", "PATCH": "change", "PUT": "replace", "DELETE": "delete", "ACTION": "act", "GET": "read"}
BETWEEN = " · "
_LONGEST = 40


@dataclass(frozen=True)
class Title:
    """``head``: what is done to what, ``key``: to which one, then for how much, with whom or with what, in how many lines."""

    head: str
    key: str = ""
    amount: str = ""
    about: tuple[str, ...] = ()
    size: str = ""

    def __str__(self) -> str:
        parts = (self.head, self.key, self.amount, *self.about, self.size)
        return BETWEEN.join(part for part in parts if part)


def make_title(
    call: ProposedCall, what: str, keys: Sequence[Line], content: Sequence[Line], tables: Sequence[Table], amount: str,
    phrases: Phrases,
) -> Title:  # fmt: skip
    """The title as the call alone gives it; ``named`` adds the names of its numbers."""
    key = ", ".join(_short(line.value) for line in keys)
    changes = [line for line in content if line.old is not None and line.old != line.value]
    shown = [line for line in content if line.value != amount and not line.value.startswith("(")]
    about = [f"{c.label} {_short(c.old or '')} → {_short(c.value)}" for c in changes[:1]]
    about += [f"+{len(changes) - 1}"] if len(changes) > 1 else []
    if not about and not (key and call.method in ("DELETE", "ACTION")):
        about = [f"{line.label} {_short(line.value)}" for line in shown[: 1 if amount or key else 2]]
    head = phrases(f"verb_{VERBS[call.method]}", what=what)
    return Title(head, key, "" if changes else amount, tuple(about), _size(tables, phrases))


def named(title: Title, lines: Sequence[Line], names: Mapping[str, str]) -> Title:
    """Names that the run has read say more than the numbers they belong to."""
    known = [names[line.value] for line in lines if line.value in names]
    return replace(title, about=tuple(known[:2])) if known else title


def _size(tables: Sequence[Table], phrases: Phrases) -> str:
    count = len(tables[0].rows) if tables else 0
    return phrases("line" if count == 1 else "lines", n=str(count)) if count else ""


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1].rstrip() + "…"
