"""Which process a query is about, at which of its nodes it stands, and which endpoints come from there on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graph.clauses import split_clauses
from graph.retrieval.process_map import ProcessMap
from graph.retrieval.query_kind import what_is_asked
from graph.retrieval.reading import Reading
from graph.retrieval.weights import Blend

Shares = npt.NDArray[np.float64]

_LEAST_ANCHOR = 0.01
"""An anchor with a smaller share is not walked from."""


@dataclass(frozen=True)
class Way:
    """How the walk came to an endpoint: from the anchor ``start`` to ``node``, ``distance`` bound nodes on."""

    start: int
    node: int
    distance: int
    condition: str


@dataclass(frozen=True)
class Walk:
    """``shares`` of endpoints, summing to 1, and the way that gave each most."""

    shares: Shares
    ways: Mapping[int, Way]


def asks_for_chain(query: str, clauses: Sequence[str] | None = None) -> bool:
    """Whether the query asks for more than one step of a process."""
    return what_is_asked(query, split_clauses(query) if clauses is None else clauses).kind not in ("one", "asked")


def process_shares(processes: ProcessMap, reading: Reading, blend: Blend) -> Mapping[str, float]:
    """How much of the query each process answers, summing to 1: by its best bound node for the whole and for every clause."""
    bound = {process: _bound(processes, rows) for process, rows in processes.by_process.items()}
    names = sorted(process for process, rows in bound.items() if rows)
    if not names:
        return {}
    best = np.array([reading.nodes[:, bound[process]].max(axis=1) for process in names])
    votes = blend.process_query * best[:, 0] + best[:, list(reading.clauses)].mean(axis=1)
    return dict(zip(names, softmax(blend.process_sharpness * votes).tolist(), strict=True))


def walk_from_state(processes: ProcessMap, reading: Reading, shares: Mapping[str, float], blend: Blend) -> Walk | None:
    """Walk forward from the nodes that the query's state of affairs may be at, each by its share; None without nodes."""
    nodes = [node for process in shares for node in _bound(processes, processes.by_process[process])]
    if not nodes:
        return None
    votes = reading.nodes[list(reading.states)].max(axis=0) + blend.anchor_query * reading.nodes[0]
    of_process = np.array([np.log(shares[processes.nodes[node].process_id] + 1e-9) for node in nodes])
    starts = softmax(blend.anchor_sharpness * votes[nodes] + blend.anchor_process * of_process)
    found = np.zeros(reading.scores.shape[1])
    best: dict[int, tuple[float, Way]] = {}
    for start, share in zip(nodes, starts.tolist(), strict=True):
        if share < _LEAST_ANCHOR:
            continue
        for visit in processes.walk(start, limit=blend.reach):
            gain = share * blend.decay**visit.distance
            for row, _ in processes.bindings[visit.node]:
                found[row] += gain
                if row not in best or best[row][0] < gain:
                    best[row] = (gain, Way(start, visit.node, visit.distance, visit.condition))
    return Walk(found / max(found.sum(), 1e-9), {row: way for row, (_, way) in best.items()})


def softmax(scores: Shares) -> Shares:
    """Shares along the last axis, summing to 1."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _bound(processes: ProcessMap, rows: Sequence[int]) -> list[int]:
    return [row for row in rows if processes.bindings[row]]
