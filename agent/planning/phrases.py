"""The words beside a value: what stands before it, what after it, as far as they can name it."""

import re
from collections.abc import Sequence

from agent.planning.facts import Fact
from agent.planning.text import Token
from agent.planning.words import FILLERS

_EDGES = re.compile(r"[,.;:()\n](?=\s|$)|[(]")
_TAIL = re.compile(r"(?:\s|[:=(#]|(?<=\b[A-Za-z]{2})\.|(?<=\b[A-Za-z]{3})\.)+$")


def before(goal: str, tokens: Sequence[Token], facts: Sequence[Fact], index: int) -> tuple[str, ...]:
    """Canonical words between the last edge or value and fact ``index``, fillers left out."""
    fact = facts[index]
    floor = facts[index - 1].end if index else (tokens[0].start if tokens else 0)
    head = _TAIL.sub("", goal[floor : fact.start])
    edges = [0, *(m.end() for m in _EDGES.finditer(head))]
    near = _content(tokens, floor + edges[-1], fact.start)
    if near or len(edges) == 1 or head[edges[-1] - 1] != ",":
        return near
    # "both lines, 10 and 20": the label stands before the comma.
    return _content(tokens, floor + edges[-2], floor + edges[-1])


def after(goal: str, tokens: Sequence[Token], facts: Sequence[Fact], index: int) -> tuple[str, ...]:
    """Canonical words right after fact ``index`` when they end at an edge: ``2026-03-02 (posting and document date)``."""
    fact = facts[index]
    last = tokens[-1].end + 1 if tokens else len(goal)
    ceiling = facts[index + 1].start if index + 1 < len(facts) else last
    rest = goal[fact.end : ceiling]
    if re.match(r"\s*(?:is|are|was|were|has|have|had|ist|sind|wurde|war|est|es)\b", rest, re.IGNORECASE):
        return ()
    opened = re.match(r"\s*\(", rest)
    skip = opened.end() if opened else 0
    edge = _EDGES.search(rest, skip)
    if edge is None and index + 1 < len(facts):
        return ()
    return _content(tokens, fact.end, fact.end + (edge.start() if edge else len(rest)))


def joined(goal: str, facts: Sequence[Fact], index: int) -> bool:
    """Whether only ``and`` or a comma stands between this fact and the one before it."""
    if not index:
        return False
    between = goal[facts[index - 1].end : facts[index].start].strip().casefold()
    return between in {"and", ",", "or", "und", ", and", "&", "et", "y", "/"}


def _content(tokens: Sequence[Token], start: int, end: int) -> tuple[str, ...]:
    inside = [t for t in tokens if t.start >= start and t.end <= end]
    return tuple(w for t in inside for w in t.words if w not in FILLERS)
