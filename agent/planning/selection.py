"""Step selection: which endpoints the goal asks for, in the order of its text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agent.planning.intents import Intent
from agent.planning.text import canonical, endpoint_words, label_words, name_words, same_word
from wire.context import EndpointView, TypedContext

# what a verb of the goal may come to, with how well it fits
_COMPATIBLE: dict[str, dict[str, float]] = {
    "create": {"create": 1.0, "action": 0.7, "update": 0.3},
    "read": {"read": 1.0},
    "update": {"update": 1.0, "action": 0.7, "create": 0.25},
    "delete": {"delete": 1.0, "action": 0.7, "update": 0.5},
    "action": {"action": 1.0, "create": 0.75, "update": 0.5, "read": 0.45},
    "": {"create": 0.9, "read": 0.7, "action": 0.7, "update": 0.6},
}
THRESHOLD = 0.55


@dataclass(frozen=True)
class Step:
    """One planned call. ``start``/``end``: the part of the goal that it takes values from first.

    ``topic`` = the goal's opening part when it only names what all steps are about; ``without`` = parts that belong to a
    sibling of this step.

    ``lookup`` = (property, value): a read that resolves a name to the key of ``view``.
    """

    view: EndpointView
    start: int
    end: int
    evidence: float
    lookup: tuple[str, str] | None = None
    topic: tuple[int, int] | None = None
    without: tuple[tuple[int, int], ...] = ()
    if_absent: bool = False

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Parts of the goal that the step reads, the topic first."""
        spans = [self.topic] if self.topic else []
        at = self.start
        for start, end in self.without:
            spans.append((at, start))
            at = end
        return (*spans, (at, self.end))


Support = Callable[[EndpointView, Intent, Sequence["Step"]], float]
_CLOSE = 0.8
_LABEL_SHARE = 0.7
_TOPIC_SHARE = 0.5


@dataclass(frozen=True)
class Selection:
    """Steps in the order of the goal, and the intents to write something that no endpoint fits."""

    steps: tuple[Step, ...]
    unmatched: tuple[Intent, ...] = ()


def select(context: TypedContext, intents: Sequence[Intent], support: Support) -> Selection:
    """The endpoint of each intent, in the order of the goal.

    ``support`` says how well a view's fields take up the intent's values; it decides between near candidates.
    """
    weights = _weights(context)
    steps: list[Step] = []
    unmatched: list[Intent] = []
    for intent in intents:
        kind = intent.kind or _kind_without_verb(intent)
        ranked = sorted(
            ((_score(context, weights, view, intent, kind, steps), -view.rank, view) for view in context.endpoints),
            key=lambda r: (-r[0], -r[1], r[2].service, r[2].endpoint),
        )
        if not ranked or ranked[0][0] < THRESHOLD:
            steps = _widen(steps, intent)
            unmatched += [intent] if intent.kind not in ("", "read") else []
            continue
        near = [r for r in ranked if r[0] >= max(ranked[0][0] - _CLOSE, THRESHOLD - 0.1)][:8]
        best = max(near, key=lambda r: (round(r[0] + support(r[2], intent, steps), 4), r[1]))
        step = Step(best[2], intent.start, intent.end, best[0], if_absent=intent.if_absent)
        steps = _append(steps, step, intent)
    return Selection(tuple(steps), tuple(unmatched))


def _kind_without_verb(intent: Intent) -> str:
    return "create" if any(t.text.isdigit() for t in intent.tokens) else "read"


def _widen(steps: list[Step], intent: Intent) -> list[Step]:
    """Text that asks for nothing of its own belongs to the step before it."""
    return [*steps[:-1], replace(steps[-1], end=intent.end)] if steps else steps


def _append(steps: list[Step], step: Step, intent: Intent) -> list[Step]:
    previous = steps[-1] if steps else None
    same = previous and previous.view.endpoint == step.view.endpoint and previous.view.service == step.view.service
    if (
        same
        and previous
        and previous.view.verb == step.view.verb == "create"
        and step.evidence < previous.evidence + 0.3
    ):
        return _widen(steps, intent)
    return [*steps, step]


