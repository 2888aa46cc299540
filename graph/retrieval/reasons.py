"""Why a hit of the Countersign retriever is there, in a line for each reason."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from graph.retrieval.anchors import Walk, Way
from graph.retrieval.base import Corpus
from graph.retrieval.dense import dense_reason
from graph.retrieval.reading import Reading
from wire.context import CarryOver, Reason

_DENSE_SHOWN = 5
_MOST_KEYS = 2
_LEAST_PROCESS = 0.2
"""A step of a process is a reason from this share of the query on."""


class Explainer:
    """Reasons from the numbers that ranked the hit, never others."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def explain(
        self, reading: Reading, shares: Mapping[str, float], walk: Walk | None, rows: Sequence[int]
    ) -> Mapping[int, tuple[Reason, ...]]:
        """For each row its place in a process first, then nearness of texts, then words."""
        said = self._corpus.fields.shared(reading.concepts[0], rows)
        return {row: self._of_row(reading, shares, walk, row, said[place]) for place, row in enumerate(rows)}

    def _of_row(
        self, reading: Reading, shares: Mapping[str, float], walk: Walk | None, row: int, said: Sequence[str]
    ) -> tuple[Reason, ...]:
        reasons: list[Reason] = []
        if walk is not None and row in walk.ways:
            reasons.append(self._way(walk.ways[row], row))
        elif reading.asked.kind not in ("one", "asked"):
            reasons += self._step(reading, shares, row)
        if row in reading.dense[:_DENSE_SHOWN]:
            reasons.append(dense_reason(reading.dense.index(row) + 1, float(reading.cosines[0, row])))
        if said:
            reasons.append(Reason(kind="words", text="matched words: " + ", ".join(said)))
        if not reasons:
            part = int(np.argmax(np.round(reading.cosines[:, row], 6)))
            about = f' for "{reading.parts[part]}"' if part else ""
            reasons.append(Reason(kind="dense", text=f"near text{about} (cosine {reading.cosines[part, row]:.2f})"))
        return tuple(reasons)

    def _way(self, way: Way, row: int) -> Reason:
        nodes = self._corpus.processes.nodes
        here, origin = nodes[way.node], nodes[way.start]
        if way.node == way.start:
            return Reason(kind="anchor", text=f'is step "{here.label}" of {here.process}')
        when = f" ({way.condition})" if way.condition else ""
        away = f"+{way.distance} after" if way.distance > 1 else "follows"
        needs = self._needs(way, row)
        return Reason(kind="follows", text=f'"{here.label}" {away} "{origin.label}" in {here.process}{when}{needs}')

    def _needs(self, way: Way, row: int) -> str:
        """The keys that the step takes from what is bound at the anchor."""
        sources = {source for source, _ in self._corpus.processes.bindings[way.start]} - {row}
        keys = [key for source in sorted(sources) for key in self._keys.get((source, row), ())]
        found = list(dict.fromkeys(keys))[:_MOST_KEYS]
        return f", needs {' and '.join(found)} from it" if found else ""

    def _step(self, reading: Reading, shares: Mapping[str, float], row: int) -> list[Reason]:
        processes = self._corpus.processes
        bound = [
            node
            for node in processes.bound_at.get(row, ())
            if shares.get(processes.nodes[node].process_id, 0.0) >= _LEAST_PROCESS
        ]
        if not bound:
            return []
        node = processes.nodes[max(bound, key=lambda place: (round(float(reading.nodes[:, place].max()), 6), -place))]
        return [Reason(kind="anchor", text=f'is step "{node.label}" of {node.process}')]

    @cached_property
    def _keys(self) -> Mapping[tuple[int, int], tuple[str, ...]]:
        """(source row, target row) -> keys that are carried, those of and into nested sets included."""
        by_name = {(item.service, item.endpoint): row for row, item in enumerate(self._corpus.endpoints)}
        parents: dict[int, list[int]] = {}
        for parent, children in self._corpus.traits.children.items():
            for child in children:
                parents.setdefault(child, []).append(parent)
        found: dict[tuple[int, int], tuple[str, ...]] = {}
        for carry in sorted(self._corpus.carries(), key=_declared_first):
            source = by_name.get((carry.from_service, carry.from_endpoint))
            target = by_name.get((carry.to_service, carry.to_endpoint))
            if source is None or target is None:
                continue
            for start in (source, *parents.get(source, ())):
                for end in (target, *parents.get(target, ())):
                    found[start, end] = (*found.get((start, end), ()), carry.from_property)
        return found


def _declared_first(carry: CarryOver) -> tuple[bool, str, str, str]:
    return (carry.source != "declared", carry.from_service, carry.from_endpoint, carry.from_property)
