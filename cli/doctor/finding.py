"""One line about one part: whether it is right, and how to mend it when it is not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, SecretStr


class Status(StrEnum):
    """``unknown``: the check could not be made, which is no good news; ``unused``: nothing of it is configured."""

    RIGHT = "right"
    WARNING = "warning"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    UNUSED = "unused"


@dataclass(frozen=True)
class Finding:
    """What was found of ``part``, and what to do about it (empty when nothing is to be done)."""

    part: str
    status: Status
    told: str
    mend: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether it speaks against "all is right"."""
        return self.status in (Status.WRONG, Status.UNKNOWN)

    def as_json(self) -> dict[str, str]:
        """The finding as JSON values."""
        return {"part": self.part, "status": self.status.value, "told": self.told, "mend": self.mend}


def right(part: str, told: str) -> Finding:
    """It works."""
    return Finding(part, Status.RIGHT, told)


def warning(part: str, told: str, mend: str) -> Finding:
    """It works, and is worth a look."""
    return Finding(part, Status.WARNING, told, mend)


def wrong(part: str, told: str, mend: str) -> Finding:
    """It does not work."""
    return Finding(part, Status.WRONG, told, mend)


def unknown(part: str, told: str, mend: str) -> Finding:
    """Nobody can tell."""
    return Finding(part, Status.UNKNOWN, told, mend)


def unused(part: str, told: str) -> Finding:
    """Not configured, and nothing needs it."""
    return Finding(part, Status.UNUSED, told)


def without_secrets(finding: Finding, secrets: Iterable[str]) -> Finding:
    """The finding with every known secret blotted out: what servers and libraries say may hold what they were sent."""
    told, mend = finding.told, finding.mend
    for secret in sorted((s for s in secrets if len(s) >= 4), key=len, reverse=True):
        told, mend = told.replace(secret, "…"), mend.replace(secret, "…")
    return Finding(finding.part, finding.status, _one_line(told), _one_line(mend))


def secrets_in(value: Any) -> Iterator[str]:
    """Every secret in the settings, at whatever depth."""
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from secrets_in(getattr(value, name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from secrets_in(item)


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:600]
