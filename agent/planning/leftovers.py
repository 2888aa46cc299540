"""Leftovers: values of a step's text that no field took. Dropping one in silence would change what was asked for."""

from agent.planning import phrases
from agent.planning.draft import Draft, Problem
from agent.planning.facts import Fact, FactKind
from agent.planning.reading import Reading

_TOLD = frozenset({FactKind.AMOUNT, FactKind.DATE, FactKind.QUANTITY, FactKind.PERCENT, FactKind.QUOTED})
_ASKED = frozenset({FactKind.AMOUNT, FactKind.DATE})


def unused(draft: Draft, own: Reading) -> list[str]:
    """Values that the approver should know were not used, as the goal writes them."""
    stated = {str(v.value) for r in draft.rows for v in r.values.values()}
    return [own.goal[f.start : f.end] for i, f in _left(draft, own) if f.kind in _TOLD and f.value not in stated]


def unplaced(draft: Draft, own: Reading) -> list[Problem]:
    """Amounts and dates with a name of their own that no field of this call has (``credit limit of 50000 EUR``)."""
    found = []
    for index, fact in _left(draft, own):
        phrase = phrases.before(own.goal, own.tokens, own.facts, index)
        if fact.kind in _ASKED and (phrase or fact.kind is FactKind.DATE) and not fact.each:
            found.append(Problem("property", None, _named(own, index, fact)))
    return found


def _left(draft: Draft, own: Reading) -> list[tuple[int, Fact]]:
    return [(i, f) for i, f in enumerate(own.facts) if i not in draft.used]


def _named(own: Reading, index: int, fact: Fact) -> str:
    floor = own.facts[index - 1].end if index else own.tokens[0].start
    before = [t for t in own.tokens if floor <= t.start and t.end <= fact.start][-4:]
    start = before[0].start if before else fact.start
    text = own.goal[start : fact.end]
    return text.rsplit(", ", 1)[-1].strip(" ,.;:(")
