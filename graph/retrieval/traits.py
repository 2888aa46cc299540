"""What is known of endpoints before any query: their service is in use by a process, what they allow, what leads to them."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from graph.retrieval.process_map import ProcessMap
from graph.views import EndpointSummary
from wire.endpoint import Verb

Column = npt.NDArray[np.float32]

_VERBS = tuple(Verb)


class Traits:
    """By row of endpoints."""

    def __init__(self, endpoints: Sequence[EndpointSummary], processes: ProcessMap) -> None:
        covered = {endpoints[row].service for row in processes.bound_at}
        self.covered = _column(item.service in covered for item in endpoints)
        self.operation = _column(item.kind not in ("EntitySet", "Singleton") for item in endpoints)
        self._verbs = np.array([[verb in item.verbs for verb in _VERBS] for item in endpoints], dtype=bool)
        pairs = sorted(_led_to(endpoints))
        self.children: Mapping[int, list[int]] = _grouped(pairs)
        """Row -> rows of the same service that its navigations lead to."""
        by_child = sorted((child, parent) for parent, child in pairs)
        self._parents = np.array([parent for _, parent in by_child], dtype=np.int64)
        self._led, self._starts = np.unique(
            np.array([child for child, _ in by_child], dtype=np.int64), return_index=True
        )

    def allows(self, verbs: frozenset[Verb]) -> Column:
        """1 where one of ``verbs`` is allowed."""
        asked = [place for place, verb in enumerate(_VERBS) if verb in verbs]
        return np.asarray(self._verbs[:, asked].any(axis=1), dtype=np.float32) if asked else np.zeros_like(self.covered)

    def linked(self, rows: Sequence[int]) -> bool:
        """Whether a navigation leads from one of them to another."""
        return any(child in rows for row in rows for child in self.children.get(row, ()))

    def of_parents(self, scores: Column) -> Column:
        """For each row the best score of what leads to it; 0 where nothing does."""
        found = np.zeros_like(scores)
        if len(self._led):
            found[self._led] = np.maximum.reduceat(scores[self._parents], self._starts)
        return found

    def of_children(self, shares: npt.NDArray[np.float64], where: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """For each row in ``where`` the best share of what it leads to, else 0."""
        found = np.zeros_like(shares)
        for row in np.flatnonzero(where):
            rows = self.children.get(int(row))
            if rows:
                found[row] = shares[rows].max()
        return found


def _column(values: Iterable[bool]) -> Column:
    return np.array(list(values), dtype=np.float32)


def _led_to(endpoints: Sequence[EndpointSummary]) -> set[tuple[int, int]]:
    rows: dict[tuple[str, str], list[int]] = {}
    for row, item in enumerate(endpoints):
        if item.entity_type:
            rows.setdefault((item.service, item.entity_type), []).append(row)
    return {
        (row, child)
        for row, item in enumerate(endpoints)
        for target in set(item.targets)
        for child in rows.get((item.service, target), ())
        if child != row
    }


def _grouped(pairs: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for parent, child in pairs:
        found.setdefault(parent, []).append(child)
    return found
