"""What a target is, and what its answers mean."""

from typing import Literal, NamedTuple, Protocol

from evaluation.differential.http_form import HttpCall
from evaluation.differential.samples import Sample

Opinion = Literal["accepts", "rejects", "silent"]
# 404 and 409 are about data where the valid call fares no better; then the base was refused too and nothing is judged.
_REJECTS = frozenset({400, 403, 404, 405, 409, 411, 412, 415, 422, 428})


class Answer(NamedTuple):
    """``silent``: no opinion, with the reason (not served, not built, crashed)."""

    opinion: Opinion
    status: int
    text: str = ""


class Target(Protocol):
    """A program that takes calls. ``about`` is its name and version."""

    name: str
    about: str

    def hosts(self, service: str, version: str) -> bool:
        """Whether it serves this metadata."""

    def ask(self, sample: Sample, http: HttpCall) -> Answer:
        """Its opinion. What the call changed is undone before the next."""

    def close(self) -> None:
        """Give back processes and files."""


class NotInstalled(Exception):
    """Raised when a target is not there. The message says what to install."""


def answer_of(status: int, text: str) -> Answer:
    """The opinion in an HTTP status: 2xx accepts, a client error rejects, all else is no opinion."""
    if 200 <= status < 300:
        return Answer("accepts", status, text)
    if status in _REJECTS:
        return Answer("rejects", status, text)
    return Answer("silent", status, text)
