"""What the generator meant and what the outside world saw: plain values that world and oracle share. No product code.

``seq`` numbers everything that happens in one history, so that two things at one instant still have an order.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Meaning = Literal["yes", "no", "unclear", "automatic", "hostile"]


@dataclass(frozen=True)
class Lent:
    """``taker`` may answer for ``giver`` from ``since`` to ``until``."""

    giver: str
    taker: str
    since: datetime
    until: datetime


@dataclass(frozen=True)
class Rules:
    """Who may approve, as the generator wrote it. ``quorum`` 0 means all."""

    approvers: tuple[str, ...]
    quorum: int
    escalate: tuple[str, ...] = ()
    deputies: tuple[str, ...] = ()
    lent: tuple[Lent, ...] = ()


@dataclass(frozen=True)
class Enacted:
    """Rules in force from ``seq`` on."""

    seq: int
    rules: Rules


@dataclass(frozen=True)
class Posted:
    """A mail of the product that the mail server took."""

    seq: int
    at: datetime
    recipient: str
    raw: bytes


@dataclass(frozen=True)
class Letter:
    """A mail in the mailbox, with the truth about it.

    ``writer`` is the person who wrote it; ``genuine``: it came from their own account and the server's word for it is true.
    ``answers`` is the Message-ID of the mail that they had before them; ``at`` when the server really received it, ``stamped``
    what it said. ``stops`` are runs that must not go on once it was read (ids of two runs, other content under one id).
    """

    seq: int
    raw: bytes
    at: datetime
    stamped: datetime
    writer: str
    meaning: Meaning
    answers: str
    genuine: bool
    kind: str
    stops: tuple[int, ...] = ()


@dataclass(frozen=True)
class Served:
    """A write whose bytes reached the service; ``effect`` is false for one that it answered from memory or refused."""

    seq: int
    at: datetime
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: str
    effect: bool


@dataclass(frozen=True)
class Act:
    """What an operator (or a fault that halts) did to run number ``run``. ``seconds``: the window that they gave."""

    seq: int
    at: datetime
    kind: str
    run: int
    actor: str
    giver: str = ""
    taker: str = ""
    until: datetime | None = None
    seconds: int = 0


@dataclass
class Account:
    """One history as it happened. ``window`` is the rule's, in seconds; a yes closer than ``margin`` to its edges
    may be held late, since the clocks differ. ``addresses`` maps each address to its person,
    ``read`` a letter's place to when it was read.

    ``touched`` names, for each run, the kinds of events that concerned it.
    """

    requester: str
    window: int
    margin: int
    addresses: dict[str, str]
    rules: list[Enacted] = field(default_factory=list)
    posted: list[Posted] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    read: dict[int, int] = field(default_factory=dict)
    served: list[Served] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    touched: dict[int, set[str]] = field(default_factory=dict)
