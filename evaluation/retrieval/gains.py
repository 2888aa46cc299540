"""Where a gain over dense comes from: by type of query, and by the reason with which the added endpoint was found."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.retrieval.comparisons import BASELINE
from evaluation.retrieval.run import Run
from evaluation.retrieval.scoring import Judged

CUTS = (3, 5)


def gains(run: Run, method: str, groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Type -> ``added@k`` (reason -> golds that dense does not have there), ``evicted@k``, ``golds``."""
    ours, dense = run.judged[method], run.judged[BASELINE]
    return {
        kind: {
            "golds": sum(ours[name].golds for name in names),
            **{f"added@{k}": _added(run, method, names, k) for k in CUTS},
            **{
                f"evicted@{k}": sum(len(dense[name].covered(k) - ours[name].covered(k)) for name in names) for k in CUTS
            },
        }
        for kind, names in groups.items()
    }


def _added(run: Run, method: str, names: Sequence[str], k: int) -> dict[str, int]:
    found: Counter[str] = Counter()
    for name in names:
        judged = run.judged[method][name]
        for gold in judged.covered(k) - run.judged[BASELINE][name].covered(k):
            found[_reason(judged, gold, run.ranked[method].why[name])] += 1
    return dict(sorted(found.items()))


def _reason(judged: Judged, gold: int, why: Mapping[tuple[str, str], str]) -> str:
    return why.get(judged.endpoints[judged.places.index(gold)], "")
