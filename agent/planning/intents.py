"""Intents of a goal: each part that asks for something to be done, with what it does and where its text stands."""

import re
from dataclasses import dataclass, replace

from agent.planning.facts import Fact, FactKind
from agent.planning.text import Token, fold, tokenize
from agent.planning.words import VERBS, word_set

_BREAK = re.compile(r"[.;!?]\s+(?=\S)|\n+|(?<!\w)(?:\(?\d\)|\d\.(?!\d)|\(?[a-e]\))\s+")
_SEQUENCE = re.compile(
    r"(?:,\s+|;\s+|\s+)(?:(?:and|und|et|y)\s+)?(?:then|afterwards|danach|dann|anschlie(?:ss|ß)end|finally|puis|ensuite|luego)\s+",
    re.IGNORECASE,
)
_JOINT = re.compile(r",\s+(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+|:\s+")
_IF_ABSENT = re.compile(r"\s*(?:if not|if none|falls nicht|wenn nicht|otherwise|sonst|sinon|si no)\b", re.IGNORECASE)
_OPENERS = word_set(
    """please so then afterwards finally first second third next now also and i we he she they it the customer supplier
    manager bitte dann danach zuerst at end when has one can you could would like want us let his who to"""
)
_NOUNS_TOO = word_set(
    """order post release request report set record offer invoice purchase issue search check list place look reserve
    deliver book returns block display fix close move extend park pick open draft is are does what how when where
    who see ship run mark bill transfer receive complete"""
)
# Of these, what opens a sentence is a noun as well as a verb.
_NOUNS_FIRST = word_set(
    """order post release request report record offer invoice purchase issue search check list display book returns block
    draft transfer bill place reserve"""
)
_AFTER_VERB = word_set(
    """the a an it its that this these those all everything both them for up at out whether him her me us my our his
    off back every each any new number one two three 1 into from whole goods das die den der ein eine einen"""
)
_PARTICLES = word_set("off out away up in")


@dataclass(frozen=True)
class Intent:
    """One thing asked for. ``kind`` is a verb class of ``words.VERBS`` or "" when no verb is there; ``hint`` its nouns.

    ``if_absent``: only when the read before found nothing (``If not: …``); ``labels``: words that stand before a value, and so
    rather name that value than the thing asked for; ``about``: words of the goal's topic.
    """

    start: int
    end: int
    text: str
    tokens: tuple[Token, ...]
    kind: str = ""
    verb: str = ""
    hint: str = ""
    if_absent: bool = False
    labels: frozenset[str] = frozenset()
    about: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Canonical tokens in order."""
        return tuple(w for t in self.tokens for w in t.words)


@dataclass(frozen=True)
class Intents:
    """The intents of a goal in order, and the part that only names what they are all about."""

    parts: tuple[Intent, ...]
    topic: tuple[int, int] | None = None


def read_intents(goal: str, facts: tuple[Fact, ...] = ()) -> Intents:
    """The goal cut at sentences and before every further verb; a part without a verb belongs to the part before it."""
    masked = _mask_quotes(goal, facts)
    always = [m.end() for form in (_BREAK, _SEQUENCE) for m in form.finditer(masked)]
    joints = [m.end() for m in _JOINT.finditer(masked) if _opening_verb(masked[m.end() :])]
    starts = sorted({0, *always, *joints})
    ends = [*starts[1:], len(goal)]
    parts = [_intent(goal, masked, s, e) for s, e in zip(starts, ends, strict=True) if re.search(r"\w{2}", goal[s:e])]
    merged, topic = _merge(goal, parts)
    return Intents(tuple(merged), topic)


def _mask_quotes(goal: str, facts: tuple[Fact, ...]) -> str:
    """The goal with quoted texts blanked: a verb or a full stop inside a quotation splits nothing."""
    for fact in facts:
        if fact.kind is FactKind.QUOTED:
            goal = goal[: fact.start] + "_" * (fact.end - fact.start) + goal[fact.end :]
    return goal


def _opening_verb(rest: str) -> bool:
    """Whether a fragment starts with a verb of the lexicon, perhaps after an opener."""
    folded = [fold(t.text) for t in tokenize(rest[:90])]
    for index in range(min(3, len(folded))):
        if _verb_at(index, folded):
            return True
        if folded[index] not in _OPENERS:
            return False
    return False


def _intent(goal: str, masked: str, start: int, end: int) -> Intent:
    tokens = tuple(Token(t.text, t.words, t.start + start, t.end + start) for t in tokenize(goal[start:end]))
    folded = [fold(t.text) for t in tokens if masked[t.start] != "_"]
    absent = bool(_IF_ABSENT.match(goal[start:end]))
    for index in range(len(folded)):
        verb = _verb_at(index, folded)
        if verb:
            kind, hint = VERBS[verb]
            return Intent(start, end, goal[start:end], tokens, kind, verb, hint, absent)
    return Intent(start, end, goal[start:end], tokens, "create" if absent else "", if_absent=absent)


def _verb_at(index: int, folded: list[str]) -> str:
    """The verb of the lexicon that stands here: phrasal (``take … off``) before plain, nouns only where a verb can stand."""
    word = folded[index]
    for particle in folded[index + 1 : index + 6]:
        if particle in _PARTICLES and f"{word} {particle}" in VERBS:
            return f"{word} {particle}"
    if word not in VERBS:
        return ""
    if word not in _NOUNS_TOO:
        return word
    follows = folded[index + 1] if index + 1 < len(folded) else ""
    opens = all(w in _OPENERS for w in folded[:index])
    if not opens:
        return ""
    quantity = follows.isdigit() and len(follows) < 5 and index + 2 < len(folded) and not folded[index + 2].isdigit()
    asks = index == 0 and word not in _NOUNS_FIRST
    return word if follows in _AFTER_VERB or quantity or asks or _orders_something(word, folded, index) else ""


def _orders_something(word: str, folded: list[str], index: int) -> bool:
    """``Order consulting material … from …``: the imperative at the very start, with no document number after it."""
    rest = folded[index + 1 : index + 4]
    return (
        index == 0
        and word in {"order", "offer", "ship", "release", "bill"}
        and not any(len(w) > 3 and w.isdigit() for w in rest[:1])
    )


def _merge(goal: str, parts: list[Intent]) -> tuple[list[Intent], tuple[int, int] | None]:
    """Parts without a verb joined to the part before; a first part without one is the topic of all, or a task of its own."""
    merged: list[Intent] = []
    for part in parts:
        if merged and merged[-1].if_absent and not merged[-1].verb and part.kind:
            merged[-1] = replace(part, start=merged[-1].start, if_absent=True)
        elif merged and not part.kind:
            head = merged[-1]
            text = goal[head.start : part.end]
            merged[-1] = replace(head, end=part.end, text=text, tokens=(*head.tokens, *part.tokens))
        else:
            merged.append(part)
    if len(merged) > 1 and not merged[0].kind and not _stands_alone(merged):
        return merged[1:], (merged[0].start, merged[0].end)
    return merged, None


def _stands_alone(merged: list[Intent]) -> bool:
    """A first part without a verb is a task when it names goods, and has a headline or nothing else creates anything."""
    goods = re.search(r"\b\d{1,5}\s+(?:x\s+)?\w+\s+(?:of\s+)?\w*\d", merged[0].text)
    headline = re.search(r"\w:\s+\w.*\w", merged[0].text)
    return bool(goods) and (bool(headline) or not any(i.kind in ("create", "action") for i in merged[1:]))