def _weights(context: TypedContext) -> dict[str, float]:
    """Rare words among the context's endpoints weigh more."""
    counts: dict[str, int] = {}
    names = {(v.service, v.endpoint): v for v in context.endpoints}
    for view in names.values():
        for word in {*endpoint_words(view.endpoint), *label_words(view.label)}:
            counts[word] = counts.get(word, 0) + 1
    return {word: math.log(1 + len(names) / count) for word, count in counts.items()}


def _score(
    context: TypedContext,
    weights: dict[str, float],
    view: EndpointView,
    intent: Intent,
    kind: str,
    steps: Sequence[Step],
) -> float:
    # A function is an operation that only reads.
    reads = view.verb == "action" and view.method == "GET"
    fit = max(_COMPATIBLE[kind].get(view.verb, 0.0), 0.9 * _COMPATIBLE[kind].get("read", 0.0) if reads else 0.0)
    if not fit:
        return 0.0
    hint = [w for h in intent.hint.split() for w in canonical(h)]
    words = (*intent.words, *hint)
    evidence = max((_recall(p, words, weights, intent) for p in _phrases(context, view)), default=0.0)
    if view.verb == "action" and not reads and kind in ("update", "delete") and not _leads(view, words):
        # To change a date is not to release: an operation stands for another verb only when the text says its own.
        fit *= 0.4
    if view.verb == "action" and hint:
        lead = name_words(view.endpoint)[:1]
        evidence += 0.5 if any(same_word(lead[0], h) for h in hint) else -0.3
    if "value help" in view.label.casefold():
        evidence -= 0.4
    prior = 0.25 / max(view.rank, 1)
    return fit * (evidence + prior + _clause_bonus(context, view, intent)) + _continuity(context, view, steps)


def _leads(view: EndpointView, words: Sequence[str]) -> bool:
    """Whether the text holds the operation's own verb, the first word of its name."""
    lead = name_words(view.endpoint)[:1]
    return bool(lead) and any(same_word(lead[0], w) for w in words)


def _phrases(context: TypedContext, view: EndpointView) -> list[tuple[str, ...]]:
    """Ways to name the endpoint: its name, its label, the process nodes bound to it."""
    found = [endpoint_words(view.endpoint), label_words(view.label)]
    for step in context.chain:
        if (step.service, step.endpoint) == (view.service, view.endpoint) and step.verb in (None, view.verb):
            found.append(label_words(step.label))
    return [p for p in found if p]


def _recall(phrase: tuple[str, ...], words: Sequence[str], weights: dict[str, float], intent: Intent) -> float:
    """Share of the phrase that the words hold. Rare words weigh more, labels of values and words of the topic less."""
    total = sum(weights.get(w, 1.0) for w in phrase)
    hit = 0.0
    for word in phrase:
        if any(same_word(word, x) for x in words):
            hit += weights.get(word, 1.0) * (_LABEL_SHARE if word in intent.labels else 1.0)
        elif any(same_word(word, x) for x in intent.about):
            hit += weights.get(word, 1.0) * _TOPIC_SHARE
    return hit / total


def _clause_bonus(context: TypedContext, view: EndpointView, intent: Intent) -> float:
    if view.clause is None or not 0 <= view.clause < len(context.clauses) or len(context.clauses) < 2:
        return 0.0
    at = context.goal.find(context.clauses[view.clause])
    overlaps = at >= 0 and at < intent.end and intent.start < at + len(context.clauses[view.clause])
    return 0.2 if overlaps else 0.0


def _continuity(context: TypedContext, view: EndpointView, steps: Sequence[Step]) -> float:
    """A step of the same service, or one that takes a key from an earlier step, follows more likely."""
    if not steps:
        return 0.0
    fed = any(
        c.to_service == view.service
        and c.from_service == s.view.service
        and c.from_endpoint == s.view.endpoint
        and c.to_endpoint in (view.endpoint, *(n.target_set for n in view.nested))
        for c in context.carries
        for s in steps
    )
    same_service = any(s.view.service == view.service for s in steps)
    again = any(s.view == view for s in steps) and view.verb != "read"
    return 0.15 * fed + 0.1 * same_service - 0.3 * again
