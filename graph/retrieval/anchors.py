"""Which process a query is about, which nodes of it the query names, and what comes after them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from graph.retrieval.process_map import ProcessMap
from graph.search_text import words
from graph.word_lists import sequence_words
from wire.context import Reason

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Anchor:
    """A node that the query, or clause ``part`` of it, names best."""

    node: int
    score: float
    part: int


@dataclass(frozen=True)
class Reached:
    """An endpoint on the chain: its score and how the walk came to it."""

    score: float
    reason: Reason


def asks_for_chain(query: str, clauses: Sequence[str]) -> bool:
    """Whether the query asks for more than one step: several clauses, or words of sequence."""
    return len(clauses) > 1 or any(word in _folded_sequence_words() for word in words(query))


@cache
def _folded_sequence_words() -> frozenset[str]:
    return frozenset(folded for word in sequence_words() for folded in words(word))


def best_process(processes: ProcessMap, scores: Matrix) -> str | None:
    """The process whose nodes answer query (row 0 of ``scores``) and clauses (further rows) best; None without nodes."""
    votes: list[tuple[float, str]] = []
    for process, rows in processes.by_process.items():
        best = scores[:, rows].max(axis=1)
        clauses = best[1:].mean() if len(best) > 1 else best[0]
        votes.append((round(float(best[0] + clauses) / 2, 6), process))
    return min(votes, key=lambda vote: (-vote[0], vote[1]))[1] if votes else None


def find_anchors(processes: ProcessMap, process: str, scores: Matrix) -> list[Anchor]:
    """The best node of ``process`` for the query and for every clause, each node once with its best score."""
    rows = processes.by_process[process]
    found: dict[int, Anchor] = {}
    for part, row in enumerate(scores):
        node = rows[int(np.argmax(np.round(row[rows], 6)))]
        anchor = Anchor(node, float(row[node]), part)
        if node not in found or found[node].score < anchor.score:
            found[node] = anchor
    return sorted(found.values(), key=lambda anchor: (-anchor.score, anchor.node))


def walk_from(processes: ProcessMap, anchors: Sequence[Anchor], *, decay: float, reach: int) -> dict[int, Reached]:
    """Endpoints bound to the anchors and to what follows them, by row, each with its best way."""
    found: dict[int, Reached] = {}
    for anchor in anchors:
        for visit in processes.walk(anchor.node, limit=reach):
            score = anchor.score * decay**visit.distance
            for row, _ in processes.bindings[visit.node]:
                if row not in found or found[row].score < score:
                    reason = _reason(processes, anchor.node, visit.node, visit.distance, visit.condition)
                    found[row] = Reached(score, reason)
    return found


def _reason(processes: ProcessMap, start: int, node: int, distance: int, condition: str) -> Reason:
    here, origin = processes.nodes[node], processes.nodes[start]
    if node == start:
        return Reason(kind="anchor", text=f'is step "{here.label}" of {here.process}')
    when = f" ({condition})" if condition else ""
    away = f"+{distance} after" if distance > 1 else "follows"
    return Reason(kind="follows", text=f'"{here.label}" {away} "{origin.label}" in {here.process}{when}')
